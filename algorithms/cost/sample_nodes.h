#pragma once
#include <optional>
#include <vector>

#include "topology/hierarchy.h"

namespace strata::algorithms {

/// Some ranks of a machine, renumbered in their order.
struct Sample {
    topology::Hierarchy hierarchy;
    int root = 0;  ///< in it
    // Of a machine that was thinned out, by its ranks; empty: each stands for itself.
    std::vector<int> stands_for;  ///< ranks of the machine, itself among them
    std::vector<int> like;  ///< -1, or who has the ranks still that this one had behind it, or such ones
};

/// A small machine with the same levels inside its nodes, for questions about these: of everything that a
/// group between nodes divides (nodes, switches, ranks that stop there) the part that holds the root and the
/// one with the most ranks besides. No walk, no receivers; leaders are the old ones where they are left.
/// Cost: O(ranks + groups).
Sample sample_nodes(const topology::Hierarchy& hierarchy, int root);

/// Of machines up to here no prediction leaves anything out.
inline constexpr int most_ranks_in_full = 64;

/// The machine for questions about trees: of nodes that are alike the one that is served first and the one
/// after it, of the others only the ranks that stand for them. In every group between nodes that is whole, so
/// are the child that holds its local root, of the largest other ones the next one after that, and those with
/// the largest group of any level; of each other child one rank is left, which stands for all that it has and
/// is like that next one (a model passes on to it what comes latest to any of them). `switches`: so it is
/// with groups between nodes, too; else they keep a rank of every node. Small machines (most_ranks_in_full),
/// and those of which this would leave more than half, stay as they are: empty. Cost: O(ranks + groups).
std::optional<Sample> thin_out(const topology::Hierarchy& hierarchy, int root, bool switches);

}  // namespace strata::algorithms
