#pragma once
#include "algorithms/base/arena.h"
#include "algorithms/base/task.h"
#include "algorithms/base/transport.h"
#include "algorithms/patterns/tree.h"

namespace strata::algorithms {

/// Broadcasts through a tree over all levels. A rank sends each segment on as soon as it is complete; each
/// edge has its own segment size and window, so that all levels overlap and a slow child never delays a
/// fast one (the non-blocking pipelined variant of the NUIOA paper, section 4). Every edge carries
/// ceil(bytes / segment) messages; 0 bytes: none.
///
///   root    s0 s1 s2
///   child      s0 s1 s2
///   leaf          s0 s1 s2
///
/// Outcome: 0 or the first error of the transport or the buffer; the caller then has the transport
/// abandon(). Throws std::bad_alloc before the first message.
/// Cost: c (d - 1 + m)(alpha + s beta) for m segments of s bytes, depth d and at most c children per rank.
Task bcast_tree(Transport& transport, const TreeLinks& links, PackedBuffer& buffer, Arena& arena, int window);

}  // namespace strata::algorithms
