#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "algorithms/base/plan.h"
#include "topology/hierarchy.h"

namespace strata::algorithms {

/// Direction of the blocks. A block is one rank's chunk of the data.
enum class ChunkDirection : std::uint8_t {
    all,        ///< every rank's block to every rank (Allgather)
    to_root,    ///< Gather
    from_root,  ///< Scatter
};

/// The blocks of ranks first..first+count-1.
struct BlockRun {
    int first = 0;
    int count = 0;
    bool operator==(const BlockRun&) const = default;
};

/// What one edge carries in one direction: these blocks in this order, known at both ends. Each piece (one
/// if there are no cuts) is divided into messages of `segment_bytes` (0: one message) regardless of block
/// boundaries: short blocks share a message, long ones take several.
struct BlockStream {
    int peer = -1;
    std::vector<BlockRun> runs;  ///< one run is one step of work
    std::size_t segment_bytes = 0;
    std::vector<std::size_t> cuts = {};  ///< runs that begin another piece; ascending, without 0
    int rail = 0;                        ///< of the transport; a peer has one stream per rail and direction
    int window = 0;                      ///< least number of messages in flight
};

/// One rank's streams: the edge towards the root first, then the children, widest level first. For
/// ChunkDirection::all both lists have the same peers, except on a ring level, where `in` has the predecessor
/// and `out` the successor. The peers of recursive doubling take the place of their level, too.
struct BlockRoutes {
    std::vector<BlockStream> in;
    std::vector<BlockStream> out;
    bool in_ring = false;
    bool doubles = false;  ///< takes part in recursive doubling
    int rails = 1;         ///< > 1: one tree per rail, each with some of the blocks (rail_block_routes())
};

/// Computes the streams of `rank`. Every block reaches each rank once; in a tree it crosses each edge on
/// its way once and no other. ChunkDirection::all may use rings (makes_ring()) and, on the topmost level,
/// recursive doubling (exchanges_on_top()). docs/design/block-routes.md describes the order of the blocks.
/// Throws std::invalid_argument for a rank or root out of range, and for a ring with another flow.
///
///   tree   a - b - c      ring   a > b > c > a      recursive doubling   a <> c, b <> d;  a <> b, c <> d
///
/// Cost, for k participants of a level and n bytes of all blocks: ring (k-1) alpha + ((k-1)/k) n beta;
/// recursive doubling (log2 k) alpha + ((k-1)/k) n beta.
/// Time: O(ranks * (depth + log(ranks) + neighbours)), memory: O(ranks * neighbours). Keep the result.
BlockRoutes block_routes(const topology::Hierarchy& hierarchy, const Plan& plan, int root, int rank,
                         ChunkDirection flow);

}  // namespace strata::algorithms
