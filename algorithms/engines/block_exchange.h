#pragma once
#include <cstddef>
#include <span>

#include "algorithms/base/arena.h"
#include "algorithms/base/task.h"
#include "algorithms/base/transport.h"
#include "algorithms/patterns/block_routes.h"

namespace strata::algorithms {

/// The memory of a block. Blocks that only pass through a rank have none: they get it from the arena, in
/// the order of the stream that brings them (from_root) or takes them on (to_root).
struct Block {
    std::byte* data = nullptr;
    std::size_t bytes = 0;  ///< known for every block of the rank's streams
};

/// Moves blocks along their streams, on all edges at the same time. Receives are posted `window` messages
/// ahead (BlockStream::window, if that is more), straight into place if the message is contiguous there;
/// every message is sent as soon as its last byte has arrived. `blocks`, by rank: at the start this rank's
/// own block is filled, or all blocks at the root of `from_root`; the call sets `data` of blocks without
/// memory, for its own time only. Every edge carries ceil(bytes / segment) messages per piece, none for a
/// piece of 0 bytes.
/// Memory: the blocks without any, and `window` segments per stream whose messages are not contiguous;
/// from the arena, which is not reset.
/// Outcome: 0 or the first error of the transport; messages under way may then still write to the arena.
/// Cost: that of block_routes().
Task exchange_blocks(Transport& transport, const BlockRoutes& routes, std::span<Block> blocks,
                     ChunkDirection flow, int root, int rank, Arena& arena, int window);

}  // namespace strata::algorithms
