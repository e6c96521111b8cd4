#include <array>
#include <memory_resource>

#include "algorithms/engines/bcast_pipeline.h"
#include "algorithms/engines/bcast_tree.h"
#include "algorithms/engines/lanes.h"
#include "algorithms/engines/shares.h"
#include "algorithms/engines/whole_messages.h"

namespace strata::algorithms {

namespace {

int run_bcast_lanes(Transport& transport, std::span<const TreeLinks> lanes, PackedBuffer& buffer,
                    Arena& arena, int window) {
    std::array<std::byte, scratch_bytes> scratch;
    std::pmr::monotonic_buffer_resource pool(scratch.data(), scratch.size(), &arena);
    const Shares shares(buffer.bytes(), 1, lanes.size());
    SharedBuffer buffers(buffer, shares, &pool);
    std::size_t streams = 0;
    for (const TreeLinks& links : lanes) {
        streams += BcastPipeline::streams(links);
    }
    StreamTable table(transport, streams, &pool);
    std::pmr::vector<BcastPipeline> pipelines(&pool);
    pipelines.reserve(shares.count());
    for (std::size_t lane = 0; lane < shares.count(); ++lane) {
        table.use_lane(static_cast<int>(lane));
        pipelines.emplace_back(table, lanes[lane], buffers.share(lane), window);
    }
    return run_together(table, std::span(pipelines));
}

bool is_alone(const TreeLinks& links) { return links.parent.peer < 0 && links.children.empty(); }

}  // namespace

int bcast_lanes(Transport& transport, std::span<const TreeLinks> lanes, PackedBuffer& buffer, Arena& arena,
                int window) {
    if (buffer.bytes() == 0) {
        return 0;
    }
    if (is_alone(lanes.front())) {
        return bcast_tree(transport, lanes.front(), buffer, arena, window);
    }
    const int code = run_bcast_lanes(transport, lanes, buffer, arena, window);
    if (code != 0) {
        transport.abandon();
    }
    return code;
}

}  // namespace strata::algorithms
