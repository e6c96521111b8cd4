#pragma once
#include "algorithms/base/arena.h"
#include "algorithms/base/task.h"
#include "algorithms/base/transport.h"
#include "component/levels/level_call.h"

namespace strata::component {

/// Broadcasts level by level, in segments of `segment_bytes` (0: the longest that MPI can count). Returns
/// Open MPI's error code.
algorithms::Task bcast_by_levels(LevelCall& call, algorithms::PackedBuffer& buffer, bool is_root,
                                 std::size_t segment_bytes, algorithms::Arena& arena);

}  // namespace strata::component
