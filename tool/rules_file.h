#pragma once
#include <string>

namespace strata::tool {

/// The file that --rules means: `text` itself, or that of the preset of this name, as coll_strata_rules takes
/// it. Presets lie beside the plugin: that which Open MPI's component path names in the environment, else
/// that of the build to which this command belongs, else the installed one. Throws std::invalid_argument with
/// the names that are known.
std::string rules_named(const std::string& text);

}  // namespace strata::tool
