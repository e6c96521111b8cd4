#pragma once
#include <cstddef>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>

namespace strata::topology {

/// What is wrong with a file, and where: what() is "FILE:LINE: message"; line 0 means the file as a whole and
/// is left out.
class FileError : public std::runtime_error {
public:
    FileError(std::string_view file, int line, std::string_view message);
};

/// All bytes of `path`. Throws FileError where it cannot be read, or is longer than `most_bytes` (of which no
/// more are then read).
std::string read_text_file(const std::string& path,
                           std::size_t most_bytes = std::numeric_limits<std::size_t>::max());

}  // namespace strata::topology
