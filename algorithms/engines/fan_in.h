#pragma once
#include <memory_resource>
#include <vector>

#include "algorithms/base/arena.h"
#include "algorithms/engines/reduction_parts.h"
#include "algorithms/engines/stream_table.h"

namespace strata::algorithms {

/// The upward half of a rank's reduction. It receives a stream of segments from every child, combines them
/// and this rank's contribution in the order of the links, and sends a stream to the parent or fills the
/// result.
///
/// Every operand has a ring of slots, as many as its edge's window (the last operand twice as many,
/// because it also sends from them); segment s is in slot s modulo the ring. A segment is combined from
/// one operand's slot into the next operand's, without a copy. An operand that lies in place has a "slot"
/// for every segment. Each operand takes its segments in order: one counter per operand is enough, and the
/// order of combining does not depend on the order of arrival.
class FanIn {
public:
    /// Adds its streams to `table`. The rank must have a parent or children; the root must have a result.
    /// The result of other ranks is not written, except where it shares the memory of `own`.
    FanIn(StreamTable& table, const ReductionLinks& links, const Segments& segments, ReduceBuffers buffers,
          Reduction& reduction, Arena& arena, int window, std::pmr::memory_resource* pool);

    /// Posts the first receives, and the first sends if there are no children.
    int start();
    bool owns(int stream) const { return stream >= first_stream_ && stream < last_stream_; }
    /// Handles a completed message of this stream: combines, sends and posts what it allows.
    int completed(int stream);
    /// Produces the next segment of `own`. Call it before waiting, so that no arriving segment waits for it.
    int look_ahead();

    /// Returns, on the root, the number of segments, from the first, whose result is complete.
    std::size_t finished() const { return operands_.back().combined; }
    /// Returns the number of segments, from the first, of `own` that were read for the last time.
    std::size_t own_released() const;

private:
    struct Operand {
        int stream = -1;  ///< -1: this rank's contribution
        std::byte* memory = nullptr;
        std::size_t slots = 0;
        std::size_t stride = 0;    ///< bytes between slots
        std::size_t arrived = 0;   ///< segments that have arrived, without a gap
        std::size_t combined = 0;  ///< segments into which all earlier operands are combined
    };
    bool is_root() const { return parent_stream_ < 0; }
    std::byte* address(const Operand& operand, std::size_t segment) const {
        return operand.memory + segment % operand.slots * operand.stride;
    }
    std::size_t slots_of(const ReductionLinks& links, std::size_t index, int window) const;
    void place(std::size_t index, std::byte* result, Arena& arena, std::size_t slots);
    std::size_t released(std::size_t index) const;
    bool combinable(std::size_t index) const;
    int combine(std::size_t index);
    int advance(std::size_t index);
    int post(std::size_t index);
    int pass_on();
    int produce(std::size_t segment);

    StreamTable& table_;
    Segments segments_;
    ReduceBuffers buffers_;
    Reduction& reduction_;
    OperandOrder order_;
    bool shared_;  ///< `own` and `result` share their memory
    std::pmr::vector<Operand> operands_;
    int parent_stream_ = -1;
    int first_stream_ = 0;
    int first_child_ = 0;
    int last_stream_ = 0;
    std::size_t produced_ = 0;  ///< segments of `own` that are produced
};

}  // namespace strata::algorithms
