#pragma once
#include "algorithms/base/arena.h"
#include "algorithms/base/transport.h"
#include "component/levels/level_communicators.h"

namespace strata::component {

/// Broadcast level by level, in segments of `segment_bytes` bytes (0: as long as MPI counts). Returns Open
/// MPI's error code.
int bcast_by_levels(LevelCommunicators& communicators, algorithms::PackedBuffer& buffer, bool is_root,
                    std::size_t segment_bytes, algorithms::Arena& arena);

}  // namespace strata::component
