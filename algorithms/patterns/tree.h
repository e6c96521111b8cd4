#pragma once
#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "algorithms/base/plan.h"
#include "algorithms/patterns/shape.h"
#include "topology/hierarchy.h"

namespace strata::algorithms {

/// Returns the members that communicate on a group's level: one local root per child group and every rank
/// that stops in the group, by lowest member, rotated so that the group's own local root comes first. The
/// local root of a group is `root` if the group contains it, otherwise the leader (seed paper on
/// multilevel collectives, figure 5). The participants of a group of a `skipped` level take its place, its
/// local root first.
std::vector<int> participants(const topology::Hierarchy& hierarchy, int group, int root,
                              std::span<const topology::LevelKey> skipped = {});

/// Returns `group`, or the smallest group around it whose level is not skipped; -1 for -1.
int used_group(const topology::Hierarchy& hierarchy, int group, std::span<const topology::LevelKey> skipped);

/// Returns true for chains and rings: they enter every node next to its NIC (shape_members()).
bool follows_topology_order(const LevelMethod& method);

/// Direction of the data in a tree.
enum class Flow { from_root, to_root };

/// Returns participants() by their position in the level's shape. A chain follows the topology order, in
/// which data enters a node next to its NIC; towards the root each node is reversed. Between nodes the
/// root's receiver takes its place if Plan::nic_local is set; where both meet, the receiver is next to the
/// root.
std::vector<int> shape_members(const topology::Hierarchy& hierarchy, const Plan& plan, int group, int root,
                               Flow flow = Flow::from_root);

/// One rank's place in the tree over the whole communicator.
struct TreeLinks {
    struct Edge {
        int peer = -1;
        int group = -1;                 ///< the group whose level this edge crosses
        std::size_t segment_bytes = 0;  ///< 0 = the whole message in one piece
        int window = 0;                 ///< least number of messages in flight
        /// Returns the messages in flight; `usual`: on edges without a window.
        int in_flight(int usual) const { return std::max(usual, window); }
    };
    Edge parent;                 ///< peer -1 at the root
    std::vector<Edge> children;  ///< widest level first: slow links are fed before fast ones
};

/// Composes the shapes of all levels into one tree rooted at `root` and returns `rank`'s edges. Both ends
/// of an edge get the same segment size. `half`: see has_double_tree().
///
///   nodes {0 1 2} {3 4 5}, leaders 0 and 3, root 1, linear:  1 -> 3 0 2;  3 -> 4 5
///
/// Cost: the sum of the levels' shapes (shape.h) for whole messages; segments make the levels overlap.
/// Time: the sizes of the groups on the rank's branch; with double_binary, their size times their depth.
TreeLinks tree_links(const topology::Hierarchy& hierarchy, const Plan& plan, int root, int rank,
                     Flow flow = Flow::from_root, Half half = Half::whole);

}  // namespace strata::algorithms
