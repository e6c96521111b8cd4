#pragma once
#include <string>
#include <string_view>

namespace strata::component {

/// Writes all of `text` to a file, which is made or replaced when the new one is whole (written anew where
/// the folder may not be written to, or the file has other names); to what /proc leads to it is appended. In
/// a folder where everybody may put files that only their owners may remove (/tmp), no link is followed and
/// no file or pipe written that belongs neither to this user nor to the owner of the folder: the rule of
/// Linux's fs.protected_symlinks and fs.protected_regular, which may be off. Waits for no reader of a named
/// pipe, and no longer than 10 s for one to go on. Throws std::runtime_error with the reason; no SIGPIPE.
void write_dump_file(std::string path, std::string_view text);

}  // namespace strata::component
