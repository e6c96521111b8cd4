#include "rules_file.h"

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "algorithms/config/presets.h"
#include "topology/text.h"

namespace strata::tool {
namespace {

/// Returns the folders that may have the plugin, in the order of search.
std::vector<std::filesystem::path> plugin_folders() {
    std::vector<std::filesystem::path> folders;
    for (const char* name : {"OMPI_MCA_opal_mca_base_component_path", "OMPI_MCA_mca_base_component_path"}) {
        const char* const path = std::getenv(name);
        for (const std::string_view folder : topology::split(path != nullptr ? path : "", ':')) {
            if (!folder.empty()) folders.emplace_back(folder);  // SYSTEM_DEFAULT is none, and comes last
        }
    }
    std::error_code ignored;
    const std::filesystem::path own = std::filesystem::read_symlink("/proc/self/exe", ignored);
    if (!own.empty()) {
        const std::filesystem::path prefix = own.parent_path().parent_path();
        folders.push_back(prefix / "plugin");  // of a build
        folders.push_back(prefix);             // the plugin in a folder of the user's own
#ifdef STRATA_PLUGIN_BELOW
        folders.push_back(prefix / STRATA_PLUGIN_BELOW);
#endif
    }
#ifdef STRATA_OPENMPI_PLUGIN_DIR
    folders.emplace_back(STRATA_OPENMPI_PLUGIN_DIR);
#endif
    return folders;
}

/// Returns the folder of the presets, or one that does not exist.
std::filesystem::path folder_of_presets() {
    std::filesystem::path presets;
    std::error_code ignored;
    for (const std::filesystem::path& folder : plugin_folders()) {
        presets = folder / algorithms::presets_folder;
        if (std::filesystem::is_directory(presets, ignored)) break;
    }
    return presets;
}

}  // namespace

std::string rules_named(const std::string& text) {
    return algorithms::names_preset(text) ? algorithms::preset_file(folder_of_presets(), text) : text;
}

std::string preset_names() {
    std::string names;
    for (const std::string& name : algorithms::presets_in(folder_of_presets()))
        names += (names.empty() ? "" : " ") + name;
    return names;
}

}  // namespace strata::tool
