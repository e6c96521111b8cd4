#include "algorithms/openmpi_cost/level_methods.h"

#include <algorithm>
#include <utility>

#include "algorithms/openmpi_cost/level_patterns.h"
#include "algorithms/openmpi_cost/tuned.h"

namespace strata::algorithms {
namespace {

using enum Algorithm;

constexpr int most_ranks_round = 128;  // for patterns with as many rounds as ranks: 16,384 messages

bool is_component(const LevelMethod& method, const char* name) {
    return method.algorithm == component && method.component == name;
}

bool is_quadratic(Algorithm algorithm) {
    return algorithm == ring || algorithm == neighbor || algorithm == scatter_allgather_ring;
}

/// Returns the method's algorithm if Open MPI has it for this task (base_algorithms.cc), else the usual one.
Algorithm named_for(const LevelMethod& method, const GroupTask& task, Algorithm usual) {
    if (!info(method.algorithm).tasks.has(task.task)) return usual;
    return method.algorithm == two_proc && task.ranks != 2 ? usual : method.algorithm;
}

/// Returns coll/tuned's calls for the task's collective.
TunedCalls tuned_calls_for(const GroupTask& task) {
    const auto collective = [&] {
        switch (task.task) {
            case LevelTask::bcast: return Collective::bcast;
            case LevelTask::reduce: return Collective::reduce;
            case LevelTask::allreduce: return Collective::allreduce;
            case LevelTask::allgather: return Collective::allgather;
            case LevelTask::allgatherv: return Collective::allgatherv;
            case LevelTask::gather: return Collective::gather;
            case LevelTask::scatter: return Collective::scatter;
            case LevelTask::barrier: break;
        }
        return Collective::barrier;
    };
    return tuned_calls({collective(), task.bytes, task.root, task.rank_order}, task.ranks);
}

/// Returns the calls of a named algorithm.
TunedCalls named_calls(const LevelMethod& method, const GroupTask& task) {
    const Operation operation{Collective::allreduce, task.bytes, task.root, task.rank_order};
    switch (task.task) {
        case LevelTask::reduce: {
            const Algorithm named = named_for(method, task, binomial);
            const bool moves = task.rank_order && named != linear;
            return {{task.task, moves ? in_order_binary : named, task.bytes, task.root, method.radix}};
        }
        case LevelTask::allreduce: {
            const Algorithm named = named_for(method, task, recursive_doubling);
            const bool round = named == ring || named == segmented_ring;
            return allreduce_calls(possible_allreduce(task.rank_order && round ? recursive_doubling : named,
                                                      task.ranks, task.bytes),
                                   operation, task.ranks);
        }
        case LevelTask::allgather:
        case LevelTask::allgatherv:
            return allgather_calls(possible_allgather(named_for(method, task, ring), task.ranks), task.task,
                                   operation, task.ranks);
        case LevelTask::barrier: return {{task.task, named_for(method, task, recursive_doubling)}};
        default: break;
    }
    const std::size_t bytes =
        task.task == LevelTask::bcast ? task.bytes : block_bytes(task.bytes, task.ranks);
    return {{task.task, named_for(method, task, binomial), bytes, task.root, method.radix}};
}

std::optional<MessageSchedule> blocking(const LevelMethod& method, const GroupTask& task) {
    // Only the communicator's other components serve these: coll/basic.
    if (task.task == LevelTask::gather && !task.parts.empty()) return gatherv_schedule(task.parts, task.root);
    if (task.task == LevelTask::scatter && !task.parts.empty())
        return scatterv_schedule(task.parts, task.root, true);
    MessageSchedule schedule(task.ranks);
    const bool tuned = method.algorithm == component;
    for (const TunedCall& call : tuned ? tuned_calls_for(task) : named_calls(method, task)) {
        if (is_quadratic(call.algorithm) && task.ranks > most_ranks_round) return std::nullopt;
        schedule = then(std::move(schedule), schedule_of(call, task.ranks));
    }
    return schedule;
}

}  // namespace

bool exchanges(const LevelMethod& method, LevelTask task) {
    if (method.algorithm == component) return is_modelled(method);
    const LevelTasks tasks = info(method.algorithm).tasks;
    if (task == LevelTask::allreduce) return tasks.has(task);
    return tasks.has(LevelTask::allgather) || tasks.has(LevelTask::allgatherv);
}

bool is_modelled(const LevelMethod& method) {
    if (method.algorithm == automatic) return false;
    return method.algorithm != component || is_component(method, "tuned") || is_component(method, "libnbc");
}

std::optional<GroupSchedule> group_schedule(const LevelMethod& method, const GroupTask& task) {
    if (!is_modelled(method)) return std::nullopt;
    if (is_component(method, "libnbc")) {
        const bool quadratic = task.task == LevelTask::allgather || task.task == LevelTask::allgatherv;
        if (quadratic && task.ranks > most_ranks_round) return std::nullopt;
        std::optional<MessageSchedule> schedule = libnbc_schedule(task);
        if (!schedule) return std::nullopt;
        return GroupSchedule{std::move(*schedule), true};
    }
    std::optional<MessageSchedule> schedule = blocking(method, task);
    if (!schedule) return std::nullopt;
    return GroupSchedule{std::move(*schedule), false};
}

}  // namespace strata::algorithms
