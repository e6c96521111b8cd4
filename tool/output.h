#pragma once
#include <functional>
#include <ostream>
#include <string>

namespace strata::tool {

/// Writes what a command made to the file that --output names; an empty path and "-" are standard output.
/// Throws std::runtime_error where it cannot all be written.
void write_output(const std::string& text, const std::string& path);
/// What `write` writes bit by bit.
void write_output(const std::function<void(std::ostream&)>& write, const std::string& path);

/// Throws std::runtime_error where the file cannot be opened for writing, for those who have much to do
/// before they write it. Leaves no trace.
void require_writable(const std::string& path);

}  // namespace strata::tool
