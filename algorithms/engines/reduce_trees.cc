#include <memory_resource>
#include <vector>
#include <optional>
#include <stdexcept>

#include "algorithms/engines/rails.h"
#include "algorithms/engines/reduce_pipeline.h"
#include "algorithms/engines/shares.h"

namespace strata::algorithms {
namespace {

Task run_reduce_trees(Transport& transport, std::span<const ReductionLinks> rails, ReduceBuffers buffers,
                      Reduction& reduction, Arena& arena, int window) {
    const Shares shares(buffers.own.bytes(), reduction.element_bytes(), rails.size());
    SharedBuffer own(buffers.own, shares, &arena);
    std::optional<SharedBuffer> result;
    if (buffers.result != nullptr) {
        result.emplace(*buffers.result, shares, &arena);
    }
    std::size_t streams = 0;
    for (const ReductionLinks& links : rails) {
        streams += ReducePipeline::streams(links);
    }
    StreamTable table(transport, streams, &arena);
    std::pmr::vector<ReducePipeline> pipelines(&arena);
    pipelines.reserve(shares.count());
    for (std::size_t rail = 0; rail < shares.count(); ++rail) {
        table.use_rail(static_cast<int>(rail));
        pipelines.emplace_back(
            table, rails[rail], ReduceBuffers{own.share(rail), result ? &result->share(rail) : nullptr},
            reduction, arena,
            reduction_segments(rails[rail], shares.size_of(rail), reduction.element_bytes()), window, &arena);
    }
    co_return co_await Together(table, std::span(pipelines));
}

}  // namespace

Task reduce_trees(Transport& transport, std::span<const ReductionLinks> rails, ReduceBuffers buffers,
                  Reduction& reduction, Arena& arena, int window) {
    if (buffers.own.bytes() == 0) {
        return Task(0);
    }
    const ReductionLinks& first = rails.front();
    if (first.parent.peer < 0 && first.children.empty()) {
        return reduce_tree(transport, first, buffers, reduction, arena, window);
    }
    if (first.parent.peer >= 0) {
        buffers.result = nullptr;
    } else if (buffers.result == nullptr) {
        throw std::invalid_argument("the root of a reduction has no result");
    }
    return run_reduce_trees(transport, rails, buffers, reduction, arena, window);
}

}  // namespace strata::algorithms
