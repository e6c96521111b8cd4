#pragma once
#include <span>

#include "algorithms/base/arena.h"
#include "algorithms/base/operation.h"
#include "algorithms/base/plan.h"
#include "algorithms/engines/block_exchange.h"
#include "algorithms/engines/reduce_tree.h"
#include "algorithms/engines/routes.h"
#include "algorithms/node/boards.h"

namespace strata::algorithms {

/// Everything that one rank needs to run a plan of strata's own engines (tree, ring, rails, node) over any
/// transport. The arena is not reset.
struct Performer {
    Transport& transport;
    Arena& arena;
    const Routing& routing;
    const Plan& plan;
    RouteCache& kept;
    Boards* boards = nullptr;  ///< for the node engine
};

/// Returns the direction of a collective's blocks.
ChunkDirection direction_of(const CollectiveTraits& traits);

/// Computes the edges of a call and has the transport reserve what they need; sends nothing. Afterwards
/// such a call allocates memory for its data only. Throws as below, and std::bad_alloc.
void prepare_call(const Performer& performer, const Operation& operation);

// One collective each, by the engine of the plan. The root is that of the call, or the root of the tree
// for collectives without one. The outcome is 0 or the first error of transport, buffers or reduction. All
// arguments except the performer must outlive the task. Throw std::invalid_argument for plans that a
// component carries out (levels, forward).

Task perform_bcast(const Performer& performer, int root, PackedBuffer& buffer);
Task perform_reduce(const Performer& performer, const Operation& operation, ReduceBuffers buffers,
                    Reduction& reduction);
Task perform_allreduce(const Performer& performer, const Operation& operation, ReduceBuffers buffers,
                       Reduction& reduction);
Task perform_barrier(const Performer& performer, int root);
/// Allgather, Gather, Scatter and their v variants, by `flow`; `blocks` as in exchange_blocks().
Task perform_blocks(const Performer& performer, const Operation& operation, ChunkDirection flow,
                    std::span<Block> blocks);

}  // namespace strata::algorithms
