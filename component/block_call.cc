#include "block_call.h"

#include <memory>

namespace strata::component {

using algorithms::Block;

int move_blocks(CommunicatorState& state, Planned& planned, const algorithms::Operation& operation,
                algorithms::BlockFlow flow, int rank, std::span<Block> blocks) {
    const auto& routes = state.block_routes(planned, operation.root, flow);
    state.transport().carry(operation.collective, routes.levels);
    return algorithms::exchange_blocks(state.transport(), routes.links, blocks, flow, operation.root, rank,
                                       state.arena(), planned.plan.window);
}

int share_sizes(CommunicatorState& state, Planned& planned, const algorithms::Operation& operation,
                algorithms::BlockFlow flow, int rank, std::span<std::size_t> sizes) {
    const auto blocks = equal_blocks(static_cast<int>(sizes.size()), sizeof(std::size_t), state.arena());
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        blocks[i].data = reinterpret_cast<std::byte*>(&sizes[i]);
    }
    return move_blocks(state, planned, operation, flow, rank, blocks);
}

std::span<std::size_t> empty_sizes(int ranks, algorithms::Arena& arena) {
    const auto count = static_cast<std::size_t>(ranks);
    auto* const memory = reinterpret_cast<std::size_t*>(arena.take(count * sizeof(std::size_t)));
    std::uninitialized_fill_n(memory, count, std::size_t{0});
    return {memory, count};
}

}  // namespace strata::component
