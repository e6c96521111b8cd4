#include <cstring>
#include <stdexcept>

#include "algorithms/engines/reduce_tree.h"
#include "algorithms/engines/turnaround.h"
#include "algorithms/engines/whole_messages.h"

namespace strata::algorithms {
namespace {

Task allreduce_whole(Transport& transport, const ReductionLinks& links, ReduceBuffers buffers,
                     Reduction& reduction, Arena& arena) {
    std::byte* const result = buffers.result->data();
    const std::size_t bytes = buffers.own.bytes();
    WholeCombine up(transport, links, buffers.own, result, reduction, arena);
    PassDown down(transport, links, *buffers.result, arena);
    int code = co_await up;
    if (code == 0 && links.parent.peer >= 0) {
        code = co_await Sent(transport, up.outcome(), bytes, links.parent.peer);
    } else if (code == 0 && up.outcome() != result) {
        std::memcpy(result, up.outcome(), bytes);
    }
    if (code == 0) {
        code = co_await down;
    }
    co_return code;
}

Task allreduce_segmented(Transport& transport, const ReductionLinks& links, ReduceBuffers buffers,
                         Reduction& reduction, Arena& arena, Segments segments, int window) {
    StreamTable table(transport, Turnaround::streams(links), &arena);
    Turnaround turnaround(table, links, buffers, reduction, arena, segments, window, &arena);
    co_return co_await Together(table, std::span(&turnaround, 1), Transport::Completion::matched);
}

}  // namespace

Task allreduce_tree(Transport& transport, const ReductionLinks& links, ReduceBuffers buffers,
                    Reduction& reduction, Arena& arena, int window) {
    const std::size_t bytes = buffers.own.bytes();
    if (bytes == 0) {
        return Task(0);
    }
    if (buffers.result == nullptr) {
        throw std::invalid_argument("a rank of an allreduce has no result");
    }
    const Segments segments = reduction_segments(links, bytes, reduction.element_bytes());
    return segments.count() == 1
               ? allreduce_whole(transport, links, buffers, reduction, arena)
               : allreduce_segmented(transport, links, buffers, reduction, arena, segments, window);
}

}  // namespace strata::algorithms
