#include <memory_resource>
#include <vector>
#include <stdexcept>

#include "algorithms/engines/lanes.h"
#include "algorithms/engines/shares.h"
#include "algorithms/engines/turnaround.h"

namespace strata::algorithms {
namespace {

Task run_allreduce_lanes(Transport& transport, std::span<const ReductionLinks> lanes, ReduceBuffers buffers,
                         Reduction& reduction, Arena& arena, int window) {
    const Shares shares(buffers.own.bytes(), reduction.element_bytes(), lanes.size());
    SharedBuffer own(buffers.own, shares, &arena);
    SharedBuffer result(*buffers.result, shares, &arena);
    std::size_t streams = 0;
    for (const ReductionLinks& links : lanes) {
        streams += Turnaround::streams(links);
    }
    StreamTable table(transport, streams, &arena);
    std::pmr::vector<Turnaround> turnarounds(&arena);
    turnarounds.reserve(shares.count());
    for (std::size_t lane = 0; lane < shares.count(); ++lane) {
        table.use_lane(static_cast<int>(lane));
        turnarounds.emplace_back(
            table, lanes[lane], ReduceBuffers{own.share(lane), &result.share(lane)}, reduction, arena,
            reduction_segments(lanes[lane], shares.size_of(lane), reduction.element_bytes()), window, &arena);
    }
    co_return co_await Together(table, std::span(turnarounds), Transport::Completion::matched);
}

bool is_alone(const ReductionLinks& links) { return links.parent.peer < 0 && links.children.empty(); }

}  // namespace

Task allreduce_lanes(Transport& transport, std::span<const ReductionLinks> lanes, ReduceBuffers buffers,
                     Reduction& reduction, Arena& arena, int window) {
    if (buffers.own.bytes() == 0) {
        return Task(0);
    }
    if (is_alone(lanes.front())) {
        return allreduce_tree(transport, lanes.front(), buffers, reduction, arena, window);
    }
    if (buffers.result == nullptr) {
        throw std::invalid_argument("a rank of an allreduce has no result");
    }
    return run_allreduce_lanes(transport, lanes, buffers, reduction, arena, window);
}

}  // namespace strata::algorithms
