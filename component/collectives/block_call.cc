#include "component/collectives/block_call.h"

#include "component/levels/level_bcast.h"
#include "component/levels/level_blocks.h"

namespace strata::component {

using algorithms::Block;

int move_blocks(const BlockCall& call, algorithms::ChunkDirection flow, std::span<Block> blocks, bool equal) {
    RunningCall& running = call.running;
    if (running.levels() != nullptr && fits_levels(blocks)) {
        return move_by_levels(*running.levels(), blocks, equal, flow, call.root(), call.rank(),
                              running.segment_bytes(), call.arena())
            .run();
    }
    if (running.levels() != nullptr) {
        PlanInUse* planned = nullptr;
        const int rc = call.state.agreed_plan(running.operation(), false, planned);
        if (rc != OMPI_SUCCESS || planned == nullptr) {
            return rc != OMPI_SUCCESS ? rc : OMPI_ERROR;  // too late to pass through: sizes were sent
        }
        running.change_to(*planned);
    }
    return algorithms::perform_blocks(running.performer(), running.operation(), flow, blocks).run();
}

int share_sizes(const BlockCall& call, algorithms::ChunkDirection flow, std::span<std::size_t> sizes) {
    LevelCall* const levels = call.running.levels();
    if (levels != nullptr && flow == algorithms::ChunkDirection::from_root) {
        algorithms::PackedBuffer buffer(reinterpret_cast<std::byte*>(sizes.data()), sizes.size_bytes());
        return bcast_by_levels(*levels, buffer, call.at_root(), 0, call.arena()).run();
    }
    const auto blocks = equal_blocks(static_cast<int>(sizes.size()), sizeof(std::size_t), call.arena());
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        blocks[i].data = reinterpret_cast<std::byte*>(&sizes[i]);
    }
    // With levels, all ranks must know all sizes to decide alike whether the blocks fit.
    return move_blocks(call, levels != nullptr ? algorithms::ChunkDirection::all : flow, blocks, true);
}

}  // namespace strata::component
