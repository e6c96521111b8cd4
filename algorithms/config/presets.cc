#include "algorithms/config/presets.h"

#include <algorithm>
#include <stdexcept>

#include "topology/text_file.h"

namespace strata::algorithms {
namespace {

constexpr std::string_view ending = ".json";

}  // namespace

/// Sorted: messages must be equal on every node.
std::vector<std::string> presets_in(const std::string& folder) {
    std::vector<std::string> names;
    for (const std::string& entry : topology::entries_of(folder)) {
        if (entry.ends_with(ending)) {
            names.push_back(entry.substr(0, entry.size() - ending.size()));
        }
    }
    return names;
}

bool names_preset(std::string_view text) {
    return !text.empty() &&
           text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-") == std::string_view::npos;
}

std::string preset_file(const std::string& folder, const std::string& name) {
    const std::vector<std::string> names = presets_in(folder);
    if (std::find(names.begin(), names.end(), name) != names.end()) {
        return folder + "/" + name + std::string(ending);
    }
    std::string known;
    for (const std::string& each : names) {
        known += (known.empty() ? "" : ", ") + each;
    }
    throw std::invalid_argument("no such preset: '" + name + "'; " +
                                (known.empty() ? "there are none in " + folder : "known: " + known) +
                                " (a file in the current folder: './" + name + "')");
}

std::string rules_file_of(const std::string& text, const std::string& plugin_folder) {
    return names_preset(text) ? preset_file(plugin_folder + "/" + std::string(presets_folder), text) : text;
}

}  // namespace strata::algorithms
