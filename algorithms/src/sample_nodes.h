#pragma once
#include "strata/topology/hierarchy.h"

namespace strata::algorithms {

/// Some ranks of a machine, renumbered in their order.
struct Sample {
    topology::Hierarchy hierarchy;
    int root = 0;  ///< in it
};

/// A small machine with the same levels inside its nodes, for questions about these: of everything that a
/// group between nodes divides (nodes, switches, ranks that stop there) the part that holds the root and the
/// one with the most ranks besides. No walk, no receivers; leaders are the old ones where they are left.
/// Cost: O(ranks + groups).
Sample sample_nodes(const topology::Hierarchy& hierarchy, int root);

}  // namespace strata::algorithms
