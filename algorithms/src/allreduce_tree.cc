#include <array>
#include <cstring>
#include <limits>
#include <optional>
#include <stdexcept>

#include "fan_in.h"
#include "fan_out.h"
#include "segment_receiver.h"
#include "strata/algorithms/reduce_tree.h"
#include "whole_messages.h"

namespace strata::algorithms {
namespace {

int allreduce_whole(Transport& transport, const ReductionLinks& links, ReduceBuffers buffers,
                    Reduction& reduction, Arena& arena) {
    std::byte* const result = buffers.result->data();
    std::byte* outcome = nullptr;
    const std::size_t bytes = buffers.own.bytes();
    int code = fold_whole(transport, links, buffers.own, result, reduction, &arena, outcome);
    if (code != 0) {
        return code;
    }
    if (links.parent.peer >= 0) {
        code = transport.send(outcome, bytes, links.parent.peer);
    } else if (outcome != result) {
        std::memcpy(result, outcome, bytes);
    }
    return code != 0 ? code : pass_down_whole(transport, links, *buffers.result);
}

/// Segments on their way up and down at the same time, with one wait for both. What travels up never waits
/// for what travels down, so that there is no circle of waiting.
class Turnaround {
public:
    Turnaround(Transport& transport, const ReductionLinks& links, ReduceBuffers buffers, Reduction& reduction,
               Arena& arena, const Segments& segments, int window, std::pmr::memory_resource* pool)
        : result_(*buffers.result),
          segments_(segments),
          shared_(buffers.own.data() == result_.data()),
          table_(transport, 2 * links.children.size() + 2, pool),
          up_(table_, links, segments, buffers, reduction, arena, window, pool),
          down_(table_, result_.data()) {
        if (links.parent.peer >= 0) {
            from_parent_.emplace(table_, links.parent.peer, segments, window, result_.data());
        }
        for (const TreeLinks::Edge& edge : widest_first(links.children, pool)) {
            down_.add(edge.peer, segments, window);
        }
    }

    int run() {
        int code = table_.open(Transport::Completion::matched);
        if (code == 0) {
            code = up_.start();
        }
        if (code == 0) {
            code = receive();
        }
        while (code == 0 && table_.pending()) {
            code = step();
        }
        return code;
    }

private:
    /// Where own and result share their memory a final segment may be received only when the own one has been
    /// read for the last time; a send that has reached the parent may still be incomplete here.
    int receive() {
        if (!from_parent_) {
            return 0;
        }
        return from_parent_->post(shared_ ? up_.own_released() : std::numeric_limits<std::size_t>::max());
    }

    std::size_t available() const {
        return from_parent_ ? from_parent_->available() : segments_.prefix(up_.finished());
    }

    int step() {
        int code = table_.wait();
        // Final segments first: others wait for them, and passing them on takes no time.
        if (code == 0 && from_parent_) {
            code = receive();
            code = code == 0 ? down_.feed(available()) : code;
        }
        for (const int stream : table_.completed()) {
            code = code == 0 && up_.owns(stream) ? up_.completed(stream) : code;
        }
        if (code == 0) {
            code = up_.look_ahead();
        }
        if (code == 0) {
            code = from_parent_ ? receive() : down_.feed(available());
        }
        if (code == 0 && available() > consumed_) {
            consumed_ = available();
            code = result_.consume(consumed_);
        }
        return code;
    }

    PackedBuffer& result_;
    Segments segments_;
    bool shared_;
    StreamTable table_;
    FanIn up_;
    FanOut down_;
    std::optional<SegmentReceiver> from_parent_;
    std::size_t consumed_ = 0;
};

}  // namespace

int allreduce_tree(Transport& transport, const ReductionLinks& links, ReduceBuffers buffers,
                   Reduction& reduction, Arena& arena, int window) {
    const std::size_t bytes = buffers.own.bytes();
    if (bytes == 0) {
        return 0;
    }
    if (buffers.result == nullptr) {
        throw std::invalid_argument("a rank of an allreduce has no result");
    }
    const Segments segments = reduction_segments(links, bytes, reduction.element_bytes());
    int code = 0;
    if (segments.count() == 1) {
        code = allreduce_whole(transport, links, buffers, reduction, arena);
    } else {
        std::array<std::byte, scratch_bytes> scratch;
        std::pmr::monotonic_buffer_resource pool(scratch.data(), scratch.size(), &arena);
        code = Turnaround(transport, links, buffers, reduction, arena, segments, window, &pool).run();
    }
    if (code != 0) {
        transport.abandon();
    }
    return code;
}

}  // namespace strata::algorithms
