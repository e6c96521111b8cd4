#include "algorithms/engines/perform.h"

#include <stdexcept>

#include "algorithms/engines/bcast_tree.h"
#include "algorithms/engines/node.h"
#include "algorithms/engines/rails.h"

namespace strata::algorithms {
namespace {

void require_own_engine(const Plan& plan) {
    if (plan.engine == Engine::tree || plan.engine == Engine::ring || plan.engine == Engine::rails) {
        return;
    }
    throw std::invalid_argument("engine " + std::string(name_of(plan.engine)) +
                                " is carried out by components: perform() knows tree, ring, rails, node");
}

/// Returns the boards if the plan uses them instead of messages, else null.
Boards* boards_of(const Performer& performer) {
    if (performer.plan.engine != Engine::node) return nullptr;
    if (performer.boards == nullptr) throw std::invalid_argument("the engine node needs boards");
    return performer.boards;
}

template <class... Visits>
struct Overloaded : Visits... {
    using Visits::operator()...;
};
template <class... Visits>
Overloaded(Visits...) -> Overloaded<Visits...>;

/// Looks up the edges of a call, reports their levels to the transport and returns `visit` of the edges.
template <class Links, class Visit>
auto visited(const Performer& performer, Collective collective, const Routes<Links>& routes, Visit&& visit) {
    performer.transport.begin_call(collective, routes.levels);
    return visit(routes.links);
}

template <class Visit>
auto with_bcast_links(const Performer& performer, int root, Visit&& visit) {
    const auto& [transport, arena, routing, plan, kept, boards] = performer;
    require_own_engine(plan);
    constexpr Collective bcast = Collective::bcast;
    if (plan.rails > 1) return visited(performer, bcast, routing.rails(plan, kept, root), visit);
    if (kept.has_double_tree(plan))
        return visited(performer, bcast, routing.double_tree(plan, kept, root), visit);
    return visited(performer, bcast, routing.tree(plan, kept, root), visit);
}

template <class Visit>
auto with_reduce_links(const Performer& performer, const Operation& operation, Visit&& visit) {
    const auto& [transport, arena, routing, plan, kept, boards] = performer;
    require_own_engine(plan);
    constexpr Collective reduce = Collective::reduce;
    if (kept.has_double_tree(plan)) {
        return visited(performer, reduce, routing.reduction_double_tree(plan, kept, operation.root), visit);
    }
    const auto& routes = routing.reduction(plan, kept, operation.root, operation.rank_order);
    return visited(performer, reduce, routes, visit);
}

template <class Visit>
auto with_allreduce_links(const Performer& performer, const Operation& operation, Visit&& visit) {
    const auto& [transport, arena, routing, plan, kept, boards] = performer;
    require_own_engine(plan);
    constexpr Collective allreduce = Collective::allreduce;
    const int root = operation.root;
    if (exchanges_on_top(plan)) {
        const auto& routes = routing.exchange(plan, kept, root, operation.rank_order);
        return visited(performer, allreduce, routes, visit);
    }
    if (plan.engine == Engine::ring) {
        return visited(performer, allreduce, routing.ring(plan, kept, root), visit);
    }
    if (plan.rails > 1) return visited(performer, allreduce, routing.reduction_rails(plan, kept), visit);
    if (kept.has_double_tree(plan)) {
        return visited(performer, allreduce, routing.reduction_double_tree(plan, kept, root), visit);
    }
    const auto& routes = routing.reduction(plan, kept, root, operation.rank_order);
    return visited(performer, allreduce, routes, visit);
}

template <class Visit>
auto with_barrier_links(const Performer& performer, int root, Visit&& visit) {
    const auto& [transport, arena, routing, plan, kept, boards] = performer;
    require_own_engine(plan);
    return visited(performer, Collective::barrier, routing.exchange(plan, kept, root, false), visit);
}

template <class Visit>
auto with_block_links(const Performer& performer, const Operation& operation, ChunkDirection flow,
                      Visit&& visit) {
    const auto& [transport, arena, routing, plan, kept, boards] = performer;
    require_own_engine(plan);
    return visited(performer, operation.collective, routing.blocks(plan, kept, operation.root, flow), visit);
}

}  // namespace

ChunkDirection direction_of(const CollectiveTraits& traits) {
    if (traits.up && traits.down) return ChunkDirection::all;
    return traits.up ? ChunkDirection::to_root : ChunkDirection::from_root;
}

void prepare_call(const Performer& performer, const Operation& operation) {
    if (performer.plan.engine == Engine::node) return;
    const auto nothing = [](const auto&) { return 0; };
    const CollectiveTraits& traits = traits_of(operation.collective);
    if (traits.blocks) {
        with_block_links(performer, operation, direction_of(traits), nothing);
    } else if (!traits.has_data()) {
        with_barrier_links(performer, operation.root, nothing);
    } else if (!traits.up) {
        with_bcast_links(performer, operation.root, nothing);
    } else if (!traits.down) {
        with_reduce_links(performer, operation, nothing);
    } else {
        with_allreduce_links(performer, operation, nothing);
    }
}

Task perform_bcast(const Performer& performer, int root, PackedBuffer& buffer) {
    if (Boards* boards = boards_of(performer)) return node_bcast(*boards, root, buffer, performer.arena);
    const Plan& plan = performer.plan;
    const Overloaded perform{
        [&](const TreeLinks& links) {
            return bcast_tree(performer.transport, links, buffer, performer.arena, plan.window);
        },
        [&](const std::vector<TreeLinks>& rails) {
            return bcast_rails(performer.transport, rails, buffer, performer.arena, plan.window);
        }};
    return with_bcast_links(performer, root, perform);
}

Task perform_reduce(const Performer& performer, const Operation& operation, ReduceBuffers buffers,
                    Reduction& reduction) {
    if (Boards* boards = boards_of(performer))
        return node_reduce(*boards, operation.root, buffers, reduction, performer.arena);
    const Plan& plan = performer.plan;
    const Overloaded perform{
        [&](const ReductionLinks& links) {
            return reduce_tree(performer.transport, links, buffers, reduction, performer.arena, plan.window);
        },
        [&](const std::vector<ReductionLinks>& rails) {
            return reduce_trees(performer.transport, rails, buffers, reduction, performer.arena, plan.window);
        }};
    return with_reduce_links(performer, operation, perform);
}

Task perform_allreduce(const Performer& performer, const Operation& operation, ReduceBuffers buffers,
                       Reduction& reduction) {
    if (Boards* boards = boards_of(performer))
        return node_allreduce(*boards, buffers, reduction, performer.arena);
    const Plan& plan = performer.plan;
    const Overloaded perform{
        [&](const ReductionLinks& links) {
            return allreduce_tree(performer.transport, links, buffers, reduction, performer.arena,
                                  plan.window);
        },
        [&](const std::vector<ReductionLinks>& rails) {
            return allreduce_rails(performer.transport, rails, buffers, reduction, performer.arena,
                                   plan.window);
        },
        [&](const ExchangeLinks& links) {
            if (!exchanges_on_top(plan)) {
                return allreduce_ring(performer.transport, links, buffers, reduction, performer.arena,
                                      plan.window);
            }
            const auto exchange = halving_on_top(plan) ? allreduce_halving : allreduce_exchange;
            return exchange(performer.transport, links, buffers, reduction, performer.arena);
        }};
    return with_allreduce_links(performer, operation, perform);
}

Task perform_barrier(const Performer& performer, int root) {
    if (Boards* boards = boards_of(performer)) return node_barrier(*boards, performer.arena);
    return with_barrier_links(performer, root, [&](const ExchangeLinks& links) {
        return barrier_exchange(performer.transport, links, performer.arena);
    });
}

Task perform_blocks(const Performer& performer, const Operation& operation, ChunkDirection flow,
                    std::span<Block> blocks) {
    if (Boards* boards = boards_of(performer)) {
        switch (flow) {
            case ChunkDirection::all: return node_allgather(*boards, blocks, performer.arena);
            case ChunkDirection::to_root:
                return node_gather(*boards, operation.root, blocks, performer.arena);
            case ChunkDirection::from_root:
                return node_scatter(*boards, operation.root, blocks, performer.arena);
        }
    }
    const Plan& plan = performer.plan;
    return with_block_links(performer, operation, flow, [&](const BlockRoutes& routes) {
        return exchange_blocks(performer.transport, routes, blocks, flow, operation.root,
                               performer.routing.rank(), performer.arena, plan.window);
    });
}

}  // namespace strata::algorithms
