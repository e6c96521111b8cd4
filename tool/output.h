#pragma once
#include <string>

namespace strata::tool {

/// Writes what a command made to the file that --output names; an empty path and "-" are standard output.
/// Throws std::runtime_error where it cannot all be written.
void write_output(const std::string& text, const std::string& path);

}  // namespace strata::tool
