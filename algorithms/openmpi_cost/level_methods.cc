#include "algorithms/openmpi_cost/level_methods.h"

#include <algorithm>
#include <utility>

#include "algorithms/openmpi_cost/level_patterns.h"
#include "algorithms/openmpi_cost/tuned.h"

namespace strata::algorithms {
namespace {

using enum Algorithm;

constexpr int most_ranks_round = 128;  // of patterns with as many rounds as ranks: 16,384 messages

bool is_component(const LevelMethod& method, const char* name) {
    return method.algorithm == component && method.component == name;
}

bool is_quadratic(Algorithm algorithm) {
    return algorithm == ring || algorithm == segmented_ring || algorithm == neighbor ||
           algorithm == scatter_allgather_ring;
}

std::size_t block_of(const GroupTask& task) { return block_bytes(task.bytes, task.ranks); }

/// The method's algorithm if Open MPI has it for this task and group (level_group.cc).
Algorithm named_for(const LevelMethod& method, const GroupTask& task, Algorithm usual) {
    if (!info(method.algorithm).tasks.has(task.task)) return usual;
    return method.algorithm == two_proc && task.ranks != 2 ? usual : method.algorithm;
}

/// The algorithm that does a task that is asked for without counts.
Algorithm algorithm_for(const LevelMethod& method, const GroupTask& task) {
    const bool tuned = method.algorithm == component;
    const int ranks = task.ranks;
    switch (task.task) {
        case LevelTask::bcast:
            return tuned ? tuned_bcast_algorithm(ranks, task.bytes) : named_for(method, task, binomial);
        case LevelTask::reduce: {
            if (tuned) return tuned_reduce_algorithm(ranks, task.bytes, !task.rank_order);
            const Algorithm named = named_for(method, task, binomial);
            return task.rank_order && named != linear ? in_order_binary : named;
        }
        case LevelTask::allreduce: {
            if (tuned) return tuned_allreduce_algorithm(ranks, task.bytes, !task.rank_order);
            const Algorithm named = named_for(method, task, recursive_doubling);
            const bool round = named == ring || named == segmented_ring;
            return possible_allreduce(task.rank_order && round ? recursive_doubling : named, ranks,
                                      task.bytes);
        }
        case LevelTask::allgather:
            return tuned ? tuned_allgather_algorithm(ranks, block_of(task))
                         : possible_allgather(named_for(method, task, ring), ranks);
        case LevelTask::allgatherv:
            return tuned ? tuned_allgatherv_algorithm(ranks, block_of(task))
                         : possible_allgather(named_for(method, task, ring), ranks);
        case LevelTask::gather:
            return tuned ? tuned_gather_algorithm(ranks, block_of(task)) : named_for(method, task, binomial);
        case LevelTask::scatter:
            return tuned ? tuned_scatter_algorithm(ranks, block_of(task)) : named_for(method, task, binomial);
        case LevelTask::barrier:
            return tuned ? tuned_barrier_algorithm(ranks) : named_for(method, task, recursive_doubling);
    }
    return automatic;
}

MessageSchedule reduced(const LevelMethod& method, const GroupTask& task, Algorithm algorithm) {
    if (algorithm == chain) {
        const int radix = method.radix > 0 ? method.radix : info(chain).default_radix;
        return tree_reduce_program(chain_children(task.ranks, radix), task.bytes, task.root);
    }
    const std::size_t elements = task.bytes / tuned_element_bytes;
    if (algorithm == rabenseifner && elements >= static_cast<std::size_t>(whole_power(task.ranks))) {
        return halving_reduce_program(task.ranks, task.bytes, task.root);
    }
    return reduce_program(algorithm, task.ranks, task.bytes, task.root);
}

/// What the group's communicator offers by itself: coll/tuned.
MessageSchedule offered_bcast(int ranks, std::size_t bytes) {
    return bcast_program(tuned_bcast_algorithm(ranks, bytes), 0, ranks, bytes, 0);
}

MessageSchedule allreduced(const GroupTask& task, Algorithm algorithm) {
    const int ranks = task.ranks;
    const std::size_t block = block_of(task);
    switch (algorithm) {
        case linear:
            return then(reduce_program(linear, ranks, task.bytes, 0),
                        bcast_program(linear, 0, ranks, task.bytes, 0));
        case nonoverlapping: {
            const Algorithm offered = tuned_reduce_algorithm(ranks, task.bytes, !task.rank_order);
            return then(reduce_program(offered, ranks, task.bytes, 0), offered_bcast(ranks, task.bytes));
        }
        case ring:
        case segmented_ring:
            return then(ring_program(ranks, block, ranks - 1, block),
                        ring_program(ranks, block, ranks - 1, 0));
        default: return allreduce_program(algorithm, ranks, task.bytes);
    }
}

MessageSchedule allgathered(const GroupTask& task, Algorithm algorithm) {
    const int ranks = task.ranks;
    const std::size_t block = block_of(task);
    if (algorithm == linear) {
        MessageSchedule gathered =
            task.task == LevelTask::allgatherv
                ? gatherv_program(task.parts, 0)
                : gather_program(tuned_gather_algorithm(ranks, block), ranks, block, 0);
        return then(std::move(gathered), offered_bcast(ranks, task.bytes));
    }
    if (algorithm == two_proc) return exchange_program(block);
    return allgather_program(algorithm, ranks, block);
}

std::optional<MessageSchedule> blocking(const LevelMethod& method, const GroupTask& task) {
    // Nobody but the communicator's own choice knows these: coll/basic.
    if (task.task == LevelTask::gather && !task.parts.empty()) return gatherv_program(task.parts, task.root);
    if (task.task == LevelTask::scatter && !task.parts.empty()) {
        return scatterv_program(task.parts, task.root, true);
    }
    const Algorithm algorithm = algorithm_for(method, task);
    if (is_quadratic(algorithm) && task.ranks > most_ranks_round) return std::nullopt;
    switch (task.task) {
        case LevelTask::bcast:
            return bcast_program(algorithm, method.radix, task.ranks, task.bytes, task.root);
        case LevelTask::reduce: return reduced(method, task, algorithm);
        case LevelTask::allreduce: return allreduced(task, algorithm);
        case LevelTask::allgather:
        case LevelTask::allgatherv: return allgathered(task, algorithm);
        case LevelTask::gather: return gather_program(algorithm, task.ranks, block_of(task), task.root);
        case LevelTask::scatter: return scatter_program(algorithm, task.ranks, block_of(task), task.root);
        case LevelTask::barrier:
            if (algorithm == double_ring) return double_ring_program(task.ranks);
            if (algorithm == two_proc) return exchange_program(0);
            return barrier_program(algorithm, task.ranks);
    }
    return std::nullopt;
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

std::optional<GroupProgram> group_program(const LevelMethod& method, const GroupTask& task) {
    if (!is_modelled(method)) return std::nullopt;
    if (is_component(method, "libnbc")) {
        const bool quadratic = task.task == LevelTask::allgather || task.task == LevelTask::allgatherv;
        if (quadratic && task.ranks > most_ranks_round) return std::nullopt;
        std::optional<MessageSchedule> program = libnbc_program(task);
        if (!program) return std::nullopt;
        return GroupProgram{std::move(*program), true};
    }
    std::optional<MessageSchedule> program = blocking(method, task);
    if (!program) return std::nullopt;
    return GroupProgram{std::move(*program), false};
}

}  // namespace strata::algorithms
