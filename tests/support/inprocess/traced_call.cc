#include "traced_call.h"

#include "algorithms/base/level_tasks.h"
#include "fabric.h"
#include "half_runs.h"
#include "random_shapes.h"

namespace strata::testing {
namespace {

using algorithms::Collective;

/// Adds nothing, which is enough to keep an engine going.
class Nothing final : public algorithms::Reduction {
public:
    Nothing() : Reduction(8) {}
    int fold(const std::byte*, std::byte*, std::size_t) override { return 0; }
};

}  // namespace

TracedCall random_traced_call(std::uint64_t seed, Collective collective) {
    Random random(seed * 100 + static_cast<std::uint64_t>(collective));
    TracedCall one;
    one.hierarchy = random_hierarchy(random, {24, 5});
    one.bytes = 8 * (1 + random.below(2000));
    const bool ring = collective == Collective::allgather && random.percent(50);
    one.plan = ring ? random_ring_plan(random, one.hierarchy, one.bytes)
                    : random_tree_plan(random, one.hierarchy, one.bytes);
    one.plan.engine = ring ? algorithms::Engine::ring : algorithms::Engine::tree;
    one.operation = {collective, one.bytes, random.between(0, one.hierarchy.ranks() - 1)};
    const bool vector = may_go_in_halves(algorithms::traits_of(collective));
    if (vector && random.percent(40)) carry_halves(random, one.hierarchy, one.plan);
    return one;
}

int perform(const TracedCall& call, int rank, algorithms::Transport& transport) {
    const topology::CardLanes lanes;
    const algorithms::Routing routing(call.hierarchy, lanes, rank);
    algorithms::Arena arena;
    algorithms::PlanRoutes kept;
    const algorithms::Performer performer{transport, arena, routing, call.plan, kept};
    const auto ranks = static_cast<std::size_t>(call.hierarchy.ranks());
    std::vector<std::byte> memory(call.bytes * (ranks + 1));
    algorithms::PackedBuffer vector(memory.data(), call.bytes);
    algorithms::PackedBuffer result(memory.data() + call.bytes, call.bytes);
    Nothing nothing;
    const algorithms::Operation& operation = call.operation;
    const bool at_root = rank == operation.root;
    switch (operation.collective) {
        case Collective::bcast: return complete(transport, perform_bcast(performer, operation.root, vector));
        case Collective::reduce:
            return complete(transport, perform_reduce(performer, operation,
                                                      {vector, at_root ? &result : nullptr}, nothing));
        case Collective::allreduce:
            return complete(transport, perform_allreduce(performer, operation, {vector, &result}, nothing));
        case Collective::barrier: return complete(transport, perform_barrier(performer, operation.root));
        default: break;
    }
    const bool all = operation.collective == Collective::allgather;
    std::vector<algorithms::Block> blocks(ranks, {nullptr, call.bytes});
    for (std::size_t i = 0; i < ranks; ++i) {
        const bool kept_here = all || at_root || static_cast<int>(i) == rank;
        blocks[i].data = kept_here ? memory.data() + i * call.bytes : nullptr;
    }
    const auto flow = all                                          ? algorithms::BlockFlow::all
                      : operation.collective == Collective::gather ? algorithms::BlockFlow::to_root
                                                                   : algorithms::BlockFlow::from_root;
    return complete(transport, perform_blocks(performer, operation, flow, blocks));
}

Streams in_process_streams(const TracedCall& call, std::uint64_t seed, std::string& problem) {
    const RunReport report =
        run_ranks(call.hierarchy.ranks(), options_for(seed, 512),
                  [&](int rank, algorithms::Transport& transport) { return perform(call, rank, transport); });
    problem = report.text();
    Streams streams;
    for (const SentMessage& message : report.messages) {
        streams[{message.from, message.to, message.lane}].push_back(message.bytes);
    }
    return streams;
}

}  // namespace strata::testing
