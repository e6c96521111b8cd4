#pragma once
// What Allgather, Gather and Scatter have in common.
#include "block_array.h"
#include "call.h"

namespace strata::component {

/// Moves blocks along the routes of a plan. Returns Open MPI's error code.
int move_blocks(CommunicatorState& state, Planned& planned, const algorithms::Operation& operation,
                algorithms::BlockFlow flow, int rank, std::span<algorithms::Block> blocks);

/// Lets the ranks between the root and the others learn the sizes of the blocks that pass through them, which
/// Gatherv and Scatterv tell only the root or only their owners: sizes[i] becomes known wherever block i will
/// pass. The caller knows its own one (to_root) or, as the root, all (from_root).
int share_sizes(CommunicatorState& state, Planned& planned, const algorithms::Operation& operation,
                algorithms::BlockFlow flow, int rank, std::span<std::size_t> sizes);

/// `ranks` sizes of 0.
std::span<std::size_t> empty_sizes(int ranks, algorithms::Arena& arena);

}  // namespace strata::component
