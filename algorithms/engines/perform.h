#pragma once
#include <span>

#include "algorithms/base/arena.h"
#include "algorithms/base/operation.h"
#include "algorithms/base/plan.h"
#include "algorithms/engines/block_exchange.h"
#include "algorithms/engines/reduce_tree.h"
#include "algorithms/engines/routes.h"

namespace strata::algorithms {

/// Everything that one rank needs to carry out a plan of its own engines (tree, ring, rails) over any
/// transport. The arena is not reset.
struct Performer {
    Transport& transport;
    Arena& arena;
    const Routing& routing;
    const Plan& plan;
    PlanRoutes& kept;
};

/// Makes the edges of a call, and has the transport reserve what they need, but sends nothing: afterwards
/// such a call needs no memory but for its data. Throws as below, and std::bad_alloc.
void prepare_call(const Performer& performer, const Operation& operation);

// One collective each, by the engine that the plan names: roots are those of the call, for collectives
// without one the root of the tree. The outcome is 0 or the first error of what they use. What they are given
// outlives the task, but for the performer. Throw std::invalid_argument for plans that go to a component
// (levels, forward).

Task perform_bcast(const Performer& performer, int root, PackedBuffer& buffer);
Task perform_reduce(const Performer& performer, const Operation& operation, ReduceBuffers buffers,
                    Reduction& reduction);
Task perform_allreduce(const Performer& performer, const Operation& operation, ReduceBuffers buffers,
                       Reduction& reduction);
Task perform_barrier(const Performer& performer, int root);
/// Allgather, Gather, Scatter, and the variants with sizes of their own, by `flow`; `blocks` as
/// exchange_blocks() takes them.
Task perform_blocks(const Performer& performer, const Operation& operation, BlockFlow flow,
                    std::span<Block> blocks);

}  // namespace strata::algorithms
