#include <memory_resource>
#include <vector>

#include "algorithms/engines/bcast_pipeline.h"
#include "algorithms/engines/bcast_tree.h"
#include "algorithms/engines/rails.h"
#include "algorithms/engines/shares.h"

namespace strata::algorithms {

namespace {

Task run_bcast_rails(Transport& transport, std::span<const TreeLinks> rails, PackedBuffer& buffer,
                     Arena& arena, int window) {
    const Shares shares(buffer.bytes(), 1, rails.size());
    SharedBuffer buffers(buffer, shares, &arena);
    std::size_t streams = 0;
    for (const TreeLinks& links : rails) {
        streams += BcastPipeline::streams(links);
    }
    StreamTable table(transport, streams, &arena);
    std::pmr::vector<BcastPipeline> pipelines(&arena);
    pipelines.reserve(shares.count());
    for (std::size_t rail = 0; rail < shares.count(); ++rail) {
        table.use_rail(static_cast<int>(rail));
        pipelines.emplace_back(table, rails[rail], buffers.share(rail), window);
    }
    co_return co_await Together(table, std::span(pipelines));
}

bool is_alone(const TreeLinks& links) { return links.parent.peer < 0 && links.children.empty(); }

}  // namespace

Task bcast_rails(Transport& transport, std::span<const TreeLinks> rails, PackedBuffer& buffer, Arena& arena,
                 int window) {
    if (buffer.bytes() == 0) {
        return Task(0);
    }
    if (is_alone(rails.front())) {
        return bcast_tree(transport, rails.front(), buffer, arena, window);
    }
    return run_bcast_rails(transport, rails, buffer, arena, window);
}

}  // namespace strata::algorithms
