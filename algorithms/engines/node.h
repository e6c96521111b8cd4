#pragma once
#include <cstddef>
#include <span>

#include "algorithms/base/arena.h"
#include "algorithms/base/task.h"
#include "algorithms/base/transport.h"
#include "algorithms/engines/block_exchange.h"
#include "algorithms/engines/reduce_tree.h"
#include "algorithms/node/boards.h"

namespace strata::algorithms {

// Collectives among ranks that share a node, through their boards instead of messages. Vectors are cut into
// steps of Board::most_bytes, of whole elements for reductions, which must not be larger. With 0 bytes
// nothing happens. Outcome: 0 or the first error of buffers or reduction; the steps are completed all the
// same, because other ranks wait for them. If the ranks disagree about the size, nothing is written beyond a
// buffer, and all of them are at the same step afterwards, unless some have 0 bytes. Boards::too_long() then
// is the outcome of a Bcast where the root has more bytes, and of a reduction where the result is due, and on
// other ranks that take part in more than one step. k: ranks.

/// Every rank publishes and waits for all others. No rank leaves before all ranks have entered.
/// Cost: alpha, the transfer of a cache line, k - 1 of them at the same time.
Task node_barrier(Boards& boards, Arena& arena);

/// The root publishes, all others read. Cost: alpha + n beta, twice copied.
Task node_bcast(Boards& boards, int root, PackedBuffer& buffer, Arena& arena);

/// Every rank publishes. The root combines from the last rank to rank 0: x0 op (x1 op (... xk-1)). Long
/// vectors are combined by slices, a slice by each rank in that same order; then the root reads all slices.
/// Cost on the root: alpha + (k - 1) n (beta + gamma), by slices 2 alpha per step + n (2 beta + gamma).
Task node_reduce(Boards& boards, int root, ReduceBuffers buffers, Reduction& reduction, Arena& arena);

/// As node_reduce(), with every rank as the root: equal bits on all ranks.
Task node_allreduce(Boards& boards, ReduceBuffers buffers, Reduction& reduction, Arena& arena);

// Blocks, by rank; every rank knows all sizes. If the ranks disagree about them, too_long() is the outcome of
// an Allgather, of a Gather on the root and on ranks with more than one step, and of a Scatter where the root
// has more bytes. n: bytes of a block.

/// Every rank publishes its block and reads all others. Cost: alpha + k n beta.
Task node_allgather(Boards& boards, std::span<const Block> blocks, Arena& arena);

/// Every rank publishes its block, and the root reads them. Cost on the root: alpha + (k - 1) n beta.
Task node_gather(Boards& boards, int root, std::span<const Block> blocks, Arena& arena);

/// Of equal blocks: the root publishes pieces of them, and each rank reads its own. Cost on the root: alpha +
/// (k - 1) n beta.
Task node_scatter(Boards& boards, int root, std::span<const Block> blocks, Arena& arena);

}  // namespace strata::algorithms
