#include "strata/algorithms/perform.h"

#include <stdexcept>

#include "strata/algorithms/bcast_tree.h"
#include "strata/algorithms/lanes.h"

namespace strata::algorithms {
namespace {

void insist_on_own_engine(const Plan& plan) {
    if (plan.engine == Engine::tree || plan.engine == Engine::ring || plan.engine == Engine::lanes) {
        return;
    }
    throw std::invalid_argument("engine " + std::string(name_of(plan.engine)) +
                                " is carried out by components: perform() knows tree, ring, lanes");
}

/// The edges of a call, of which the transport is told.
template <class Links>
const Links& announced(const Performer& performer, Collective collective, const Routes<Links>& routes) {
    performer.transport.carry(collective, routes.levels);
    return routes.links;
}

}  // namespace

int perform_bcast(const Performer& performer, int root, PackedBuffer& buffer) {
    const auto& [transport, arena, routing, plan, kept] = performer;
    insist_on_own_engine(plan);
    if (plan.lanes > 1) {
        const auto& lanes = announced(performer, Collective::bcast, routing.lanes(plan, kept, root));
        return bcast_lanes(transport, lanes, buffer, arena, plan.window);
    }
    if (carries_halves(plan)) {
        const auto& halves = announced(performer, Collective::bcast, routing.halves(plan, kept, root));
        return bcast_lanes(transport, halves, buffer, arena, plan.window);
    }
    const TreeLinks& links = announced(performer, Collective::bcast, routing.tree(plan, kept, root));
    return bcast_tree(transport, links, buffer, arena, plan.window);
}

int perform_reduce(const Performer& performer, const Operation& operation, ReduceBuffers buffers,
                   Reduction& reduction) {
    const auto& [transport, arena, routing, plan, kept] = performer;
    insist_on_own_engine(plan);
    if (carries_halves(plan)) {
        const auto& routes = routing.reduction_halves(plan, kept, operation.root);
        return reduce_lanes(transport, announced(performer, Collective::reduce, routes), buffers, reduction,
                            arena, plan.window);
    }
    const auto& routes = routing.reduction(plan, kept, operation.root, operation.rank_order);
    return reduce_tree(transport, announced(performer, Collective::reduce, routes), buffers, reduction, arena,
                       plan.window);
}

int perform_allreduce(const Performer& performer, const Operation& operation, ReduceBuffers buffers,
                      Reduction& reduction) {
    const auto& [transport, arena, routing, plan, kept] = performer;
    insist_on_own_engine(plan);
    constexpr Collective allreduce = Collective::allreduce;
    if (exchanges_on_top(plan)) {
        const auto& routes = routing.exchange(plan, kept, operation.root, operation.rank_order);
        const auto exchange = halves_on_top(plan) ? allreduce_halving : allreduce_exchange;
        return exchange(transport, announced(performer, allreduce, routes), buffers, reduction, arena);
    }
    if (plan.engine == Engine::ring) {
        const auto& routes = routing.ring(plan, kept, operation.root);
        return allreduce_ring(transport, announced(performer, allreduce, routes), buffers, reduction, arena,
                              plan.window);
    }
    if (plan.lanes > 1 || carries_halves(plan)) {
        const auto& routes = plan.lanes > 1 ? routing.reduction_lanes(plan, kept)
                                            : routing.reduction_halves(plan, kept, operation.root);
        return allreduce_lanes(transport, announced(performer, allreduce, routes), buffers, reduction, arena,
                               plan.window);
    }
    const auto& routes = routing.reduction(plan, kept, operation.root, operation.rank_order);
    return allreduce_tree(transport, announced(performer, allreduce, routes), buffers, reduction, arena,
                          plan.window);
}

int perform_barrier(const Performer& performer, int root) {
    const auto& [transport, arena, routing, plan, kept] = performer;
    insist_on_own_engine(plan);
    const auto& routes = routing.exchange(plan, kept, root, false);
    return barrier_exchange(transport, announced(performer, Collective::barrier, routes), arena);
}

int perform_blocks(const Performer& performer, const Operation& operation, BlockFlow flow,
                   std::span<Block> blocks) {
    const auto& [transport, arena, routing, plan, kept] = performer;
    insist_on_own_engine(plan);
    const auto& routes = routing.blocks(plan, kept, operation.root, flow);
    return exchange_blocks(transport, announced(performer, operation.collective, routes), blocks, flow,
                           operation.root, routing.rank(), arena, plan.window);
}

}  // namespace strata::algorithms
