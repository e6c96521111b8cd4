#include "algorithms/openmpi_cost/tuned.h"

#include <array>
#include <cstdint>

#include "algorithms/cost/links.h"

namespace strata::algorithms {
namespace {

using topology::Hierarchy;

constexpr std::array<TunedCalls (*)(const Operation&, int), collective_count> calls = {
#define STRATA_COLLECTIVE(op, ...) tuned_##op,
#include "algorithms/base/collectives.def"
#undef STRATA_COLLECTIVE
};

double operation_us(const Hierarchy& hierarchy, const LinkTable& links, const Operation& operation,
                    FlatRounds& rounds) {
    double us = 0;
    for (const TunedCall& call : tuned_calls(operation, hierarchy.ranks()))
        us += call_us(hierarchy, links, call, rounds);
    return us;
}

}  // namespace

TunedCalls tuned_calls(const Operation& operation, int ranks) {
    return calls[static_cast<std::size_t>(operation.collective)](operation, ranks);
}

MessageSchedule schedule_of(const TunedCall& call, int ranks) {
    switch (call.task) {
        case LevelTask::bcast: return bcast_schedule(call, ranks);
        case LevelTask::reduce: return reduce_schedule(call, ranks);
        case LevelTask::allreduce: return allreduce_schedule(call.algorithm, ranks, call.bytes);
        case LevelTask::allgather:
        case LevelTask::allgatherv: return allgather_schedule(call.algorithm, ranks, call.bytes);
        case LevelTask::gather: return gather_schedule(call.algorithm, ranks, call.bytes, call.root);
        case LevelTask::scatter: return scatter_schedule(call.algorithm, ranks, call.bytes, call.root);
        case LevelTask::barrier: break;
    }
    return barrier_schedule(call.algorithm, ranks);
}

double call_us(const Hierarchy& hierarchy, const LinkTable& links, const TunedCall& call,
               FlatRounds& rounds) {
    using enum Algorithm;
    const std::int64_t ranks = hierarchy.ranks();
    const bool reduces = call.task == LevelTask::allreduce;
    if (call.algorithm == ring && ranks * (ranks - 1) > most_messages) {
        return ring_estimate_us(hierarchy, links, call.bytes, hierarchy.ranks() - 1,
                                reduces ? call.bytes : 0);
    }
    if (call.algorithm == neighbor && ranks * (ranks / 2) > most_messages)
        return neighbor_estimate_us(hierarchy, links, call.bytes);
    // shared_us() predicted too long a time for Bruck's messages, each to another rank than the last one.
    const bool pairwise = (reduces && call.algorithm != ring) ||
                          (call.task != LevelTask::barrier && call.algorithm == recursive_doubling);
    FlatModel model(hierarchy, links);
    if ((pairwise || call.algorithm == bruck) && many_rounds(hierarchy.ranks()))
        return rounds_of(model, rounds, call).us();
    // The schedule of a linear pattern takes time that grows with the square of the ranks.
    const bool is_long = call.algorithm == linear && hierarchy.ranks() > FlatRounds::most_ranks_in_order;
    if (is_long || rounds.trees_by_round()) {
        if (const auto us = by_round_us(model, call)) return *us;
    }
    if (const auto us = scatter_allgather_us(model, call)) return *us;
    const double us = latest(run_schedule(model, rounds.schedule(call)));
    if (!pairwise || !sends_inside(hierarchy, links)) return us;
    FlatModel counting(hierarchy, links);
    return in_turn_or_shared_us(us, rounds_of(counting, rounds, call));
}

double forward_cost_us(const Hierarchy& hierarchy, const LinkTable& links, const Operation& operation) {
    FlatRounds rounds(hierarchy);
    return forward_cost_us(hierarchy, links, operation, rounds);
}

double forward_cost_us(const Hierarchy& hierarchy, const LinkTable& links, const Operation& operation,
                       FlatRounds& rounds) {
    if (hierarchy.ranks() < 2) return 0;
    double us = operation_us(hierarchy, links, operation, rounds);
    if (operation.other_roots.empty() || !traits_of(operation.collective).rooted) return us;
    Operation there = operation;
    for (const int root : operation.other_roots) {
        there.root = root;
        us += operation_us(hierarchy, links, there, rounds);
    }
    return us / static_cast<double>(operation.other_roots.size() + 1);
}

std::vector<MessageSchedule> underlying_schedules(const Operation& operation, int ranks) {
    std::vector<MessageSchedule> schedules;
    if (ranks < 2) return schedules;
    for (const TunedCall& call : tuned_calls(operation, ranks)) schedules.push_back(schedule_of(call, ranks));
    return schedules;
}

}  // namespace strata::algorithms
