#pragma once
#include <string>

namespace strata::tool {

/// Returns the file that --rules names: `text` itself, or the preset of this name, as for
/// coll_strata_rules. Presets lie beside the plugin: the one in Open MPI's component path in the
/// environment, else the one in the build of this command, else the installed one. Throws
/// std::invalid_argument with the known names.
std::string rules_named(const std::string& text);

/// Returns the names of the presets there, "a b c".
std::string preset_names();

}  // namespace strata::tool
