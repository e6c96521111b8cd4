// coll/tuned's broadcast (tuned.h).
#include <algorithm>
#include <optional>
#include <utility>

#include "algorithms/openmpi_cost/tuned.h"

namespace strata::algorithms {
namespace {

using enum Algorithm;
constexpr TunedChoice bcast_choices[] = {
    {4, 32, pipeline},
    {4, 256, binary},
    {4, 512, pipeline},
    {4, 1024, knomial},
    {4, 32768, linear},
    {4, 131072, binary},
    {4, 262144, pipeline},
    {4, 524288, linear},
    {4, 1048576, binomial},
    {4, any_bytes, binary},
    {8, 64, binary},
    {8, 128, binomial},
    {8, 2048, binary},
    {8, 8192, binomial},
    {8, 1048576, linear},
    {8, any_bytes, pipeline},
    {16, 8, knomial},
    {16, 64, binary},
    {16, 4096, knomial},
    {16, 16384, binary},
    {16, 32768, binomial},
    {16, any_bytes, linear},
    {32, 4096, knomial},
    {32, 1048576, binomial},
    {32, any_bytes, scatter_allgather},
    {64, 2048, binomial},
    {64, any_bytes, knomial},
    {128, any_bytes, knomial},
    {256, 2, binomial},
    {256, 16384, binary},
    {256, 32768, linear},
    {256, 65536, binary},
    {256, any_bytes, knomial},
    {1024, 16384, knomial},
    {1024, 32768, split_binary},
    {1024, any_bytes, knomial},
    {2048, 524288, knomial},
    {2048, any_bytes, scatter_allgather},
    {4096, 262144, knomial},
    {4096, any_bytes, scatter_allgather},
    {any_ranks, 8192, knomial},
    {any_ranks, 16384, binary},
    {any_ranks, 262144, knomial},
    {any_ranks, any_bytes, scatter_allgather},
};

FlatChildren children_of(Algorithm algorithm, int size, int radix) {
    if (radix == 0) radix = info(algorithm).default_radix;
    switch (algorithm) {
        case chain: return chain_children(size, radix);
        case pipeline: return pipeline_children(size);
        case binary:
        case split_binary: return binary_children(size);
        case binomial: return binomial_children(size);
        case knomial: return knomial_children(size, radix);
        default: return linear_children(size);
    }
}

/// A tree over virtual ranks, and the bytes that each of them receives.
struct Tree {
    FlatChildren children;
    std::vector<std::size_t> bytes;
};

/// Blocks scattered down a binomial tree, then exchanged by recursive doubling. A rank without a partner
/// (ranks no power of two) takes its blocks from another rank on the partner's side: one round less.
class ScatterAllgather {
public:
    ScatterAllgather(int size, std::size_t bytes) : size_(size), bytes_(bytes) {}

    Tree scatter() const {
        Tree tree{knomial_children(size_, 2), std::vector<std::size_t>(size_, 0)};
        for (int v = 1; v < size_; ++v) tree.bytes[v] = held(v, v & -v);
        return tree;
    }
    /// Calls action(partner, v, bytes) for every rank that receives in this step.
    template <typename Action>
    void each_exchange(int step, Action&& action) const {
        for (int v = 0; v < size_; ++v) {
            const int side = (v ^ step) / step * step;  // first rank of the partner's side
            if (side >= size_) continue;
            action(side + (v % step) % std::min(step, size_ - side), v, held(side, step));
        }
    }

private:
    /// Returns the bytes of `count` blocks from `first` on.
    std::size_t held(int first, int count) const {
        const std::size_t block = block_bytes(bytes_, size_);
        const std::size_t begin = std::min(bytes_, block * first);
        return std::min(bytes_, block * (static_cast<std::size_t>(first) + count)) - begin;
    }

