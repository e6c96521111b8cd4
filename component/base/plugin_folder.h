#pragma once
#include <string>

namespace strata::component {

/// The folder of the shared object (or program) that this code is part of, as the loader was told it: what
/// comes with the plugin lies beside it. "." where the loader does not tell.
std::string plugin_folder();

}  // namespace strata::component
