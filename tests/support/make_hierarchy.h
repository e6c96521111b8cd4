#pragma once
#include <map>
#include <numeric>
#include <utility>
#include <vector>

#include "topology/hierarchy.h"

namespace strata::testing {

using strata::topology::Group;
using strata::topology::Hierarchy;
using strata::topology::LevelKey;
using strata::topology::LevelKind;

/// Builds a hierarchy by hand: `top` joins all ranks, then each level splits every group by colour[rank];
/// -1: the rank stops above. The caller must leave out splits that split nothing.
inline Hierarchy make_hierarchy(LevelKey top,
                                const std::vector<std::pair<LevelKey, std::vector<int>>>& levels, int ranks) {
    Hierarchy h;
    Group all;
    all.level = top;
    all.members.resize(static_cast<std::size_t>(ranks));
    std::iota(all.members.begin(), all.members.end(), 0);
    all.leader = 0;
    h.groups.push_back(all);
    h.stop.assign(static_cast<std::size_t>(ranks), 0);
    for (const auto& [key, colour] : levels) {
        std::map<std::pair<int, int>, int> made;  // (parent, colour) -> group
        for (int rank = 0; rank < ranks; ++rank) {
            if (colour[rank] < 0) continue;
            const int parent = h.stop[rank];
            const auto [entry, added] =
                made.try_emplace({parent, colour[rank]}, static_cast<int>(h.groups.size()));
            if (added) {
                Group group;
                group.level = key;
                group.object = static_cast<std::uint64_t>(colour[rank]);
                group.parent = parent;
                group.depth = h.groups[parent].depth + 1;
                group.leader = rank;
                h.groups[parent].children.push_back(entry->second);
                h.groups.push_back(group);
            }
            h.groups[entry->second].members.push_back(rank);
        }
        for (const auto& [from, group] : made) {
            for (const int rank : h.groups[group].members) h.stop[rank] = group;
        }
    }
    for (int rank = 0; rank < ranks; ++rank) h.groups[h.stop[rank]].direct.push_back(rank);
    return h;
}

inline constexpr LevelKey top_switch{LevelKind::switch_, 1};
inline constexpr LevelKey leaf_switch{LevelKind::switch_, 0};
inline constexpr LevelKey node_level{LevelKind::node, 0};
inline constexpr LevelKey numa_level{LevelKind::numa, 0};

/// rank -> rank / block, the colours of consecutive blocks.
inline std::vector<int> blocks(int ranks, int block) {
    std::vector<int> colour(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank) colour[static_cast<std::size_t>(rank)] = rank / block;
    return colour;
}

/// Consecutive ranks: `sites` sites x `nodes` nodes x `per_node` ranks.
inline Hierarchy sites_of_nodes(int sites, int nodes, int per_node) {
    const int ranks = sites * nodes * per_node;
    return make_hierarchy(
        top_switch, {{leaf_switch, blocks(ranks, nodes * per_node)}, {node_level, blocks(ranks, per_node)}},
        ranks);
}

/// The same with ranks assigned to nodes cyclically, which makes the underlying component's paths long.
inline Hierarchy dealt_out(int sites, int nodes, int per_node) {
    const int ranks = sites * nodes * per_node;
    std::vector<int> site(static_cast<std::size_t>(ranks)), node(static_cast<std::size_t>(ranks));
    for (std::size_t rank = 0; rank < node.size(); ++rank) {
        node[rank] = static_cast<int>(rank) % (sites * nodes);
        site[rank] = node[rank] / nodes;
    }
    if (sites == 1) return make_hierarchy(leaf_switch, {{node_level, node}}, ranks);
    return make_hierarchy(top_switch, {{leaf_switch, site}, {node_level, node}}, ranks);
}

/// `groups` groups of `size` consecutive ranks below one leaf switch.
inline Hierarchy nodes_below_switch(int groups, int size) {
    return make_hierarchy(leaf_switch, {{node_level, blocks(groups * size, size)}}, groups * size);
}

/// One node without inner levels.
inline Hierarchy one_node(int ranks) { return make_hierarchy(node_level, {}, ranks); }

}  // namespace strata::testing
