#include <array>
#include <cstring>
#include <memory_resource>
#include <stdexcept>

#include "algorithms/engines/reduce_tree.h"
#include "algorithms/engines/turnaround.h"
#include "algorithms/engines/whole_messages.h"

namespace strata::algorithms {
namespace {

int allreduce_whole(Transport& transport, const ReductionLinks& links, ReduceBuffers buffers,
                    Reduction& reduction, Arena& arena) {
    std::array<std::byte, scratch_bytes> scratch;
    std::pmr::monotonic_buffer_resource pool(scratch.data(), scratch.size(), &arena);
    PassDown down(links, &pool);
    std::byte* const result = buffers.result->data();
    std::byte* outcome = nullptr;
    const std::size_t bytes = buffers.own.bytes();
    int code = fold_whole(transport, links, buffers.own, result, reduction, arena, outcome);
    if (code != 0) {
        return code;
    }
    if (links.parent.peer >= 0) {
        code = transport.send(outcome, bytes, links.parent.peer);
    } else if (outcome != result) {
        std::memcpy(result, outcome, bytes);
    }
    return code != 0 ? code : down.run(transport, *buffers.result);
}

int allreduce_segmented(Transport& transport, const ReductionLinks& links, ReduceBuffers buffers,
                        Reduction& reduction, Arena& arena, const Segments& segments, int window) {
    std::array<std::byte, scratch_bytes> scratch;
    std::pmr::monotonic_buffer_resource pool(scratch.data(), scratch.size(), &arena);
    StreamTable table(transport, Turnaround::streams(links), &pool);
    Turnaround turnaround(table, links, buffers, reduction, arena, segments, window, &pool);
    return run_together(table, std::span(&turnaround, 1), Transport::Completion::matched);
}

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
    const int code = segments.count() == 1
                         ? allreduce_whole(transport, links, buffers, reduction, arena)
                         : allreduce_segmented(transport, links, buffers, reduction, arena, segments, window);
    if (code != 0) {
        transport.abandon();
    }
    return code;
}

}  // namespace strata::algorithms
