#pragma once
#include <memory_resource>
#include <optional>

#include "algorithms/engines/fan_in.h"
#include "algorithms/engines/fan_out.h"
#include "algorithms/engines/segment_receiver.h"

namespace strata::algorithms {

/// One rank's part in a segmented allreduce over one tree: segments on their way up and down at the same
/// time, with slots of `table`, which others may share (run_together()). What travels up never waits for what
/// travels down, so that there is no circle of waiting.
class Turnaround {
public:
    /// The rank has a parent or children; buffers.result is not null.
    Turnaround(StreamTable& table, const ReductionLinks& links, ReduceBuffers buffers, Reduction& reduction,
               Arena& arena, const Segments& segments, int window, std::pmr::memory_resource* pool);

    /// Streams that the constructor adds.
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
    bool shared_;  ///< own and result share their memory
    FanIn up_;
    FanOut down_;
    std::optional<SegmentReceiver> from_parent_;
    std::size_t consumed_ = 0;
};

}  // namespace strata::algorithms
