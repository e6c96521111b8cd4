#pragma once
#include <string>
#include <string_view>
#include <vector>

// Presets are rules files for kinds of machines, installed with the plugin (mca-params/NAME.json).
// coll_strata_rules accepts their names instead of a path.
namespace strata::algorithms {

/// Their folder, beside the plugin.
inline constexpr std::string_view presets_folder = "strata-presets";

/// Returns true for the name of a preset: one word of a-z, 0-9 and '-'. A file with such a name can be
/// given as "./NAME".
bool names_preset(std::string_view text);

/// Returns the presets of `folder`, sorted.
std::vector<std::string> presets_in(const std::string& folder);

/// Returns the file of the preset `name` in `folder`. Throws std::invalid_argument with the known names.
std::string preset_file(const std::string& folder, const std::string& name);

/// Returns the file that coll_strata_rules names: `text` itself, or the preset's file beside the plugin in
/// `plugin_folder`. Throws as preset_file().
std::string rules_file_of(const std::string& text, const std::string& plugin_folder);

}  // namespace strata::algorithms
