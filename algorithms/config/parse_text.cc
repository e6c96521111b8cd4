#include "algorithms/config/parse_text.h"

#include <stdexcept>

namespace strata::algorithms {

std::vector<std::string_view> split_entries(std::string_view text) {
    std::vector<std::string_view> entries;
    if (trimmed(text).empty()) return entries;
    std::size_t begin = 0;
    while (true) {
        const std::size_t comma = text.find(',', begin);
        const std::string_view entry = trimmed(text.substr(begin, comma - begin));
        if (entry.empty()) {
            throw std::invalid_argument("'" + std::string(text) + "': entry " +
                                        std::to_string(entries.size() + 1) + " is empty");
        }
        entries.push_back(entry);
        if (comma == std::string_view::npos) return entries;
        begin = comma + 1;
    }
}

topology::LevelPattern parse_level_or_throw(std::string_view entry, std::string_view name) {
    const auto level = topology::parse_level(name);
    if (!level)
        reject(entry, "unknown level '" + std::string(name) + "'; known: " + topology::known_level_names());
    return *level;
}

void reject(std::string_view entry, const std::string& reason) {
    throw std::invalid_argument("'" + std::string(entry) + "': " + reason);
}

}  // namespace strata::algorithms
