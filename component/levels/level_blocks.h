#pragma once
#include <span>

#include "algorithms/base/arena.h"
#include "algorithms/base/task.h"
#include "algorithms/engines/block_exchange.h"
#include "algorithms/patterns/block_routes.h"
#include "component/levels/level_call.h"

namespace strata::component {

/// Returns true if the levels' collectives, which count bytes in int, can move these blocks.
bool fits_levels(std::span<const algorithms::Block> blocks);

/// exchange_blocks() by the levels engine: gathers upwards, an allgather across, scatters downwards; with
/// ChunkDirection::all, broadcasts downwards in segments of `segment_bytes` (0: one). Groups with equally
/// long shares, by the hierarchy and `equal` (all blocks have the same length), take the collectives without
/// counts, for which most algorithms exist. All sizes must be known. Takes memory for the blocks that pass
/// through from the arena, unless they already lie in order. Returns Open MPI's error code.
///
///   gather up:  0 1 | 2 3  ->  [0 1] on 0, [2 3] on 2      across:  [0 1 2 3] on 0 and 2
algorithms::Task move_by_levels(LevelCall& call, std::span<algorithms::Block> blocks, bool equal,
                                algorithms::ChunkDirection flow, int root, int rank,
                                std::size_t segment_bytes, algorithms::Arena& arena);

}  // namespace strata::component
