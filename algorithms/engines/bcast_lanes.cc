#include <memory_resource>
#include <vector>

#include "algorithms/engines/bcast_pipeline.h"
#include "algorithms/engines/bcast_tree.h"
#include "algorithms/engines/lanes.h"
#include "algorithms/engines/shares.h"

namespace strata::algorithms {

namespace {

Task run_bcast_lanes(Transport& transport, std::span<const TreeLinks> lanes, PackedBuffer& buffer,
                     Arena& arena, int window) {
    const Shares shares(buffer.bytes(), 1, lanes.size());
    SharedBuffer buffers(buffer, shares, &arena);
    std::size_t streams = 0;
    for (const TreeLinks& links : lanes) {
        streams += BcastPipeline::streams(links);
    }
    StreamTable table(transport, streams, &arena);
    std::pmr::vector<BcastPipeline> pipelines(&arena);
    pipelines.reserve(shares.count());
    for (std::size_t lane = 0; lane < shares.count(); ++lane) {
        table.use_lane(static_cast<int>(lane));
        pipelines.emplace_back(table, lanes[lane], buffers.share(lane), window);
    }
    co_return co_await Together(table, std::span(pipelines));
}

bool is_alone(const TreeLinks& links) { return links.parent.peer < 0 && links.children.empty(); }

}  // namespace

Task bcast_lanes(Transport& transport, std::span<const TreeLinks> lanes, PackedBuffer& buffer, Arena& arena,
                 int window) {
    if (buffer.bytes() == 0) {
        return Task(0);
    }
    if (is_alone(lanes.front())) {
        return bcast_tree(transport, lanes.front(), buffer, arena, window);
    }
    return run_bcast_lanes(transport, lanes, buffer, arena, window);
}

}  // namespace strata::algorithms
