#pragma once
#include <span>

#include "strata/algorithms/block_exchange.h"
#include "strata/algorithms/reduce_tree.h"
#include "strata/algorithms/transport.h"
#include "strata/algorithms/tree.h"
#include "strata/topology/card_lanes.h"

namespace strata::algorithms {

// Several trees at the same time, each for a share of the data: those of two halves (carries_halves()), and
// the lanes engine: the data in as many shares as there are lanes (card_lanes.h), each with a tree of its own
// whose leaders are near another network card, all trees at the same time. At most Transport::most_lanes.

/// `rank`'s edges in the tree of one lane of a broadcast: that of tree_links(), but in the root's own node.
/// There the root feeds a tree of that node as always, and the lane's leader, not the root, stands for the
/// node outside: what leaves the node takes the card of the lane, after at most a few hops in memory.
///
///   nodes {0 1 2 3} and {4 5 6 7}, root 0, lane leaders 2 and 6:  0 -> 2 1;  2 -> 6 3;  6 -> 4;  4 -> 5;  6
///   -> 7
TreeLinks lane_links(const topology::Hierarchy& lane, const Plan& plan, int root, int rank);

/// Share i of the bytes over lanes[i], one part of the packed vector each. Else as bcast_tree(), over streams
/// in any case; a buffer with gaps is packed up to a share's first bytes before that share's first message
/// leaves, and unpacked as far as no earlier share lacks anything.
int bcast_lanes(Transport& transport, std::span<const TreeLinks> lanes, PackedBuffer& buffer, Arena& arena,
                int window);

/// Share i of the elements over lanes[i], all rooted at the same rank. Else as reduce_tree(), over streams in
/// any case. The order of folding depends on the place in the vector: for operators that commute.
int reduce_lanes(Transport& transport, std::span<const ReductionLinks> lanes, ReduceBuffers buffers,
                 Reduction& reduction, Arena& arena, int window);

/// Share i of the elements over lanes[i]; each lane may have a root of its own. Else as allreduce_tree(),
/// over streams in any case. The order of folding depends on the place in the vector: for operators that
/// commute.
int allreduce_lanes(Transport& transport, std::span<const ReductionLinks> lanes, ReduceBuffers buffers,
                    Reduction& reduction, Arena& arena, int window);

/// The streams of `rank` for an Allgather: those of block_routes() in every lane's tree, from its own top
/// leader as the root, with the blocks of that lane only (CardLanes::of_rank). Each block crosses every edge
/// of its lane's tree once and no other edge.
BlockRoutes lane_block_routes(const topology::CardLanes& lanes, const Plan& plan, int rank);

}  // namespace strata::algorithms
