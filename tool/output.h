#pragma once
#include <functional>
#include <ostream>
#include <string>

namespace strata::tool {

/// Writes the output of a command to the file of --output; an empty path and "-" are standard output.
/// Throws std::runtime_error if not all of it could be written.
void write_output(const std::string& text, const std::string& path);
/// Writes the output of `write` piece by piece.
void write_output(const std::function<void(std::ostream&)>& write, const std::string& path);

/// Throws std::runtime_error if the file cannot be opened for writing: a check before a long run. Leaves
/// no trace.
void require_writable(const std::string& path);

}  // namespace strata::tool
