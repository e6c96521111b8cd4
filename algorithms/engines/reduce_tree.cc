#include "algorithms/engines/reduce_tree.h"

#include <array>
#include <cstring>
#include <stdexcept>

#include "algorithms/engines/reduce_pipeline.h"
#include "algorithms/engines/whole_messages.h"

namespace strata::algorithms {
namespace {

int reduce_whole(Transport& transport, const ReductionLinks& links, ReduceBuffers buffers,
                 Reduction& reduction, Arena& arena) {
    std::byte* const result = buffers.result != nullptr ? buffers.result->data() : nullptr;
    std::byte* outcome = nullptr;
    const std::size_t bytes = buffers.own.bytes();
    const int code = fold_whole(transport, links, buffers.own, result, reduction, arena, outcome);
    if (code != 0) {
        return code;
    }
    if (links.parent.peer >= 0) {
        return transport.send(outcome, bytes, links.parent.peer);
    }
    if (outcome != result) {
        std::memcpy(result, outcome, bytes);
    }
    return buffers.result->consume(bytes);
}

int reduce_segmented(Transport& transport, const ReductionLinks& links, ReduceBuffers buffers,
                     Reduction& reduction, Arena& arena, const Segments& segments, int window) {
    std::array<std::byte, scratch_bytes> scratch;
    std::pmr::monotonic_buffer_resource pool(scratch.data(), scratch.size(), &arena);
    StreamTable table(transport, ReducePipeline::streams(links), &pool);
    ReducePipeline pipeline(table, links, buffers, reduction, arena, segments, window, &pool);
    return run_together(table, std::span(&pipeline, 1));
}

}  // namespace

int reduce_tree(Transport& transport, const ReductionLinks& links, ReduceBuffers buffers,
                Reduction& reduction, Arena& arena, int window) {
    const std::size_t bytes = buffers.own.bytes();
    if (bytes == 0) {
        return 0;
    }
    if (links.parent.peer >= 0) {
        buffers.result = nullptr;
    } else if (buffers.result == nullptr) {
        throw std::invalid_argument("the root of a reduction has no result");
    }
    const Segments segments = reduction_segments(links, bytes, reduction.element_bytes());
    const int code = segments.count() == 1
                         ? reduce_whole(transport, links, buffers, reduction, arena)
                         : reduce_segmented(transport, links, buffers, reduction, arena, segments, window);
    if (code != 0) {
        transport.abandon();
    }
    return code;
}

}  // namespace strata::algorithms
