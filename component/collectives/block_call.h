#pragma once
// What Allgather, Gather and Scatter have in common.
#include "component/collectives/block_array.h"
#include "component/module/call.h"

namespace strata::component {

/// A call that an engine serves, and the communicator's state, for another plan.
struct BlockCall {
    CommunicatorState& state;
    RunningCall& running;

    int rank() const { return running.rank(); }
    int root() const { return running.operation().root; }
    bool at_root() const { return rank() == root(); }
    algorithms::Arena& arena() const { return running.arena(); }
};

/// Moves blocks by the call's engine; `equal`: all are equally long. Returns Open MPI's error code.
int move_blocks(const BlockCall& call, algorithms::BlockFlow flow, std::span<algorithms::Block> blocks,
                bool equal);

/// Lets the ranks between the root and the others, with levels all ranks, learn the sizes of the blocks that
/// pass through them, which Gatherv and Scatterv tell only the root or only their owners: sizes[i] becomes
/// known wherever block i will pass. The caller knows its own one (to_root) or, as the root, all (from_root).
int share_sizes(const BlockCall& call, algorithms::BlockFlow flow, std::span<std::size_t> sizes);

}  // namespace strata::component
