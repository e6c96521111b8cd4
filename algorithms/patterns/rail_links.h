#pragma once
#include "algorithms/base/plan.h"
#include "algorithms/patterns/block_routes.h"
#include "algorithms/patterns/tree.h"
#include "topology/nic_rails.h"
#include "topology/hierarchy.h"

namespace strata::algorithms {

/// `rank`'s edges in the tree of one rail of a broadcast: that of tree_links(), but in the root's own node.
/// There the root feeds a tree of that node as always, and the rail's leader, not the root, stands for the
/// node outside: what leaves the node takes the NIC of the rail, after at most a few hops in memory.
///
///   nodes {0 1 2 3} and {4 5 6 7}, root 0, rail leaders 2 and 6:  0 -> 2 1;  2 -> 6 3;  6 -> 4;  4 -> 5;  6
///   -> 7
TreeLinks rail_links(const topology::Hierarchy& rail, const Plan& plan, int root, int rank);

/// The streams of `rank` for an Allgather: those of block_routes() in every rail's tree, from its own top
/// leader as the root, with the blocks of that rail only (NicRails::of_rank). Each block crosses every edge
/// of its rail's tree once and no other edge.
BlockRoutes rail_block_routes(const topology::NicRails& rails, const Plan& plan, int rank);

}  // namespace strata::algorithms
