#include <algorithm>
#include <utility>

#include "topology/picture_parts.h"
#include "topology/text.h"

namespace strata::topology {
namespace {

std::string list_text(const std::vector<int>& values) {
    std::string json = "[";
    for (const int value : values) {
        if (json.back() != '[') json += ",";
        json += std::to_string(value);
    }
    return json + "]";
}

void add_group(std::string& json, const Group& group, const std::string& name) {
    json += "{";
    if (!name.empty()) json += "\"name\":" + json_text(name) + ",";
    if (group.level.kind == LevelKind::custom) json += "\"around\":" + json_text(name_of(group.around)) + ",";
    json += "\"leader\":" + std::to_string(group.leader) + ",\"members\":" + list_text(group.members) + "}";
}

/// Returns the members on which plans depend besides the groups.
std::string orders(const Hierarchy& hierarchy) {
    std::string json;
    const auto add = [&](const char* name, const std::vector<int>& values) {
        if (!values.empty()) json += ",\"" + std::string(name) + "\":" + list_text(values);
    };
    add("topology_order", hierarchy.topology_order);
    add("topology_order_nodes", hierarchy.topology_order_nodes);
    add("receivers", hierarchy.receivers);
    if (hierarchy.oversubscription > 1)
        json += ",\"oversubscription\":" + number_text(hierarchy.oversubscription, 17);
    return json;
}

/// Returns for each group its level's position in `levels` and its position in that level.
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

std::string nic_list(const Hierarchy& hierarchy, const std::vector<LevelKey>& levels,
                     const std::vector<NicMark>& nics) {
    if (nics.empty()) return "";
    const auto places = positions(hierarchy, levels);
    std::string json = ",\"nics\":[";
    for (const NicMark& nic : nics) {
        const auto [level, group] = places[static_cast<std::size_t>(nic.group)];
        if (json.back() != '[') json += ",";
        json += "{\"name\":" + json_text(nic.name) + ",\"node\":" + json_text(nic.node) +
                ",\"near\":" + json_text(nic.near) + ",\"level\":" + std::to_string(level) +
                ",\"group\":" + std::to_string(group) + "}";
    }
    return json + "]";
}

}  // namespace

std::string with_members(std::string_view json, std::string_view members) {
    return std::string(json.substr(0, json.rfind('}'))) + "," + std::string(members) + "}\n";
}

std::string draw_json(const Hierarchy& hierarchy, const PictureNotes& notes) {
    const std::vector<LevelKey> levels = hierarchy.levels();
    std::string json = "{\"ranks\":" + std::to_string(hierarchy.ranks()) + ",\"levels\":[";
    bool first_level = true;
    for (const LevelKey level : levels) {
        if (!first_level) json += ",";
        first_level = false;
        json += "{\"kind\":" + json_text(name_of(level)) + ",\"groups\":[";
        bool first_group = true;
        for (const Group& group : hierarchy.groups) {
            if (group.level != level) continue;
            if (!first_group) json += ",";
            first_group = false;
            add_group(json, group, notes.namer ? notes.namer(group) : std::string());
        }
        json += "]}";
    }
    json += "]" + nic_list(hierarchy, levels, notes.nics) + orders(hierarchy);
    return json + (notes.json_members.empty() ? "" : "," + notes.json_members) + "}\n";
}

}  // namespace strata::topology
