#pragma once
#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace strata::topology {

/// What is wrong with a file, and where: what() is "FILE:LINE: message"; line 0 means the file as a whole and
/// is left out.
class FileError : public std::runtime_error {
public:
    FileError(std::string_view file, int line, std::string_view message);
};

/// Why `path` must not be opened, though it is there: a directory, a device but /dev/null, or a named pipe,
/// which may never be written to (/dev/fd/N, which a shell makes of <(command), is). Empty otherwise.
std::string_view unreadable_kind(const std::string& path);

inline constexpr std::size_t longest_text_file = std::size_t{1} << 30;

/// All bytes of `path`. Throws FileError where it cannot be read, or is longer than `most_bytes` (of which no
/// more are then read).
std::string read_text_file(const std::string& path, std::size_t most_bytes = longest_text_file);

/// The names of what is in a folder, sorted; none where it cannot be read.
std::vector<std::string> entries_of(const std::string& folder);

}  // namespace strata::topology
