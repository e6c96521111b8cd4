#pragma once
#include "algorithms/base/plan.h"
#include "algorithms/patterns/block_routes.h"
#include "algorithms/patterns/tree.h"
#include "topology/nic_rails.h"
#include "topology/hierarchy.h"

namespace strata::algorithms {

/// Returns `rank`'s edges in the broadcast tree of one rail: those of tree_links(), except in the root's
/// node. There the root feeds a tree of its node, and the rail's leader, not the root, sends to the other
/// nodes: data leaves the node by the rail's NIC after at most a few hops in memory.
///
///   nodes {0 1 2 3} {4 5 6 7}, root 0, rail leaders 2 and 6:  0 -> 2 1;  2 -> 6 3;  6 -> 4 7;  4 -> 5
TreeLinks rail_links(const topology::Hierarchy& rail, const Plan& plan, int root, int rank);

/// Returns the streams of `rank` for an Allgather: per rail those of block_routes() in the rail's tree,
/// rooted at its top leader, with the blocks of that rail only (NicRails::of_rank). Each block crosses
/// every edge of its rail's tree once and no other edge.
BlockRoutes rail_block_routes(const topology::NicRails& rails, const Plan& plan, int rank);

}  // namespace strata::algorithms
