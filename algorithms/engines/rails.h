#pragma once
#include <span>

#include "algorithms/base/transport.h"
#include "algorithms/engines/reduce_tree.h"
#include "algorithms/patterns/tree.h"

namespace strata::algorithms {

// Several trees at the same time, each for a share of the data: those of two halves (carries_halves()), and
// the rails engine: the data in as many shares as there are rails (nic_rails.h), each with a tree of its own
// whose leaders are near another NIC, all trees at the same time. At most Transport::most_rails.

/// Share i of the bytes over rails[i], one part of the packed vector each. Else as bcast_tree(), over streams
/// in any case; a buffer with gaps is packed up to a share's first bytes before that share's first message
/// leaves, and unpacked as far as no earlier share lacks anything.
Task bcast_rails(Transport& transport, std::span<const TreeLinks> rails, PackedBuffer& buffer, Arena& arena,
                 int window);

/// Share i of the elements over rails[i], all rooted at the same rank. Else as reduce_tree(), over streams in
/// any case. The order of combining depends on the place in the vector: for operators that commute.
Task reduce_rails(Transport& transport, std::span<const ReductionLinks> rails, ReduceBuffers buffers,
                  Reduction& reduction, Arena& arena, int window);

/// Share i of the elements over rails[i]; each rail may have a root of its own. Else as allreduce_tree(),
/// over streams in any case. The order of combining depends on the place in the vector: for operators that
/// commute.
Task allreduce_rails(Transport& transport, std::span<const ReductionLinks> rails, ReduceBuffers buffers,
                     Reduction& reduction, Arena& arena, int window);

}  // namespace strata::algorithms