    int size_;
    std::size_t bytes_;
};

/// Each rank receives from its parent, then sends to all children at once and waits for that.
MessageSchedule tree_bcast_schedule(const Tree& tree, int root) {
    const int size = static_cast<int>(tree.children.size());
    const auto rank_of = [&](int v) { return (root + v) % size; };
    MessageSchedule schedule(size);
    for (int v = 0; v < size; ++v) {
        for (const int child : tree.children[v]) schedule.receive(rank_of(child), rank_of(v));
    }
    for (int v = 0; v < size; ++v) {
        for (const int child : tree.children[v]) {
            const bool last = child == tree.children[v].back();
            schedule.steps[rank_of(v)].push_back(
                {.to = rank_of(child), .bytes = tree.bytes[child], .waits = last});
        }
    }
    return schedule;
}

/// Channel 1: swapped halves must not match messages of the tree.
void swap_halves(MessageSchedule& schedule, std::size_t half, int root) {
    const int size = static_cast<int>(schedule.steps.size());
    const auto rank_of = [&](int v) { return (root + v) % size; };
    for (int left = 1; left + 1 < size; left += 2) {
        const int a = rank_of(left);
        const int b = rank_of(left + 1);
        schedule.steps[a].push_back({.to = b, .bytes = half, .from = b, .channel = 1});
        schedule.steps[b].push_back({.to = a, .bytes = half, .from = a, .channel = 1});
    }
    if (size % 2 != 0) return;
    const int last = rank_of(size - 1);
    schedule.steps[root].push_back({.to = last, .bytes = half, .channel = 1});
    schedule.steps[last].push_back({.from = root, .channel = 1});
}

/// Exchanges the scattered blocks, on channel 1.
void exchange_scattered(MessageSchedule& schedule, const ScatterAllgather& blocks, int root) {
    const int ranks = static_cast<int>(schedule.steps.size());
    const auto rank_of = [&](int v) { return (root + v) % ranks; };
    for (int step = 1; step < ranks; step *= 2) {
        blocks.each_exchange(step, [&](int partner, int v, std::size_t part) {
            schedule.steps[rank_of(partner)].push_back(
                {.to = rank_of(v), .bytes = part, .waits = false, .channel = 1});
        });
        blocks.each_exchange(step, [&](int partner, int v, std::size_t) {
            schedule.steps[rank_of(v)].push_back({.from = rank_of(partner), .channel = 1});
        });
    }
}

bool scatters(const TunedCall& call, int ranks) {
    return (call.algorithm == scatter_allgather || call.algorithm == scatter_allgather_ring) &&
           call.bytes >= static_cast<std::size_t>(ranks);
}

}  // namespace

Algorithm tuned_bcast_algorithm(int ranks, std::size_t bytes) {
    return tuned_choice(bcast_choices, ranks, bytes);
}

TunedCalls tuned_bcast(const Operation& operation, int ranks) {
    return {
        {LevelTask::bcast, tuned_bcast_algorithm(ranks, operation.bytes), operation.bytes, operation.root}};
}

/// Short vectors stay whole: counted in bytes, because a plan does not know the element size.
MessageSchedule bcast_schedule(const TunedCall& call, int ranks) {
    if (scatters(call, ranks)) {
        const ScatterAllgather blocks(ranks, call.bytes);
        MessageSchedule schedule = tree_bcast_schedule(blocks.scatter(), call.root);
        if (call.algorithm == scatter_allgather_ring)
            return then(std::move(schedule),
                        ring_schedule(ranks, block_bytes(call.bytes, ranks), ranks - 1, 0));
        exchange_scattered(schedule, blocks, call.root);
        return schedule;
    }
    const bool halves = call.algorithm == split_binary;
    const std::size_t part = halves ? (call.bytes + 1) / 2 : call.bytes;
    MessageSchedule schedule = tree_bcast_schedule(
        {children_of(call.algorithm, ranks, call.radix), std::vector<std::size_t>(ranks, part)}, call.root);
    if (halves) swap_halves(schedule, part, call.root);
    return schedule;
}

/// A closer prediction than by the schedule: an exchange also keeps its receiver busy.
std::optional<double> scatter_allgather_us(FlatModel& model, const TunedCall& call) {
    const int ranks = model.ranks();
    if (call.task != LevelTask::bcast || !scatters(call, ranks)) return std::nullopt;
    const ScatterAllgather blocks(ranks, call.bytes);
    std::vector<double> have = run_schedule(model, tree_bcast_schedule(blocks.scatter(), call.root));
    for (int step = 1; step < ranks; step *= 2) {
        std::vector<double> next = have;
        blocks.each_exchange(step, [&](int partner, int v, std::size_t part) {
            const int from = (call.root + partner) % ranks;
            const int to = (call.root + v) % ranks;
            next[to] = std::max(next[to], model.send(from, to, part, have[from]));
        });
        have = std::move(next);
    }
    return latest(have);
}

}  // namespace strata::algorithms
