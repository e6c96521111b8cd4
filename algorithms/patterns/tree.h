#pragma once
#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "algorithms/base/plan.h"
#include "algorithms/patterns/shape.h"
#include "topology/hierarchy.h"

namespace strata::algorithms {

/// The members of a group that talk to each other on its level: one local root per child group and every rank
/// that stops here, by lowest member, rotated so that the group's own local root comes first. A group that
/// holds `root` is stood for by `root`, any other by its leader (seed paper on multilevel collectives, figure
/// 5). In place of a group of a `skipped` level stand its own participants, its local root first.
std::vector<int> participants(const topology::Hierarchy& hierarchy, int group, int root,
                              std::span<const topology::LevelKey> skipped = {});

/// `group`, or the smallest one around it whose level is not skipped; -1 for -1.
int used_group(const topology::Hierarchy& hierarchy, int group, std::span<const topology::LevelKey> skipped);

/// Which way data goes along a tree.
enum class Flow { from_root, to_root };

/// participants() by their position in the shape of their level: a chain visits them in the order of the
/// hierarchy's walk, in which data enters a node next to its NIC; towards the root nodes are passed the
/// other way round. Between nodes the root's receiver stands for it where the plan says so (Plan::nic_local),
/// and is next to it where both meet.
std::vector<int> shape_members(const topology::Hierarchy& hierarchy, const Plan& plan, int group, int root,
                               Flow flow = Flow::from_root);

/// One rank's place in the tree over the whole communicator.
struct TreeLinks {
    struct Edge {
        int peer = -1;
        int group = -1;                 ///< the group whose level this edge crosses
        std::size_t segment_bytes = 0;  ///< 0 = the whole message in one piece
        int window = 0;                 ///< messages in flight, where more than on other edges
        /// Messages in flight, where `usual` are on other edges.
        int in_flight(int usual) const { return std::max(usual, window); }
    };
    Edge parent;                 ///< peer -1 at the root
    std::vector<Edge> children;  ///< widest level first: slow links are fed before fast ones
};

/// Composes the shapes of all levels into one tree rooted at `root` and returns `rank`'s edges. Both ends of
/// an edge get the same segment size. `half`: of carries_halves(). Cost: the sizes of the groups on the
/// rank's branch, of those with double_binary times their depth.
TreeLinks tree_links(const topology::Hierarchy& hierarchy, const Plan& plan, int root, int rank,
                     Flow flow = Flow::from_root, Half half = Half::whole);

}  // namespace strata::algorithms
