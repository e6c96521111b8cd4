// Schedules of coll/libnbc (level_patterns.h).
#include <algorithm>

#include "algorithms/openmpi_cost/level_patterns.h"
#include "algorithms/openmpi_cost/tuned.h"

namespace strata::algorithms {
namespace {

constexpr int linear_up_to = 4;             // ranks of a linear broadcast
constexpr std::size_t short_bytes = 65536;  // below: no segments, and an allreduce by trees
/// Long broadcasts use a segmented chain, which has no model.
std::optional<MessageSchedule> bcast(const GroupTask& task) {
    const bool few = task.ranks <= linear_up_to;
    if (!few && task.bytes >= short_bytes) return std::nullopt;
    const Algorithm algorithm = few ? Algorithm::linear : Algorithm::binomial;
    return schedule_of({LevelTask::bcast, algorithm, task.bytes, task.root}, task.ranks);
}

/// Between two ranks long vectors have segments; they count as one message.
MessageSchedule reduce(const GroupTask& task) {
    const bool enough = task.bytes / tuned_element_bytes >= static_cast<std::size_t>(whole_power(task.ranks));
    const bool reduce_scatter = !task.rank_order && task.ranks > 2 && enough;
    return schedule_of({LevelTask::reduce, reduce_scatter ? Algorithm::rabenseifner : Algorithm::binomial,
                        task.bytes, task.root},
                       task.ranks);
}

MessageSchedule allreduce(const GroupTask& task) {
    if (task.ranks < linear_up_to || task.bytes < short_bytes || task.rank_order || task.in_place) {
        return then(schedule_of({LevelTask::reduce, Algorithm::binomial, task.bytes}, task.ranks),
                    schedule_of({LevelTask::bcast, Algorithm::binomial, task.bytes}, task.ranks));
    }
    return allreduce_schedule(Algorithm::rabenseifner, task.ranks, task.bytes);
}

/// Each rank sends its block directly to all others at once.
MessageSchedule allgather(const std::vector<std::size_t>& parts) {
    const int ranks = static_cast<int>(parts.size());
    MessageSchedule schedule(ranks);
    for (int r = 0; r < ranks; ++r) {
        for (int i = 1; i < ranks; ++i) {
            schedule.steps[r].push_back({.to = (r + i) % ranks, .bytes = parts[r], .waits = false});
        }
        for (int i = 1; i < ranks; ++i) schedule.receive(r, (r + ranks - i) % ranks);
    }
    return schedule;
}

}  // namespace

MessageSchedule gatherv_schedule(const std::vector<std::size_t>& parts, int root) {
    const int ranks = static_cast<int>(parts.size());
    MessageSchedule schedule(ranks);
    for (int r = 0; r < ranks; ++r) {
        if (r == root || parts[r] == 0) continue;
        schedule.send(r, root, parts[r]);
        schedule.receive(root, r);
    }
    return schedule;
}

MessageSchedule scatterv_schedule(const std::vector<std::size_t>& parts, int root, bool waits) {
    const int ranks = static_cast<int>(parts.size());
    MessageSchedule schedule(ranks);
    for (int r = 0; r < ranks; ++r) {
        if (r == root || parts[r] == 0) continue;
        schedule.steps[root].push_back({.to = r, .bytes = parts[r], .waits = waits});
        schedule.receive(r, root);
    }
    return schedule;
}

std::optional<MessageSchedule> libnbc_schedule(const GroupTask& task) {
    const std::size_t block = block_bytes(task.bytes, task.ranks);
    const std::vector<std::size_t> parts =
        task.parts.empty() ? std::vector<std::size_t>(static_cast<std::size_t>(task.ranks), block)
                           : task.parts;
    switch (task.task) {
        case LevelTask::bcast: return bcast(task);
        case LevelTask::reduce: return reduce(task);
        case LevelTask::allreduce: return allreduce(task);
        case LevelTask::allgather:
        case LevelTask::allgatherv: return allgather(parts);
        case LevelTask::gather: return gatherv_schedule(parts, task.root);
        case LevelTask::scatter: return scatterv_schedule(parts, task.root, false);
        case LevelTask::barrier: break;
    }
    return barrier_schedule(Algorithm::bruck, task.ranks);
}

}  // namespace strata::algorithms
