#include "strata/topology/picture.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "picture_parts.h"

namespace strata::topology {
namespace {

constexpr int most_ranks = 512;   // more cannot be read one by one
constexpr int most_groups = 160;  // boxes in a picture that collapses its lowest groups
constexpr std::size_t most_children = 64;

}  // namespace

Detail::Detail(const Hierarchy& hierarchy) : complete_(hierarchy.ranks() <= most_ranks) {
    deepest_ = hierarchy.depth();
    if (complete_) return;
    std::vector<int> at_depth(static_cast<std::size_t>(deepest_) + 1, 0);
    for (const Group& group : hierarchy.groups) ++at_depth[static_cast<std::size_t>(group.depth)];
    int drawn = 0;
    deepest_ = 0;
    for (std::size_t depth = 0; depth < at_depth.size(); ++depth) {
        drawn += at_depth[depth];
        if (depth > 1 && drawn > most_groups) break;
        deepest_ = static_cast<int>(depth);
    }
}

std::size_t Detail::shown_children(const Group& group) const {
    if (collapsed(group)) return 0;
    return complete_ ? group.children.size() : std::min(group.children.size(), most_children);
}

Labels::Labels(const Hierarchy& hierarchy, const GroupNamer& namer)
    : hierarchy_(hierarchy), namer_(namer), ordinal_(hierarchy.groups.size()) {
    int nodes = 0;
    for (std::size_t i = 0; i < hierarchy.groups.size(); ++i) {
        if (hierarchy.groups[i].level.kind == LevelKind::node) ordinal_[i] = nodes++;
    }
}

std::string Labels::of(int index) const {
    const Group& group = hierarchy_.groups[static_cast<std::size_t>(index)];
    const std::string level(name_of(group.level.kind));
    const std::string name = namer_ ? namer_(group) : std::string();
    if (!name.empty()) return level + " " + name;
    switch (group.level.kind) {
        case LevelKind::cluster: return level;
        case LevelKind::node: return level + " " + std::to_string(ordinal_[static_cast<std::size_t>(index)]);
        default: return level + " " + std::to_string(group.object);
    }
}

std::string short_list(const std::vector<int>& ranks, std::size_t most) {
    std::string result;
    for (std::size_t i = 0; i < ranks.size();) {
        std::size_t end = i + 1;
        while (end < ranks.size() && ranks[end] == ranks[end - 1] + 1) ++end;
        std::string part = std::to_string(ranks[i]);
        if (end - i > 1) part += "-" + std::to_string(ranks[end - 1]);
        if (result.size() + part.size() > most) return result + ",...";
        if (!result.empty()) result += ",";
        result += part;
        i = end;
    }
    return result;
}

std::string counted(std::size_t count, std::string_view noun) {
    std::string result = std::to_string(count) + " " + std::string(noun);
    if (count == 1) return result;
    return result + (noun.ends_with("ch") ? "es" : "s");
}

std::vector<int> widest_led(const Hierarchy& hierarchy) {
    std::vector<int> led(hierarchy.stop.size(), -1);
    for (std::size_t i = 0; i < hierarchy.groups.size(); ++i) {
        const Group& group = hierarchy.groups[i];
        int& of_leader = led[static_cast<std::size_t>(group.leader)];
        if (of_leader < 0 && group.members.size() > 1) of_leader = static_cast<int>(i);
    }
    return led;
}

std::size_t groups_below(const Hierarchy& hierarchy, int group) {
    std::size_t count = 0;
    for (const int child : hierarchy.groups[static_cast<std::size_t>(group)].children) {
        count += 1 + groups_below(hierarchy, child);
    }
    return count;
}

std::string_view colour_of(LevelKey key) {
    static constexpr std::array<std::string_view, level_kind_count> colours = {
        "#b71c1c", "#6a1b9a", "#1565c0", "#00838f", "#558b2f", "#827717",
        "#2e7d32", "#ef6c00", "#ad1457", "#795548", "#607d8b", "#9e9e9e"};
    static constexpr std::array<std::string_view, 3> switches = {"#6a1b9a", "#ab47bc", "#4527a0"};
    if (key.kind == LevelKind::switch_) return switches[key.height % switches.size()];
    return colours[static_cast<std::size_t>(key.kind)];
}

std::string draw(const Hierarchy& hierarchy, PictureFormat format, const GroupNamer& namer) {
    switch (format) {
        case PictureFormat::text: return draw_text(hierarchy, namer);
        case PictureFormat::json: return draw_json(hierarchy, namer);
        case PictureFormat::dot: return draw_dot(hierarchy, namer);
        case PictureFormat::svg: return draw_svg(hierarchy, namer);
    }
    throw std::invalid_argument("unknown picture format");
}

}  // namespace strata::topology
