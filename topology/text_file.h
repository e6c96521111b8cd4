#pragma once
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace strata::topology {

/// An error in a file: what() is "FILE:LINE: message", or "FILE: message" where `line` is 0 (the file as
/// a whole).
class FileError : public std::runtime_error {
public:
    FileError(std::string_view file, int line, std::string_view message);
};

/// Returns the reason why an existing `path` must not be opened: it is a directory, a device (except
/// /dev/null) or a named pipe, because a pipe without a writer blocks forever. Returns "" for any other
/// path, and for the pipe behind /dev/fd/N, which a shell makes of <(command).
std::string_view unreadable_kind(const std::string& path);

inline constexpr std::size_t longest_text_file = std::size_t{1} << 30;

/// Returns all bytes of `path`. Throws FileError if it cannot be read or is longer than `most_bytes`;
/// reading stops at that limit.
std::string read_text_file(const std::string& path, std::size_t most_bytes = longest_text_file);

/// Returns the sorted names of the entries of a folder; empty if it cannot be read.
std::vector<std::string> entries_of(const std::string& folder);

}  // namespace strata::topology
