// coll/tuned's barrier (tuned.h).
#include "algorithms/openmpi_cost/tuned.h"

namespace strata::algorithms {
namespace {

using enum Algorithm;

constexpr TunedChoice barrier_choices[] = {
    {4, any_bytes, recursive_doubling},  {8, any_bytes, linear},
    {64, any_bytes, recursive_doubling}, {256, any_bytes, bruck},
    {512, any_bytes, recursive_tree},    {1024, any_bytes, bruck},
    {4096, any_bytes, recursive_tree},   {any_ranks, any_bytes, bruck},
};

/// Rank 0 receives from all ranks in any order, and answers.
MessageSchedule linear_schedule(int ranks) {
    MessageSchedule schedule(ranks);
    for (int r = 1; r < ranks; ++r) {
        schedule.send(r, 0, 0);
        schedule.receive(0, r);
    }
    for (int r = 1; r < ranks; ++r) {
        schedule.send(0, r, 0);
        schedule.receive(r, 0);
    }
    return schedule;
}

/// Ranks above a power of two report to the first ones, which release them by acknowledged messages.
MessageSchedule doubling_barrier_schedule(int ranks) {
    MessageSchedule schedule(ranks);
    const int power = whole_power(ranks);
    for (int r = power; r < ranks; ++r) {
        schedule.send(r, r - power, 0);
        schedule.receive(r - power, r);
    }
    for (int r = 0; r < power; ++r) {
        for (int distance = 1; distance < power; distance *= 2) {
            schedule.steps[r].push_back({r ^ distance, 0, r ^ distance});
        }
    }
    for (int r = power; r < ranks; ++r) {
        schedule.send(r - power, r, 0);
        schedule.receive(r, r - power);
        schedule.send(r, r - power, 0);
        schedule.receive(r - power, r);
    }
    return schedule;
}

MessageSchedule bruck_schedule(int ranks) {
    MessageSchedule schedule(ranks);
    for (int r = 0; r < ranks; ++r) {
        for (int distance = 1; distance < ranks; distance *= 2) {
            schedule.steps[r].push_back({(r + distance) % ranks, 0, (r + ranks - distance) % ranks});
        }
    }
    return schedule;
}

/// Up and down a binomial tree.
MessageSchedule tree_schedule(int ranks) {
    MessageSchedule schedule(ranks);
    const FlatChildren children = knomial_children(ranks, 2);
    for (int r = 0; r < ranks; ++r) {
        for (auto child = children[r].rbegin(); child != children[r].rend(); ++child) {
            schedule.receive(r, *child);
        }
        if (r > 0) {
            schedule.send(r, r & (r - 1), 0);
            schedule.receive(r, r & (r - 1));
        }
        for (const int child : children[r]) schedule.send(r, child, 0);
    }
    return schedule;
}

/// A token goes twice round the ring.
MessageSchedule double_ring_schedule(int ranks) {
    MessageSchedule schedule(ranks);
    for (int round = 0; round < 2; ++round) {
        for (int r = 0; r < ranks; ++r) {
            const int left = (r + ranks - 1) % ranks;
            if (r > 0) schedule.receive(r, left);
            schedule.send(r, (r + 1) % ranks, 0);
            if (r == 0) schedule.receive(r, left);
        }
    }
    return schedule;
}

}  // namespace

Algorithm tuned_barrier_algorithm(int ranks) { return tuned_choice(barrier_choices, ranks, 0); }

MessageSchedule barrier_schedule(Algorithm algorithm, int ranks) {
    switch (algorithm) {
        case Algorithm::two_proc:
        case Algorithm::recursive_doubling: return doubling_barrier_schedule(ranks);
        case Algorithm::double_ring: return double_ring_schedule(ranks);
        case Algorithm::bruck: return bruck_schedule(ranks);
        case Algorithm::recursive_tree: return tree_schedule(ranks);
        default: return linear_schedule(ranks);
    }
}

TunedCalls tuned_barrier(const Operation&, int ranks) {
    return {{LevelTask::barrier, tuned_barrier_algorithm(ranks)}};
}

}  // namespace strata::algorithms
