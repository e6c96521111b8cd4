#pragma once
#include <string>
#include <string_view>

// Presets: rules files for kinds of machines that come with the plugin (mca-params/NAME.json), and that
// coll_strata_rules may call by their names instead of a path.
namespace strata::algorithms {

/// Where they lie, beside the plugin.
inline constexpr std::string_view presets_folder = "strata-presets";

/// True for what names a preset and no file: one word of a-z, 0-9 and '-'. A file whose name looks like that
/// can be given as "./NAME".
bool names_preset(std::string_view text);

/// The file of the preset `name` in `folder`. Throws std::invalid_argument with the names that are known
/// there.
std::string preset_file(const std::string& folder, const std::string& name);

/// The file that coll_strata_rules means: `text` itself, or that of the preset beside the plugin in
/// `plugin_folder`. Throws as preset_file().
std::string rules_file_of(const std::string& text, const std::string& plugin_folder);

}  // namespace strata::algorithms
