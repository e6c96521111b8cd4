#include "topology/picture.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "topology/picture_parts.h"

namespace strata::topology {
namespace {

constexpr int most_ranks = 512;   // limit on ranks drawn one by one
constexpr int most_groups = 160;  // limit on boxes if the lowest groups are collapsed
constexpr std::size_t most_children = 64;
constexpr std::size_t most_nics = 8;             // shown at one group
constexpr std::size_t most_nics_of_a_count = 2;  // shown at a group drawn as a count

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

NicPlaces::NicPlaces(const Hierarchy& hierarchy, const Detail& detail, const std::vector<NicMark>& nics)
    : hierarchy_(hierarchy), shown_(hierarchy.groups.size()) {
    enum class State : char { drawn, inside_count, left_out };
    std::vector<State> states(hierarchy.groups.size(), State::drawn);
    for (std::size_t i = 0; i < states.size(); ++i) {  // parents precede their children
        const Group& group = hierarchy.groups[i];
        const std::size_t shown = detail.shown_children(group);
        for (std::size_t child = 0; child < group.children.size(); ++child) {
            State state = states[i];
            if (state == State::drawn && detail.collapsed(group)) state = State::inside_count;
            if (state == State::drawn && child >= shown) state = State::left_out;
            states[static_cast<std::size_t>(group.children[child])] = state;
        }
    }
    for (const NicMark& nic : nics) {
        int at = nic.group;
        while (states[static_cast<std::size_t>(at)] == State::inside_count) {
            at = hierarchy.groups[static_cast<std::size_t>(at)].parent;
        }
        if (states[static_cast<std::size_t>(at)] == State::left_out) continue;
        Shown& shown = shown_[static_cast<std::size_t>(at)];
        const bool count = detail.collapsed(hierarchy.groups[static_cast<std::size_t>(at)]);
        if (shown.nics.size() < (count ? most_nics_of_a_count : most_nics)) {
            shown.nics.push_back(&nic);
        } else {
            ++shown.more;
        }
    }
}

std::string NicPlaces::name_of(int group, const NicMark& nic) const {
    const bool wide = hierarchy_.groups[static_cast<std::size_t>(group)].level.kind < LevelKind::node;
    return wide && !nic.node.empty() ? nic.node + ": " + nic.name : nic.name;
}

bool NicPlaces::any(bool local) const {
    return std::any_of(shown_.begin(), shown_.end(), [&](const Shown& shown) {
        return std::any_of(shown.nics.begin(), shown.nics.end(),
                           [&](const NicMark* nic) { return nic->local == local; });
    });
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
        // Two custom levels may use the same numbers.
        case LevelKind::custom: return name_of(group.level) + " " + std::to_string(group.object);
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

std::string noun_of(LevelKey level) {
    switch (level.kind) {
        case LevelKind::switch_:
            return level.height == 0 ? "leaf switch" : "height-" + std::to_string(level.height) + " switch";
        case LevelKind::group: return "hardware group";
        case LevelKind::numa: return "NUMA domain";
        case LevelKind::l3: return "L3 cache";
        case LevelKind::l2: return "L2 cache";
        case LevelKind::l1: return "L1 cache";
        case LevelKind::pu: return "hardware thread";
        case LevelKind::custom: return "custom group";
        default: return std::string(name_of(level));
    }
}

std::string level_counts(const Hierarchy& hierarchy) {
    std::string text;
    for (const LevelKey level : hierarchy.levels()) {
        const auto below_top = [&](const Group& group) { return group.parent >= 0 && group.level == level; };
        const auto count = std::count_if(hierarchy.groups.begin(), hierarchy.groups.end(), below_top);
        if (count == 0) continue;
        if (!text.empty()) text += ", ";
        text += counted(static_cast<std::size_t>(count), noun_of(level));
    }
    return text;
}

std::string level_number(const Hierarchy& hierarchy) {
    const int levels = hierarchy.depth() - 1;
    return levels == 0 ? "no levels" : counted(static_cast<std::size_t>(levels), "level");
}

std::string level_summary(const Hierarchy& hierarchy) {
    const std::string counts = level_counts(hierarchy);
    return level_number(hierarchy) + (counts.empty() ? "" : ": " + counts);
}

PictureFormat format_for(std::string_view path) {
    if (path.ends_with(".svg")) return PictureFormat::svg;
    if (path.ends_with(".json")) return PictureFormat::json;
    return path.ends_with(".dot") ? PictureFormat::dot : PictureFormat::text;
}

void check_picture_ending(std::string_view path) {
    for (const std::string_view ending :
         {".pdf", ".png", ".jpg", ".jpeg", ".gif", ".ps", ".eps", ".html", ".xml"}) {
        if (path.ends_with(ending)) {
            throw std::invalid_argument("no format for '" + std::string(ending) +
                                        "'; known: .svg, .dot, .json, and .txt for text");
        }
    }
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
        "#b71c1c", "#6a1b9a", "#1565c0", "#00838f", "#558b2f", "#827717", "#2e7d32",
        "#ef6c00", "#ad1457", "#795548", "#607d8b", "#9e9e9e", "#3949ab"};
    static constexpr std::array<std::string_view, 3> switches = {"#6a1b9a", "#ab47bc", "#4527a0"};
    if (key.kind == LevelKind::switch_) return switches[key.height % switches.size()];
    return colours[static_cast<std::size_t>(key.kind)];
}

std::string draw(const Hierarchy& hierarchy, PictureFormat format, const PictureNotes& notes) {
    switch (format) {
        case PictureFormat::text: return draw_text(hierarchy, notes);
        case PictureFormat::json: return draw_json(hierarchy, notes);
        case PictureFormat::dot: return draw_dot(hierarchy, notes);
        case PictureFormat::svg: return draw_svg(hierarchy, notes);
    }
    throw std::invalid_argument("unknown picture format");
}

}  // namespace strata::topology
