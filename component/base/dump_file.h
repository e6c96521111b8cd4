#pragma once
#include <chrono>
#include <string>
#include <string_view>

namespace strata::component {

/// Writes all of `text` to a file. Creates the file, or replaces it once the new one is complete; overwrites
/// it in place if the folder forbids that or the file has other names or attributes. Returns true when `text`
/// was appended instead: to a pipe, a device, or a target of /proc.
///
/// In a sticky folder that all users may write to (/tmp) it follows no link and writes to no file or pipe of
/// other users than this one and the folder's owner: the rule of Linux's fs.protected_symlinks and
/// fs.protected_regular, which may be off. It does not wait for a named pipe's reader to open it, and at most
/// `patience` for a reader that stalls. Throws std::runtime_error with the reason; raises no SIGPIPE or
/// SIGXFSZ.
bool write_dump_file(const std::string& path, std::string_view text,
                     std::chrono::milliseconds patience = std::chrono::seconds(10));

}  // namespace strata::component
