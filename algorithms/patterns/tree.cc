#include "algorithms/patterns/tree.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <tuple>

#include "algorithms/patterns/backwards.h"
#include "algorithms/patterns/check_rank.h"
#include "algorithms/patterns/double_binary.h"
#include "algorithms/patterns/group_part.h"
#include "algorithms/patterns/window.h"

namespace strata::algorithms {
namespace {

using topology::Group;
using topology::Hierarchy;

constexpr int whole_group = -2;

/// Returns the child of `group` that contains `root`; whole_group if the root stops in `group`; -1 if it
/// is outside.
int child_with_root(const Hierarchy& hierarchy, int group, int root) {
    int below = whole_group;
    for (int current = hierarchy.stop[root]; current >= 0; current = hierarchy.groups[current].parent) {
        if (current == group) {
            return below;
        }
        below = current;
    }
    return -1;
}

/// Sorts the members of a chain, local root first, into topology order inside every node: the local root's
/// node all the way round, then the others in the order of participants(), so that a chain enters every
/// skipped switch once. Towards the root every node is reversed, the local root's too: data from the next
/// node arrives next to the NIC. The order matters where no level separates the ranks of one node from those
/// of others.
void order_chain(const Hierarchy& hierarchy, Flow flow, std::vector<int>& members) {
    const auto place = [&](int member) { return hierarchy.topology_order[static_cast<std::size_t>(member)]; };
    const auto node_of = [&](int member) {
        const auto& nodes = hierarchy.topology_order_nodes;
        return std::upper_bound(nodes.begin(), nodes.end(), place(member)) - nodes.begin();
    };
    const int local_root = members.front();
    const auto own_node = node_of(local_root);
    if (std::all_of(members.begin(), members.end(),
                    [&](int member) { return node_of(member) == own_node; })) {
        return;  // no edge crosses a NIC
    }
    std::vector<int> turns(hierarchy.topology_order_nodes.size() + 1, 0);  // by node; 0: not yet seen
    int seen = 0;
    for (const int member : members) {
        int& turn = turns[static_cast<std::size_t>(node_of(member))];
        if (turn == 0) turn = ++seen;
    }
    const auto key = [&](int member) {
        const int node = turns[static_cast<std::size_t>(node_of(member))] - 1;
        if (flow == Flow::to_root) return std::tuple(node, member != local_root, -place(member));
        return std::tuple(node, node == 0 && place(member) < place(local_root), place(member));
    };
    std::sort(members.begin(), members.end(), [&](int a, int b) { return key(a) < key(b); });
}

bool among(std::span<const topology::LevelKey> skipped, topology::LevelKey level) {
    return std::find(skipped.begin(), skipped.end(), level) != skipped.end();
}

/// Returns the rank that communicates with other nodes: the root or, if both meet on a level of the plan
/// inside their node, its receiver.
int receiver_for(const Hierarchy& hierarchy, const Plan& plan, int root) {
    const int receiver = plan.nic_local ? hierarchy.receiver_of(root) : root;
    if (receiver == root) return root;
    const int met = used_group(hierarchy, hierarchy.lowest_common_group(root, receiver), plan.skipped);
    return is_network(hierarchy.groups[met]) ? root : receiver;
}

/// The local root of a child of a group, or a rank that stops in the group.
struct GroupMember {
    int rank;
    int child;  ///< -1: the rank stops in the group
};

/// Returns the local roots of all children and the direct ranks by lowest member, rotated so that the
/// group's own local root comes first.
std::vector<GroupMember> local_roots(const Hierarchy& hierarchy, int group, int root) {
    const Group& self = hierarchy.groups.at(group);
    const int root_child = child_with_root(hierarchy, group, root);
    const int local_root = root_child == -1 ? self.leader : root;

    // Both lists are sorted by lowest member; the merge keeps that order.
    std::vector<GroupMember> result;
    result.reserve(self.children.size() + self.direct.size());
    auto direct = self.direct.begin();
    for (const int child : self.children) {
        const Group& below = hierarchy.groups[child];
        for (; direct != self.direct.end() && *direct < below.members.front(); ++direct) {
            result.push_back({*direct, -1});
        }
        result.push_back({child == root_child ? root : below.leader, child});
    }
    for (; direct != self.direct.end(); ++direct) {
        result.push_back({*direct, -1});
    }
    const auto first = std::find_if(result.begin(), result.end(),
                                    [&](const GroupMember& own) { return own.rank == local_root; });
    if (first == result.end()) {
        throw std::invalid_argument("group " + std::to_string(group) + ": its leader " +
                                    std::to_string(local_root) +
                                    " leads none of its children and does not stop in it");
    }
    std::rotate(result.begin(), first, result.end());
    return result;
}

void add_participants(const Hierarchy& hierarchy, int group, int root,
                      std::span<const topology::LevelKey> skipped, std::vector<int>& result) {
    for (const GroupMember& own : local_roots(hierarchy, group, root)) {
        if (own.child >= 0 && among(skipped, hierarchy.groups[own.child].level)) {
            add_participants(hierarchy, own.child, root, skipped, result);
        } else {
            result.push_back(own.rank);
        }
    }
}

/// Adds the edges of one of the two trees of a group.
void add_double_binary(TreeLinks& links, const Hierarchy& hierarchy, const Plan& plan, const GroupPart& part,
                       Half half) {
    const DoubleBinaryGroup of{hierarchy, plan.skipped, part.group, part.members.front()};
    const RankLinks own =
        double_binary_links(of, part.members[static_cast<std::size_t>(part.position)], half);
    if (own.parent >= 0) {
        links.parent = part.edge_to_rank(hierarchy, own.parent);
    }
    for (const int child : own.children) {
        links.children.push_back(part.edge_to_rank(hierarchy, child));
    }
}

}  // namespace

bool follows_topology_order(const LevelMethod& method) {
    return method.algorithm == Algorithm::chain || method.algorithm == Algorithm::pipeline ||
           method.algorithm == Algorithm::ring;
}

std::vector<int> participants(const Hierarchy& hierarchy, int group, int root,
                              std::span<const topology::LevelKey> skipped) {
    check_rank(hierarchy, root, "root");
    std::vector<int> result;
    result.reserve(hierarchy.groups.at(group).children.size() + hierarchy.groups[group].direct.size());
    add_participants(hierarchy, group, root, skipped, result);
    return result;
}

int used_group(const Hierarchy& hierarchy, int group, std::span<const topology::LevelKey> skipped) {
    while (group >= 0 && among(skipped, hierarchy.groups[group].level)) {
        group = hierarchy.groups[group].parent;
    }
    return group;
}

std::vector<int> shape_members(const Hierarchy& hierarchy, const Plan& plan, int group, int root, Flow flow) {
    check_rank(hierarchy, root, "root");
    const int receiver = receiver_for(hierarchy, plan, root);
    const bool between_nodes = is_network(hierarchy.groups.at(group));
    std::vector<int> members = participants(hierarchy, group, between_nodes ? receiver : root, plan.skipped);
    if (follows_topology_order(plan.at(hierarchy.groups[group].level).method) &&
        !hierarchy.topology_order.empty()) {
        order_chain(hierarchy, flow, members);
    }
    if (receiver != root &&
        group == used_group(hierarchy, hierarchy.lowest_common_group(root, receiver), plan.skipped)) {
        // Next to the root in every shape: this edge carries all data from other nodes.
        const auto place = std::find(members.begin(), members.end(), receiver);
        std::rotate(members.begin() + 1, place, place + 1);
    }
    return members;
}

std::vector<GroupPart> group_parts(const Hierarchy& hierarchy, const Plan& plan, int root, int rank,
                                   Flow flow) {
    check_rank(hierarchy, root, "root");
    check_rank(hierarchy, rank, "rank");
    const int receiver = receiver_for(hierarchy, plan, root);
    std::vector<GroupPart> parts;
    const auto used = [&](int group) { return used_group(hierarchy, group, plan.skipped); };
    for (int group = used(hierarchy.stop[rank]); group >= 0;) {
        const bool between_nodes = is_network(hierarchy.groups[group]);
        if (rank == root && receiver != root && between_nodes) {
            break;  // the receiver takes part from here on
        }
        const LevelPlan& level = plan.at(hierarchy.groups[group].level);
        GroupPart part{group, &level, between_nodes ? Window(plan).between_nodes(level.segment_bytes) : 0,
                       shape_members(hierarchy, plan, group, root, flow), 0};
        const auto own = std::find(part.members.begin(), part.members.end(), rank);
        if (own == part.members.end()) {
            throw std::invalid_argument("rank " + std::to_string(rank) + " takes no part in group " +
                                        std::to_string(group) +
                                        " although it is the local root of the one below");
        }
        part.position = static_cast<int>(own - part.members.begin());
        const bool is_local_root = part.position == 0;
        parts.push_back(std::move(part));
        if (is_local_root) {
            group = used(hierarchy.groups[group].parent);
        } else if (rank == receiver && receiver != root && !between_nodes) {
            group = used(hierarchy.groups[hierarchy.widest_in_node(root)].parent);
        } else {
            break;
        }
    }
    return parts;
}

TreeLinks tree_links(const Hierarchy& hierarchy, const Plan& plan, int root, int rank, Flow flow, Half half) {
    TreeLinks links;
    const std::vector<GroupPart> parts = group_parts(hierarchy, plan, root, rank, flow);
    for (const GroupPart& part : backwards(parts)) {
        if (half != Half::whole && part.level->method.algorithm == Algorithm::double_binary) {
            add_double_binary(links, hierarchy, plan, part, half);
            continue;
        }
        const ShapeLinks shape = part.shape(half);
        if (shape.parent >= 0) {
            links.parent = part.edge_to(hierarchy, shape.parent);
        }
        for (const int child : shape.children) {
            links.children.push_back(part.edge_to(hierarchy, child));
        }
    }
    return links;
}

}  // namespace strata::algorithms
