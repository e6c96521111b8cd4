#pragma once
#include <optional>
#include <vector>

#include "topology/hierarchy.h"

namespace strata::algorithms {

/// Some ranks of a machine, renumbered in their order.
struct ReducedMachine {
    topology::Hierarchy hierarchy;
    int root = 0;  ///< in it
    // Of reduce_by_symmetry(), by its ranks; empty: each rank represents itself.
    std::vector<int> represented;  ///< number of ranks, itself included
    std::vector<int> modelled_by;  ///< rank whose whole group gives the times of the removed one; -1: none
};

/// Returns a small machine with the same levels inside its nodes: of the children of each group between nodes
/// (nodes, switches, ranks) it keeps the one with the root and the largest other one. Without topology order
/// and receivers; leaders stay if they are kept. Cost: O(ranks + groups).
ReducedMachine reduce_to_few_nodes(const topology::Hierarchy& hierarchy, int root);

/// Up to this number of ranks, predictions use the whole machine.
inline constexpr int most_ranks_in_full = 64;

/// Returns the machine with representatives, for predictions of trees (symmetry reduction). A group between
/// nodes keeps whole: the child with its local root, the next one among its largest other children, and
/// children with the largest group of a level. Each other child keeps its leader only, which represents all
/// its ranks and is modelled by the leader of that next child: a model gives that leader their latest time.
///
///   switch: [node 0] [node 1] [node 2] [node 3]  ->  [node 0] [node 1] leader 2, leader 3
///
/// `switches`: groups between nodes are reduced, too; else every node keeps a rank. Empty for up to
/// most_ranks_in_full ranks, or if more than half of the ranks would stay. Cost: O(ranks + groups).
std::optional<ReducedMachine> reduce_by_symmetry(const topology::Hierarchy& hierarchy, int root,
                                                 bool switches);

}  // namespace strata::algorithms
