#pragma once
#include <cstddef>
#include <span>

#include "algorithms/base/arena.h"
#include "algorithms/base/task.h"
#include "algorithms/base/transport.h"
#include "algorithms/patterns/block_routes.h"

namespace strata::algorithms {

/// Where a block lies. Blocks that pass through a rank which does not keep them have no memory: they get some
/// from the arena, in the order of the stream that brings them (from_root) or takes them on (to_root).
struct Block {
    std::byte* data = nullptr;
    std::size_t bytes = 0;  ///< known for every block of the rank's streams
};

/// Moves blocks along their streams: receives are posted `window` messages ahead
/// (BlockStream::window, if that is more), straight into place where a
/// message lies in one piece there, and every message is sent as soon as its last byte is here; all edges
/// work at the same time. `blocks`, by rank: what lies here at the start is this rank's own block, or all of
/// them at the root of `from_root`; `data` of blocks without memory is set, for this call only. Every edge
/// carries ceil(bytes / segment) messages per piece, none where a piece has 0 bytes. Memory: the
/// blocks without any, and where messages are no single piece, window segments per stream; from the arena,
/// which is not reset. Outcome: 0 or the first error of the transport; messages under way may still write to
/// the arena then.
Task exchange_blocks(Transport& transport, const BlockRoutes& routes, std::span<Block> blocks, BlockFlow flow,
                     int root, int rank, Arena& arena, int window);

}  // namespace strata::algorithms
