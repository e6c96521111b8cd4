#pragma once
#include <string>

namespace strata::component {

/// Returns the folder of the shared object (or program) that contains this code, from the loader; "." if the
/// loader does not know it. Help texts and presets are in this folder.
std::string plugin_folder();

}  // namespace strata::component
