#pragma once
#include "algorithms/base/arena.h"
#include "algorithms/base/task.h"
#include "algorithms/base/transport.h"
#include "algorithms/patterns/tree.h"

namespace strata::algorithms {

/// Broadcast through a tree over all levels: every segment is passed on as soon as it is complete, each edge
/// with its own segment size and its own window of messages in flight, so that all levels overlap and a slow
/// child never holds up a fast one (the non-blocking pipelined variant of the NUIOA paper, section 4). Every
/// edge carries ceil(bytes / segment) messages, no more. `bytes` 0: returns at once. Outcome: 0 or
/// the first error of the transport or the buffer; then the caller has the transport abandon(). Throws
/// std::bad_alloc before the first message.
Task bcast_tree(Transport& transport, const TreeLinks& links, PackedBuffer& buffer, Arena& arena, int window);

}  // namespace strata::algorithms
