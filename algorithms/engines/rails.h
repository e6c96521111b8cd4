#pragma once
#include <span>

#include "algorithms/base/transport.h"
#include "algorithms/engines/reduce_tree.h"
#include "algorithms/patterns/tree.h"

namespace strata::algorithms {

// Several trees at the same time, each for a share of the data: the two trees of has_double_tree(), or the
// rails engine, with one share and one tree per rail (nic_rails.h), whose leaders are near the rail's NIC.
// At most Transport::most_rails trees.
//
// Cost, for r trees: that of one tree for n / r bytes.

/// Broadcasts share i, one part of the packed vector, over rails[i]. As bcast_tree(), but always over
/// streams. A buffer with gaps is packed up to a share's first bytes before that share's first message
/// leaves, and unpacked as far as all earlier shares are complete.
Task bcast_rails(Transport& transport, std::span<const TreeLinks> rails, PackedBuffer& buffer, Arena& arena,
                 int window);

/// Reduces share i of the elements over rails[i], all rooted at the same rank. As reduce_tree(), but
/// always over streams. The order of combining depends on the place in the vector: for operations that
/// commute.
Task reduce_trees(Transport& transport, std::span<const ReductionLinks> rails, ReduceBuffers buffers,
                  Reduction& reduction, Arena& arena, int window);

/// Reduces share i of the elements over rails[i]; each rail may have its own root. As allreduce_tree(),
/// but always over streams; for operations that commute, as above.
Task allreduce_rails(Transport& transport, std::span<const ReductionLinks> rails, ReduceBuffers buffers,
                     Reduction& reduction, Arena& arena, int window);

}  // namespace strata::algorithms
