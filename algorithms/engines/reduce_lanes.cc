#include <memory_resource>
#include <vector>
#include <optional>
#include <stdexcept>

#include "algorithms/engines/lanes.h"
#include "algorithms/engines/reduce_pipeline.h"
#include "algorithms/engines/shares.h"

namespace strata::algorithms {
namespace {

Task run_reduce_lanes(Transport& transport, std::span<const ReductionLinks> lanes, ReduceBuffers buffers,
                      Reduction& reduction, Arena& arena, int window) {
    const Shares shares(buffers.own.bytes(), reduction.element_bytes(), lanes.size());
    SharedBuffer own(buffers.own, shares, &arena);
    std::optional<SharedBuffer> result;
    if (buffers.result != nullptr) {
        result.emplace(*buffers.result, shares, &arena);
    }
    std::size_t streams = 0;
    for (const ReductionLinks& links : lanes) {
        streams += ReducePipeline::streams(links);
    }
    StreamTable table(transport, streams, &arena);
    std::pmr::vector<ReducePipeline> pipelines(&arena);
    pipelines.reserve(shares.count());
    for (std::size_t lane = 0; lane < shares.count(); ++lane) {
        table.use_lane(static_cast<int>(lane));
        pipelines.emplace_back(
            table, lanes[lane], ReduceBuffers{own.share(lane), result ? &result->share(lane) : nullptr},
            reduction, arena,
            reduction_segments(lanes[lane], shares.size_of(lane), reduction.element_bytes()), window, &arena);
    }
    co_return co_await Together(table, std::span(pipelines));
}

}  // namespace

Task reduce_lanes(Transport& transport, std::span<const ReductionLinks> lanes, ReduceBuffers buffers,
                  Reduction& reduction, Arena& arena, int window) {
    if (buffers.own.bytes() == 0) {
        return Task(0);
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
    return run_reduce_lanes(transport, lanes, buffers, reduction, arena, window);
}

}  // namespace strata::algorithms
