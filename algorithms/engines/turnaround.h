#pragma once
#include <memory_resource>
#include <optional>

#include "algorithms/engines/fan_in.h"
#include "algorithms/engines/fan_out.h"
#include "algorithms/engines/segment_receiver.h"

namespace strata::algorithms {

/// One rank's part in a segmented allreduce over one tree: segments go up and down at the same time, in
/// slots of `table`, which other engines may share (Together). No deadlock: segments on their way up never
/// wait for those on their way down.
class Turnaround {
public:
    /// The rank must have a parent or children, and a result.
    Turnaround(StreamTable& table, const ReductionLinks& links, ReduceBuffers buffers, Reduction& reduction,
               Arena& arena, const Segments& segments, int window, std::pmr::memory_resource* pool);

    /// Returns the number of streams that the constructor adds.
    static std::size_t streams(const ReductionLinks& links) { return 2 * links.children.size() + 2; }

    int start();
    int step();

private:
    int receive();
    std::size_t available() const {
        return from_parent_ ? from_parent_->available() : segments_.prefix(up_.finished());
    }

    StreamTable& table_;
    PackedBuffer& result_;
    Segments segments_;
    bool shared_;  ///< `own` and `result` share their memory
    FanIn up_;
    FanOut down_;
    std::optional<SegmentReceiver> from_parent_;
    std::size_t consumed_ = 0;
};

}  // namespace strata::algorithms
