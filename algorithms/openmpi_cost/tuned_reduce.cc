// coll/tuned's reduce (tuned.h).
#include <algorithm>
#include <utility>

#include "algorithms/openmpi_cost/tuned.h"

namespace strata::algorithms {
namespace {

using enum Algorithm;

constexpr TunedChoice commuting_reduce_choices[] = {
    {4, 8, rabenseifner},
    {4, 16, binary},
    {4, 32, pipeline},
    {4, 262144, linear},
    {4, any_bytes, pipeline},
    {8, 4096, binary},
    {8, 65536, pipeline},
    {8, 262144, binomial},
    {8, 524288, linear},
    {8, 1048576, binomial},
    {8, any_bytes, linear},
    {16, 8192, binary},
    {16, any_bytes, binomial},
    {32, 4096, binary},
    {32, any_bytes, binomial},
    {256, any_bytes, binomial},
    {512, 8192, binomial},
    {512, 16384, in_order_binary},
    {512, any_bytes, binomial},
    {2048, any_bytes, binomial},
    {4096, 512, binomial},
    {4096, 1024, in_order_binary},
    {4096, 8192, binomial},
    {4096, 16384, in_order_binary},
    {4096, any_bytes, binomial},
    {any_ranks, 16, binomial},
    {any_ranks, 32, in_order_binary},
    {any_ranks, 1024, binomial},
    {any_ranks, 2048, in_order_binary},
    {any_ranks, 8192, binomial},
    {any_ranks, 16384, in_order_binary},
    {any_ranks, any_bytes, binomial},
};

constexpr TunedChoice ordered_reduce_choices[] = {
    {4, 8, in_order_binary},
    {4, any_bytes, linear},
    {8, any_bytes, linear},
    {16, 1024, in_order_binary},
    {16, 8192, linear},
    {16, 16384, in_order_binary},
    {16, 262144, linear},
    {16, any_bytes, in_order_binary},
    {128, any_bytes, in_order_binary},
    {256, 512, in_order_binary},
    {256, 1024, linear},
    {any_ranks, any_bytes, in_order_binary},
};

/// The root receives from the others one after the other, the last rank first.
MessageSchedule linear_schedule(int ranks, std::size_t bytes, int root) {
    MessageSchedule schedule(ranks);
    for (int r = ranks - 1; r >= 0; --r) {
        if (r == root) continue;
        schedule.send(r, root, bytes);
        schedule.receive(root, r, bytes);
    }
    return schedule;
}

/// Up a tree: a rank combines its children's vectors in order, with each receive posted one step ahead, and
/// sends the result on.
MessageSchedule tree_reduce_schedule(const FlatChildren& children, std::size_t bytes, int root) {
    const int ranks = static_cast<int>(children.size());
    MessageSchedule schedule(ranks);
    std::vector<int> parent(ranks, -1);
    const auto rank_of = [&](int v) { return (root + v) % ranks; };
    for (int v = 0; v < ranks; ++v) {
        for (const int child : children[v]) {
            parent[child] = v;
            schedule.receive(rank_of(v), rank_of(child), bytes);
        }
    }
    for (int v = 0; v < ranks; ++v) {
        if (parent[v] >= 0) schedule.send(rank_of(v), rank_of(parent[v]), bytes);
    }
    schedule.ask_ahead();
    return schedule;
}

MessageSchedule in_order_schedule(int ranks, std::size_t bytes, int root) {
    MessageSchedule schedule = tree_reduce_schedule(in_order_children(ranks), bytes, 0);
    if (root == ranks - 1) return schedule;
    schedule.send(ranks - 1, root, bytes);
    schedule.receive(root, ranks - 1);
    return schedule;
}

/// Nearest children first, because they finish first.
FlatChildren ascending(FlatChildren children) {
    for (auto& own : children) std::reverse(own.begin(), own.end());
    return children;
}

}  // namespace

Algorithm tuned_reduce_algorithm(int ranks, std::size_t bytes, bool commutes) {
    return commutes ? tuned_choice(commuting_reduce_choices, ranks, bytes)
                    : tuned_choice(ordered_reduce_choices, ranks, bytes);
}

TunedCalls tuned_reduce(const Operation& operation, int ranks) {
    const Algorithm algorithm = tuned_reduce_algorithm(ranks, operation.bytes, !operation.rank_order);
    return {{LevelTask::reduce, algorithm, operation.bytes, operation.root}};
}

/// tuned's choice for one element, rabenseifner, needs several and becomes linear.
MessageSchedule reduce_schedule(const TunedCall& call, int ranks) {
    const auto up = [&](const FlatChildren& children) {
        return tree_reduce_schedule(children, call.bytes, call.root);
    };
    const std::size_t elements = call.bytes / tuned_element_bytes;
    switch (call.algorithm) {
        case chain: return up(chain_children(ranks, call.radix > 0 ? call.radix : info(chain).default_radix));
        case pipeline: return up(pipeline_children(ranks));
        case binary: return up(binary_children(ranks));
        case binomial: return up(ascending(knomial_children(ranks, 2)));
        case in_order_binary: return in_order_schedule(ranks, call.bytes, call.root);
        case rabenseifner:
            if (elements >= static_cast<std::size_t>(whole_power(ranks)))
                return halving_reduce_schedule(ranks, call.bytes, call.root);
            break;
        default: break;
    }
    return linear_schedule(ranks, call.bytes, call.root);
}

}  // namespace strata::algorithms
