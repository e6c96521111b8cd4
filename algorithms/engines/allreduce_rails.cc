#include <memory_resource>
#include <vector>
#include <stdexcept>

#include "algorithms/engines/rails.h"
#include "algorithms/engines/shares.h"
#include "algorithms/engines/turnaround.h"

namespace strata::algorithms {
namespace {

Task run_allreduce_rails(Transport& transport, std::span<const ReductionLinks> rails, ReduceBuffers buffers,
                         Reduction& reduction, Arena& arena, int window) {
    const Shares shares(buffers.own.bytes(), reduction.element_bytes(), rails.size());
    SharedBuffer own(buffers.own, shares, &arena);
    SharedBuffer result(*buffers.result, shares, &arena);
    std::size_t streams = 0;
    for (const ReductionLinks& links : rails) {
        streams += Turnaround::streams(links);
    }
    StreamTable table(transport, streams, &arena);
    std::pmr::vector<Turnaround> turnarounds(&arena);
    turnarounds.reserve(shares.count());
    for (std::size_t rail = 0; rail < shares.count(); ++rail) {
        table.use_rail(static_cast<int>(rail));
        turnarounds.emplace_back(
            table, rails[rail], ReduceBuffers{own.share(rail), &result.share(rail)}, reduction, arena,
            reduction_segments(rails[rail], shares.size_of(rail), reduction.element_bytes()), window, &arena);
    }
    co_return co_await Together(table, std::span(turnarounds), Transport::Completion::matched);
}

bool is_alone(const ReductionLinks& links) { return links.parent.peer < 0 && links.children.empty(); }

}  // namespace

Task allreduce_rails(Transport& transport, std::span<const ReductionLinks> rails, ReduceBuffers buffers,
                     Reduction& reduction, Arena& arena, int window) {
    if (buffers.own.bytes() == 0) {
        return Task(0);
    }
    if (is_alone(rails.front())) {
        return allreduce_tree(transport, rails.front(), buffers, reduction, arena, window);
    }
    if (buffers.result == nullptr) {
        throw std::invalid_argument("a rank of an allreduce has no result");
    }
    return run_allreduce_rails(transport, rails, buffers, reduction, arena, window);
}

}  // namespace strata::algorithms
