#include "presets.h"

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <vector>

#include "plugin_folder.h"

namespace strata::component {
namespace {

constexpr const char* suffix = ".json";

/// The presets of a folder, sorted: messages must be the same on every node.
std::vector<std::string> presets_in(const std::string& folder) {
    std::vector<std::string> names;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(folder, ignored)) {
        if (entry.path().extension() == suffix) {
            names.push_back(entry.path().stem());
        }
    }
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace

bool names_preset(std::string_view text) {
    return !text.empty() &&
           text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string_view::npos;
}

std::string preset_file(const std::string& folder, const std::string& name) {
    const std::vector<std::string> names = presets_in(folder);
    if (std::find(names.begin(), names.end(), name) != names.end()) {
        return folder + "/" + name + suffix;
    }
    std::string known;
    for (const std::string& each : names) {
        known += (known.empty() ? "" : ", ") + each;
    }
    throw std::invalid_argument("no such preset: '" + name + "'; " +
                                (known.empty() ? "none lie in " + folder : "known: " + known) +
                                " (a file in the current folder: './" + name + "')");
}

std::string rules_file_of(const std::string& text) {
    return names_preset(text) ? preset_file(plugin_folder() + "/" + std::string(presets_folder), text) : text;
}

}  // namespace strata::component
