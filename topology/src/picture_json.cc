#include <algorithm>
#include <utility>

#include "picture_parts.h"

namespace strata::topology {
namespace {

/// A JSON string; bytes from 0x80 pass through (host and switch names are UTF-8 or ASCII).
std::string quoted(std::string_view text) {
    static constexpr std::string_view digits = "0123456789abcdef";
    std::string result = "\"";
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            result += '\\';
            result += c;
        } else if (byte < 0x20) {
            result += "\\u00";
            result += digits[byte >> 4];
            result += digits[byte & 15];
        } else {
            result += c;
        }
    }
    return result + '"';
}

void add_group(std::string& json, const Group& group, const std::string& name) {
    json += "{";
    if (!name.empty()) json += "\"name\":" + quoted(name) + ",";
    json += "\"leader\":" + std::to_string(group.leader) + ",\"members\":[";
    for (std::size_t i = 0; i < group.members.size(); ++i) {
        if (i > 0) json += ",";
        json += std::to_string(group.members[i]);
    }
    json += "]}";
}

/// Where each group stands: its level among levels(), and its place in that level's groups.
std::vector<std::pair<std::size_t, std::size_t>> positions(const Hierarchy& hierarchy,
                                                           const std::vector<LevelKey>& levels) {
    std::vector<std::pair<std::size_t, std::size_t>> result;
    std::vector<std::size_t> next(levels.size(), 0);
    for (const Group& group : hierarchy.groups) {
        const auto level =
            static_cast<std::size_t>(std::find(levels.begin(), levels.end(), group.level) - levels.begin());
        result.emplace_back(level, next[level]++);
    }
    return result;
}

std::string card_list(const Hierarchy& hierarchy, const std::vector<LevelKey>& levels,
                      const std::vector<CardMark>& cards) {
    if (cards.empty()) return "";
    const auto places = positions(hierarchy, levels);
    std::string json = ",\"cards\":[";
    for (const CardMark& card : cards) {
        const auto [level, group] = places[static_cast<std::size_t>(card.group)];
        if (json.back() != '[') json += ",";
        json += "{\"name\":" + quoted(card.name) + ",\"node\":" + quoted(card.node) +
                ",\"near\":" + quoted(card.near) + ",\"level\":" + std::to_string(level) +
                ",\"group\":" + std::to_string(group) + "}";
    }
    return json + "]";
}

}  // namespace

std::string draw_json(const Hierarchy& hierarchy, const PictureNotes& notes) {
    const std::vector<LevelKey> levels = hierarchy.levels();
    std::string json = "{\"ranks\":" + std::to_string(hierarchy.ranks()) + ",\"levels\":[";
    bool first_level = true;
    for (const LevelKey level : levels) {
        if (!first_level) json += ",";
        first_level = false;
        json += "{\"kind\":" + quoted(name_of(level)) + ",\"groups\":[";
        bool first_group = true;
        for (const Group& group : hierarchy.groups) {
            if (group.level != level) continue;
            if (!first_group) json += ",";
            first_group = false;
            add_group(json, group, notes.namer ? notes.namer(group) : std::string());
        }
        json += "]}";
    }
    return json + "]" + card_list(hierarchy, levels, notes.cards) + "}\n";
}

}  // namespace strata::topology
