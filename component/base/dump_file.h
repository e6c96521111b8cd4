#pragma once
#include <chrono>
#include <string>
#include <string_view>

namespace strata::component {

/// Writes all of `text` to a file, which is made, or replaced when the new one is whole (written anew where
/// the folder does not allow that, or the file has other names or attributes). True where `text` stands
/// behind what was there instead: in a pipe, a device, or what /proc leads to. In a folder where everybody
/// may put files that only their owners may remove (/tmp), no link is followed and no file or pipe written
/// that belongs neither to this user nor to the owner of the folder: the rule of Linux's
/// fs.protected_symlinks and fs.protected_regular, which may be off. Waits for no reader of a named pipe, and
/// no longer than `patience` for one to go on. Throws std::runtime_error with the reason; no SIGPIPE, no
/// SIGXFSZ.
bool write_dump_file(const std::string& path, std::string_view text,
                     std::chrono::milliseconds patience = std::chrono::seconds(10));

}  // namespace strata::component
