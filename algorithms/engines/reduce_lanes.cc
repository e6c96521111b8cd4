#include <array>
#include <memory_resource>
#include <optional>
#include <stdexcept>

#include "algorithms/engines/lanes.h"
#include "algorithms/engines/reduce_pipeline.h"
#include "algorithms/engines/shares.h"
#include "algorithms/engines/whole_messages.h"

namespace strata::algorithms {
namespace {

int run_reduce_lanes(Transport& transport, std::span<const ReductionLinks> lanes, ReduceBuffers buffers,
                     Reduction& reduction, Arena& arena, int window) {
    std::array<std::byte, scratch_bytes> scratch;
    std::pmr::monotonic_buffer_resource pool(scratch.data(), scratch.size(), &arena);
    const Shares shares(buffers.own.bytes(), reduction.element_bytes(), lanes.size());
    SharedBuffer own(buffers.own, shares, &pool);
    std::optional<SharedBuffer> result;
    if (buffers.result != nullptr) {
        result.emplace(*buffers.result, shares, &pool);
    }
    std::size_t streams = 0;
    for (const ReductionLinks& links : lanes) {
        streams += ReducePipeline::streams(links);
    }
    StreamTable table(transport, streams, &pool);
    std::pmr::vector<ReducePipeline> pipelines(&pool);
    pipelines.reserve(shares.count());
    for (std::size_t lane = 0; lane < shares.count(); ++lane) {
        table.use_lane(static_cast<int>(lane));
        pipelines.emplace_back(
            table, lanes[lane], ReduceBuffers{own.share(lane), result ? &result->share(lane) : nullptr},
            reduction, arena,
            reduction_segments(lanes[lane], shares.size_of(lane), reduction.element_bytes()), window, &pool);
    }
    return run_together(table, std::span(pipelines));
}

}  // namespace

int reduce_lanes(Transport& transport, std::span<const ReductionLinks> lanes, ReduceBuffers buffers,
                 Reduction& reduction, Arena& arena, int window) {
    if (buffers.own.bytes() == 0) {
        return 0;
    }
    const ReductionLinks& first = lanes.front();
    if (first.parent.peer < 0 && first.children.empty()) {
        return reduce_tree(transport, first, buffers, reduction, arena, window);
    }
    if (first.parent.peer >= 0) {
        buffers.result = nullptr;
    } else if (buffers.result == nullptr) {
        throw std::invalid_argument("the root of a reduction has no result");
    }
    const int code = run_reduce_lanes(transport, lanes, buffers, reduction, arena, window);
    if (code != 0) {
        transport.abandon();
    }
    return code;
}

}  // namespace strata::algorithms
