#include "component/collectives/block_call.h"

#include "component/levels/level_bcast.h"
#include "component/levels/level_blocks.h"

namespace strata::component {

using algorithms::Block;

int move_blocks(const BlockCall& call, algorithms::BlockFlow flow, std::span<Block> blocks, bool equal) {
    CommunicatorState& state = call.state;
    PlanInUse* planned = &call.planned;
    if (call.communicators != nullptr) {
        if (fits_levels(blocks)) {
            return move_by_levels(*call.communicators, blocks, equal, flow, call.root(), call.rank,
                                  planned->plan->levels.front().segment_bytes, call.arena());
        }
        const int rc = state.agreed_plan(call.operation, false, planned);
        if (rc != OMPI_SUCCESS || planned == nullptr) {
            return rc != OMPI_SUCCESS ? rc : OMPI_ERROR;  // sizes have been sent: too late to pass it through
        }
    }
    return algorithms::perform_blocks(state.performer(*planned), call.operation, flow, blocks).run();
}

int share_sizes(const BlockCall& call, algorithms::BlockFlow flow, std::span<std::size_t> sizes) {
    if (call.communicators != nullptr && flow == algorithms::BlockFlow::from_root) {
        algorithms::PackedBuffer buffer(reinterpret_cast<std::byte*>(sizes.data()), sizes.size_bytes());
        return bcast_by_levels(*call.communicators, buffer, call.at_root(), 0, call.arena());
    }
    const auto blocks = equal_blocks(static_cast<int>(sizes.size()), sizeof(std::size_t), call.arena());
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        blocks[i].data = reinterpret_cast<std::byte*>(&sizes[i]);
    }
    // By levels all ranks learn all sizes: nobody else could tell whether the blocks fit.
    const bool by_levels = call.communicators != nullptr;
    return move_blocks(call, by_levels ? algorithms::BlockFlow::all : flow, blocks, true);
}

}  // namespace strata::component
