#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "algorithms/base/plan.h"
#include "topology/hierarchy.h"

namespace strata::algorithms {

inline constexpr int no_rank = -1;

/// The complete tree of tree_links(), as the streams that end or begin at one rank see it. A ring becomes
/// the path on which blocks come to that rank, or to the participant that represents it: in the ring 0 > 1
/// > 2 > 3 > 4 > 0 blocks for 2 take the path 3 > 4 > 0 > 1 > 2. Time: O(ranks * depth).
class WholeTree {
public:
    struct Edge {
        int peer = -1;
        int group = -1;
    };

    WholeTree(const topology::Hierarchy& hierarchy, const Plan& plan, int root, int rank);

    int ranks() const { return static_cast<int>(parents_.size()); }
    /// Returns -1 at the root.
    int parent(int rank) const { return parents_[rank]; }
    /// Returns the edges, narrow levels first, within a level by position in its shape.
    std::span<const Edge> edges(int rank) const {
        return std::span(edges_).subspan(first_[rank], first_[rank + 1] - first_[rank]);
    }
    /// Returns the edge between neighbours, as `rank` sees it.
    Edge edge(int rank, int peer) const {
        const int child = parents_[rank] == peer ? rank : peer;
        return {peer, groups_[child]};
    }

private:
    std::vector<int> parents_;
    std::vector<int> groups_;         ///< rank -> the group whose level its edge to the parent crosses
    std::vector<std::size_t> first_;  ///< rank -> its first edge
    std::vector<Edge> edges_;
};

}  // namespace strata::algorithms
