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

}  // namespace

std::string draw_json(const Hierarchy& hierarchy, const GroupNamer& namer) {
    std::string json = "{\"ranks\":" + std::to_string(hierarchy.ranks()) + ",\"levels\":[";
    bool first_level = true;
    for (const LevelKey level : hierarchy.levels()) {
        if (!first_level) json += ",";
        first_level = false;
        json += "{\"kind\":" + quoted(name_of(level)) + ",\"groups\":[";
        bool first_group = true;
        for (const Group& group : hierarchy.groups) {
            if (group.level != level) continue;
            if (!first_group) json += ",";
            first_group = false;
            add_group(json, group, namer ? namer(group) : std::string());
        }
        json += "]}";
    }
    return json + "]}\n";
}

}  // namespace strata::topology
