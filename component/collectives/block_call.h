#pragma once
// Common parts of Allgather, Gather and Scatter.
#include "component/collectives/block_array.h"
#include "component/module/call.h"

namespace strata::component {

/// A running call, and the communicator's state to find another plan.
struct BlockCall {
    CommunicatorState& state;
    RunningCall& running;

    int rank() const { return running.rank(); }
    int root() const { return running.operation().root; }
    bool at_root() const { return rank() == root(); }
    algorithms::Arena& arena() const { return running.arena(); }
};

/// Moves blocks by the call's engine; `equal`: all have the same length. Returns Open MPI's error code.
int move_blocks(const BlockCall& call, algorithms::ChunkDirection flow, std::span<algorithms::Block> blocks,
                bool equal);

/// Distributes block sizes, which in Gatherv and Scatterv only the root or the owners know: sizes[i] becomes
/// known on every rank that block i passes through; with the levels engine, on all ranks. On entry a rank
/// knows its own size (to_root), or the root knows all (from_root).
///
/// Cost: a Gather or Scatter of 8 bytes per rank; with the levels engine an Allgather or a Bcast.
int share_sizes(const BlockCall& call, algorithms::ChunkDirection flow, std::span<std::size_t> sizes);

}  // namespace strata::component
