// coll/tuned's gather and scatter (tuned.h).
#include <algorithm>
#include <functional>

#include "algorithms/openmpi_cost/tuned.h"

namespace strata::algorithms {
namespace {

using enum Algorithm;

constexpr TunedChoice gather_choices[] = {
    {4, 2, linear_sync},
    {4, 4, linear},
    {4, 32768, binomial},
    {4, 65536, linear},
    {4, 131072, binomial},
    {4, any_bytes, linear_sync},
    {8, 1024, binomial},
    {8, 8192, linear},
    {8, 32768, binomial},
    {8, 262144, linear},
    {8, any_bytes, linear_sync},
    {256, any_bytes, binomial},
    {512, 2048, binomial},
    {512, 8192, linear},
    {any_ranks, any_bytes, binomial},
};

constexpr TunedChoice scatter_choices[] = {
    {4, 2, linear_nb},          {4, 131072, linear},
    {4, 262144, linear_nb},     {4, any_bytes, linear},
    {8, 2048, binomial},        {8, 4096, linear},
    {8, 8192, binomial},        {8, 32768, linear},
    {8, 1048576, linear_nb},    {8, any_bytes, linear},
    {16, 16384, binomial},      {16, 1048576, linear_nb},
    {16, any_bytes, linear},    {32, 16384, binomial},
    {32, 32768, linear},        {32, any_bytes, linear_nb},
    {64, 512, binomial},        {64, 8192, linear_nb},
    {64, 16384, binomial},      {64, any_bytes, linear_nb},
    {any_ranks, 512, binomial}, {any_ranks, any_bytes, linear_nb},
};

/// Returns the ranks of the subtree of virtual rank v.
std::size_t subtree(int v, int ranks) {
    return static_cast<std::size_t>(v == 0 ? ranks : std::min(v & -v, ranks - v));
}

/// The root receives the blocks in rank order. `sync`: it asks each rank to send, waits for its block, and at
/// the end for an empty message from each.
MessageSchedule linear_gather(int ranks, std::size_t block, int root, bool sync) {
    MessageSchedule schedule(ranks);
    for (int r = 0; r < ranks; ++r) {
        if (r == root) continue;
        if (sync) {
            schedule.send(root, r, 0);
            schedule.receive(r, root);
        }
        schedule.send(r, root, block);
        schedule.receive(root, r);
        if (sync) schedule.send(r, root, 0);
    }
    for (int r = 0; sync && r < ranks; ++r) {
        if (r != root) schedule.receive(root, r);
    }
    return schedule;
}

/// Up a binomial tree, the nearest child first.
MessageSchedule binomial_gather(int ranks, std::size_t block, int root) {
    MessageSchedule schedule(ranks);
    const auto rank_of = [&](int v) { return (root + v) % ranks; };
    for (int v = 0; v < ranks; ++v) {
        int child = 1;
        for (; v + child < ranks && (v & child) == 0; child *= 2)
            schedule.receive(rank_of(v), rank_of(v + child));
    }
    for (int v = 1; v < ranks; ++v)
        schedule.send(rank_of(v), rank_of(v & (v - 1)), subtree(v, ranks) * block);
    return schedule;
}

/// Down a binomial tree, the farthest child first.
MessageSchedule binomial_scatter(int ranks, std::size_t block, int root) {
    MessageSchedule schedule(ranks);
    const auto rank_of = [&](int v) { return (root + v) % ranks; };
    for (int v = 1; v < ranks; ++v) schedule.receive(rank_of(v), rank_of(v & (v - 1)));
    const FlatChildren children = knomial_children(ranks, 2);
    for (int v = 0; v < ranks; ++v) {
        for (const int child : children[v]) {
            schedule.send(rank_of(v), rank_of(child), subtree(child, ranks) * block);
        }
    }
    return schedule;
}

MessageSchedule linear_scatter(int ranks, std::size_t block, int root, bool waits) {
    MessageSchedule schedule(ranks);
    for (int r = 0; r < ranks; ++r) {
        if (r == root) continue;
        schedule.steps[root].push_back({.to = r, .bytes = block, .waits = waits});
        schedule.receive(r, root);
    }
    return schedule;
}

}  // namespace

Algorithm tuned_gather_algorithm(int ranks, std::size_t block) {
    return tuned_choice(gather_choices, ranks, block);
}

Algorithm tuned_scatter_algorithm(int ranks, std::size_t block) {
    return tuned_choice(scatter_choices, ranks, block);
}

MessageSchedule gather_schedule(Algorithm algorithm, int ranks, std::size_t block, int root) {
    if (algorithm == Algorithm::binomial) return binomial_gather(ranks, block, root);
    return linear_gather(ranks, block, root, algorithm == Algorithm::linear_sync);
}

MessageSchedule scatter_schedule(Algorithm algorithm, int ranks, std::size_t block, int root) {
    if (algorithm == Algorithm::binomial) return binomial_scatter(ranks, block, root);
    return linear_scatter(ranks, block, root, algorithm == Algorithm::linear);
}

TunedCalls tuned_gather(const Operation& operation, int ranks) {
    const std::size_t block = block_bytes(operation.bytes, ranks);
    return {{LevelTask::gather, tuned_gather_algorithm(ranks, block), block, operation.root}};
}

TunedCalls tuned_scatter(const Operation& operation, int ranks) {
    const std::size_t block = block_bytes(operation.bytes, ranks);
    return {{LevelTask::scatter, tuned_scatter_algorithm(ranks, block), block, operation.root}};
}

TunedCalls tuned_gatherv(const Operation&, int) { return {}; }
TunedCalls tuned_scatterv(const Operation&, int) { return {}; }

}  // namespace strata::algorithms
