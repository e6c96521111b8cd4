#pragma once
#include <memory_resource>

#include "algorithms/engines/fan_in.h"

namespace strata::algorithms {

/// One rank's part in a segmented reduction up one tree, in slots of `table`, which other engines may
/// share (Together).
class ReducePipeline {
public:
    /// The rank must have a parent, or children and a result.
    ReducePipeline(StreamTable& table, const ReductionLinks& links, ReduceBuffers buffers,
                   Reduction& reduction, Arena& arena, const Segments& segments, int window,
                   std::pmr::memory_resource* pool)
        : table_(table),
          fan_in_(table, links, segments, buffers, reduction, arena, window, pool),
          segments_(segments),
          result_(links.parent.peer < 0 ? buffers.result : nullptr) {}

    /// Returns the number of streams that the constructor adds.
    static std::size_t streams(const ReductionLinks& links) { return links.children.size() + 1; }

    int start() { return fan_in_.start(); }

    int step() {
        int code = 0;
        for (const int stream : table_.completed()) {
            code = code == 0 && fan_in_.owns(stream) ? fan_in_.completed(stream) : code;
        }
        if (code == 0) {
            code = fan_in_.look_ahead();
        }
        if (code == 0 && result_ != nullptr && fan_in_.finished() > consumed_) {
            consumed_ = fan_in_.finished();
            code = result_->consume(segments_.prefix(consumed_));
        }
        return code;
    }

private:
    StreamTable& table_;
    FanIn fan_in_;
    Segments segments_;
    PackedBuffer* result_;
    std::size_t consumed_ = 0;
};

}  // namespace strata::algorithms
