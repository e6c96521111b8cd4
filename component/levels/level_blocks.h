#pragma once
#include <span>

#include "algorithms/base/arena.h"
#include "algorithms/base/task.h"
#include "algorithms/engines/block_exchange.h"
#include "algorithms/patterns/block_routes.h"
#include "component/levels/level_call.h"

namespace strata::component {

/// True when delegated collectives, which count bytes in int, can move these blocks.
bool fits_levels(std::span<const algorithms::Block> blocks);

/// exchange_blocks() by the levels engine: up by gathers, across by an allgather, down by scatters or, of
/// ChunkDirection::all, by broadcasts in segments of `segment_bytes` (0: one). A group whose shares are
/// equally long, as the hierarchy and `equal` (all blocks are) tell, takes the variant without counts, which
/// alone knows most algorithms. All sizes are known. Memory, from the arena: the blocks that pass through,
/// unless they lie in this order anyway. Outcome: Open MPI's error code.
algorithms::Task move_by_levels(LevelCall& call, std::span<algorithms::Block> blocks, bool equal,
                                algorithms::ChunkDirection flow, int root, int rank,
                                std::size_t segment_bytes, algorithms::Arena& arena);

}  // namespace strata::component
