#include <algorithm>
#include <cstddef>
#include <functional>

#include "topology/hierarchy.h"
#include "topology/text.h"

namespace strata::topology {
namespace {

std::string at(int group, const std::string& what) { return "group " + std::to_string(group) + ": " + what; }

bool ascending(const std::vector<int>& values) {
    return std::adjacent_find(values.begin(), values.end(), std::greater_equal<>()) == values.end();
}

std::string check_top(const Hierarchy& h) {
    if (h.stop.empty()) return "there is no rank";
    if (h.groups.empty()) return "there is no group";
    const Group& top = h.groups.front();
    if (top.parent != -1) return at(0, "the top has a parent");
    if (top.depth != 0) return at(0, "the top has depth " + std::to_string(top.depth));
    if (top.level.kind == LevelKind::custom) return at(0, "the top is a custom group");
    if (top.members.size() != h.stop.size()) return at(0, "the top does not hold every rank");
    for (std::size_t i = 0; i < top.members.size(); ++i) {
        if (top.members[i] != static_cast<int>(i)) return at(0, "the top does not hold every rank");
    }
    return {};
}

/// Checks a group's own lists and its position relative to its parent.
std::string check_group(const Hierarchy& h, int index) {
    const Group& group = h.groups[static_cast<std::size_t>(index)];
    if (group.members.empty()) return at(index, "no members");
    if (!ascending(group.members)) return at(index, "members are not ascending");
    if (group.members.front() < 0 || group.members.back() >= h.ranks())
        return at(index, "a member is no rank");
    if (!std::binary_search(group.members.begin(), group.members.end(), group.leader)) {
        return at(index, "leader " + std::to_string(group.leader) + " is not a member");
    }
    if (group.level.kind != LevelKind::switch_ && group.level.kind != LevelKind::custom &&
        group.level.height != 0) {
        return at(index, "only a switch or custom level has a height");
    }
    if (index == 0) return {};
    if (group.parent < 0 || group.parent >= index) return at(index, "its parent does not precede it");
    const Group& parent = h.groups[static_cast<std::size_t>(group.parent)];
    if (group.depth != parent.depth + 1) return at(index, "its depth is not its parent's plus one");
    if (group.members.size() == parent.members.size()) return at(index, "it does not split its parent");
    return {};
}

/// Checks the order of levels on a branch: network above nodes, nodes above their hardware, higher
/// switches above lower ones, with any number of custom groups between. A custom level appears once on a
/// branch.
std::string check_level(const Hierarchy& h, int index) {
    const Group& group = h.groups[static_cast<std::size_t>(index)];
    if (group.parent < 0) return {};
    const LevelKey below = group.level;
    LevelKey above = below;
    for (int over = group.parent; over >= 0; over = h.groups[static_cast<std::size_t>(over)].parent) {
        above = h.groups[static_cast<std::size_t>(over)].level;
        if (above == below && below.kind == LevelKind::custom) {
            return at(index, "level " + name_of(below) + " is below itself");
        }
        if (above.kind != LevelKind::custom && below.kind != LevelKind::custom) break;
    }
    if (below.kind == LevelKind::cluster) return at(index, "only the top can be the cluster");
    if (below.kind > LevelKind::node) return {};
    if (above.kind > below.kind || (above.kind == LevelKind::node && below.kind == LevelKind::node)) {
        return at(index, "level " + name_of(below) + " is below " + name_of(above));
    }
    if (below.kind == LevelKind::switch_ && above.kind == LevelKind::switch_ &&
        above.height <= below.height) {
        return at(index, "level " + name_of(below) + " is below " + name_of(above));
    }
    return {};
}

/// Checks that children are in range, disjoint, sorted by lowest member and have this parent, and that
/// `direct` holds exactly the other members.
std::string check_children(const Hierarchy& h, int index) {
    const Group& group = h.groups[static_cast<std::size_t>(index)];
    std::vector<int> covered = group.direct;
    int last_lowest = -1;
    for (const int child : group.children) {
        if (child <= index || child >= static_cast<int>(h.groups.size())) {
            return at(index, "child " + std::to_string(child) + " is no later group");
        }
        const Group& below = h.groups[static_cast<std::size_t>(child)];
        if (below.parent != index) return at(index, "child " + std::to_string(child) + " has another parent");
        if (below.members.empty() || below.members.front() <= last_lowest) {
            return at(index, "children are not ordered by lowest member");
        }
        last_lowest = below.members.front();
        covered.insert(covered.end(), below.members.begin(), below.members.end());
    }
    if (!ascending(group.direct)) return at(index, "direct ranks are not ascending");
    std::sort(covered.begin(), covered.end());
    if (std::adjacent_find(covered.begin(), covered.end()) != covered.end()) {
        return at(index, "children and direct ranks overlap");
    }
    if (covered != group.members) return at(index, "children and direct ranks do not make up the members");
    return {};
}

/// Checks that each group is listed exactly once, given check_children() (no child twice, parents
/// match).
std::string check_listed(const Hierarchy& h) {
    std::vector<bool> listed(h.groups.size(), false);
    for (const Group& group : h.groups) {
        for (const int child : group.children) listed[static_cast<std::size_t>(child)] = true;
    }
    for (std::size_t i = 1; i < h.groups.size(); ++i) {
        if (!listed[i]) return at(static_cast<int>(i), "its parent does not list it");
    }
    return {};
}

std::string check_stops(const Hierarchy& h) {
    for (int rank = 0; rank < h.ranks(); ++rank) {
        const int stop = h.stop[static_cast<std::size_t>(rank)];
        if (stop < 0 || stop >= static_cast<int>(h.groups.size())) {
            return "rank " + std::to_string(rank) + ": its stop is no group";
        }
        const std::vector<int>& direct = h.groups[static_cast<std::size_t>(stop)].direct;
        if (!std::binary_search(direct.begin(), direct.end(), rank)) {
            return "rank " + std::to_string(rank) + ": its stop is not the deepest group that contains it";
        }
    }
    return {};
}

std::string check_topology_order(const Hierarchy& h) {
    if (h.topology_order.empty())
        return h.topology_order_nodes.empty() ? "" : "there are nodes of a topology order, but no order";
    std::vector<bool> taken(h.stop.size(), false);
    for (const int place : h.topology_order) {
        if (place < 0 || place >= h.ranks() || taken[static_cast<std::size_t>(place)]) {
            return "the topology order is no permutation: place " + std::to_string(place);
        }
        taken[static_cast<std::size_t>(place)] = true;
    }
    if (h.topology_order.size() != h.stop.size()) return "the topology order does not hold every rank";
    if (h.topology_order_nodes.empty() || h.topology_order_nodes.front() != 0)
        return "the topology order does not begin with a node";
    if (!ascending(h.topology_order_nodes)) return "the nodes of the topology order are not ascending";
    if (h.topology_order_nodes.back() >= h.ranks())
        return "a node of the topology order begins after its end";
    return {};
}

/// Checks that a receiver leads all groups around it inside its node, so that trees can end there.
std::string check_receivers(const Hierarchy& h) {
    if (h.receivers.empty()) return {};
    if (h.receivers.size() != h.stop.size()) return "receivers do not cover every rank";
    for (int rank = 0; rank < h.ranks(); ++rank) {
        const int receiver = h.receivers[static_cast<std::size_t>(rank)];
        if (receiver == rank) continue;
        const int group = h.widest_in_node(rank);
        if (group < 0 || h.groups[static_cast<std::size_t>(group)].leader != receiver) {
            return "rank " + std::to_string(rank) + ": its receiver " + std::to_string(receiver) +
                   " does not lead its node";
        }
    }
    return {};
}

std::string check_oversubscription(const Hierarchy& h) {
    if (h.oversubscription >= 1 && h.oversubscription <= std::max(1, h.ranks())) return {};
    return "the oversubscription is " + number_text(h.oversubscription, 6) + " ranks per processor";
}

}  // namespace

std::string validate(const Hierarchy& hierarchy) {
    std::string broken = check_top(hierarchy);
    const int count = static_cast<int>(hierarchy.groups.size());
    for (int group = 0; broken.empty() && group < count; ++group) broken = check_group(hierarchy, group);
    for (int group = 0; broken.empty() && group < count; ++group) broken = check_level(hierarchy, group);
    for (int group = 0; broken.empty() && group < count; ++group) broken = check_children(hierarchy, group);
    if (broken.empty()) broken = check_listed(hierarchy);
    if (broken.empty()) broken = check_stops(hierarchy);
    if (broken.empty()) broken = check_topology_order(hierarchy);
    if (broken.empty()) broken = check_oversubscription(hierarchy);
    return broken.empty() ? check_receivers(hierarchy) : broken;
}

}  // namespace strata::topology
