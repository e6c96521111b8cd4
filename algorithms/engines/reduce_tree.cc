#include "algorithms/engines/reduce_tree.h"

#include <cstring>
#include <stdexcept>

#include "algorithms/engines/reduce_pipeline.h"
#include "algorithms/engines/whole_messages.h"

namespace strata::algorithms {
namespace {

Task reduce_whole(Transport& transport, const ReductionLinks& links, ReduceBuffers buffers,
                  Reduction& reduction, Arena& arena) {
    std::byte* const result = buffers.result != nullptr ? buffers.result->data() : nullptr;
    const std::size_t bytes = buffers.own.bytes();
    WholeCombine up(transport, links, buffers.own, result, reduction, arena);
    const int code = co_await up;
    if (code != 0) {
        co_return code;
    }
    if (links.parent.peer >= 0) {
        co_return co_await Sent(transport, up.outcome(), bytes, links.parent.peer);
    }
    if (up.outcome() != result) {
        std::memcpy(result, up.outcome(), bytes);
    }
    co_return buffers.result->consume(bytes);
}

Task reduce_segmented(Transport& transport, const ReductionLinks& links, ReduceBuffers buffers,
                      Reduction& reduction, Arena& arena, Segments segments, int window) {
    StreamTable table(transport, ReducePipeline::streams(links), &arena);
    ReducePipeline pipeline(table, links, buffers, reduction, arena, segments, window, &arena);
    co_return co_await Together(table, std::span(&pipeline, 1));
}

}  // namespace

Task reduce_tree(Transport& transport, const ReductionLinks& links, ReduceBuffers buffers,
                 Reduction& reduction, Arena& arena, int window) {
    const std::size_t bytes = buffers.own.bytes();
    if (bytes == 0) {
        return Task(0);
    }
    if (links.parent.peer >= 0) {
        buffers.result = nullptr;
    } else if (buffers.result == nullptr) {
        throw std::invalid_argument("the root of a reduction has no result");
    }
    const Segments segments = reduction_segments(links, bytes, reduction.element_bytes());
    return segments.count() == 1
               ? reduce_whole(transport, links, buffers, reduction, arena)
               : reduce_segmented(transport, links, buffers, reduction, arena, segments, window);
}

}  // namespace strata::algorithms
