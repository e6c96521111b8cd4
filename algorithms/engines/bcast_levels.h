#pragma once
#include <cstddef>

#include "algorithms/base/transport.h"

namespace strata::algorithms {

/// Whole-level delegation: the groups in which this rank takes part, topmost first, each with a broadcast
/// done by somebody else (a coll component, a named algorithm, a test).
class LevelGroups {
public:
    virtual ~LevelGroups() = default;
    /// Levels of the whole hierarchy (equal on every rank).
    virtual int levels() const = 0;
    /// True when this rank takes part in a group of this level.
    virtual bool member(int level) const = 0;
    /// Starts the broadcast of `bytes` bytes from the participant that stands for the group; may complete it
    /// (a blocking algorithm). At most one unfinished broadcast per level.
    virtual int start(int level, std::byte* data, std::size_t bytes) = 0;
    /// Finishes what start() began on this level.
    virtual int finish(int level) = 0;
    /// Gives up every unfinished broadcast after an error.
    virtual void abandon() noexcept = 0;
};

/// Broadcast level by level: run_levels() with segments of `segment_bytes` bytes, 0: one segment.
int bcast_levels(LevelGroups& groups, PackedBuffer& buffer, bool is_root, std::size_t segment_bytes);

}  // namespace strata::algorithms
