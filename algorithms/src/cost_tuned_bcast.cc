// coll/tuned's broadcast (cost_tuned.h).
#include <algorithm>

#include "cost_tuned.h"

namespace strata::algorithms {
namespace {

constexpr int tuned_radix = 4;  // coll_tuned_bcast_algorithm_knomial_radix

using enum Algorithm;
constexpr TunedChoice choices[] = {
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

FlatChildren children_of(Algorithm algorithm, int size) {
    switch (algorithm) {
        case Algorithm::pipeline: return pipeline_children(size);
        case Algorithm::binary:
        case Algorithm::split_binary: return binary_children(size);
        case Algorithm::binomial: return binomial_children(size);
        case Algorithm::knomial: return knomial_children(size, tuned_radix);
        case Algorithm::scatter_allgather: return knomial_children(size, 2);
        default: return linear_children(size);
    }
}

/// Both halves go down one subtree each of a binary tree; then neighbours of different subtrees swap halves.
double split_binary_us(FlatModel& model, std::size_t bytes, int root) {
    const int size = model.ranks();
    const std::size_t half = (bytes + 1) / 2;
    const auto have = model.run_tree(
        {children_of(Algorithm::split_binary, size), std::vector<std::size_t>(size, half)}, root);
    std::vector<double> done = have;
    const auto rank_of = [&](int v) { return (root + v) % size; };
    for (int left = 1; left + 1 < size; left += 2) {
        const int right = left + 1;
        done[right] = std::max(have[right], model.send(rank_of(left), rank_of(right), half, have[left]));
        done[left] = std::max(have[left], model.send(rank_of(right), rank_of(left), half, have[right]));
    }
    if (size % 2 == 0) {
        done[size - 1] = std::max(done[size - 1], model.send(root, rank_of(size - 1), half, have[0]));
    }
    return latest(done);
}

/// Blocks scattered down a binomial tree, then exchanged by recursive doubling. A rank whose partner does not
/// exist (ranks no power of two) takes its blocks from another one of the partner's side: a round less than
/// in the original.
double scatter_allgather_us(FlatModel& model, std::size_t bytes, int root) {
    const int size = model.ranks();
    const std::size_t block = (bytes + size - 1) / size;
    const auto held = [&](int first, int count) {  // bytes of the blocks first .. first + count - 1
        const std::size_t begin = std::min(bytes, block * first);
        return std::min(bytes, block * (static_cast<std::size_t>(first) + count)) - begin;
    };
    FlatTree scatter{children_of(Algorithm::scatter_allgather, size), std::vector<std::size_t>(size, 0)};
    for (int v = 1; v < size; ++v) scatter.bytes[v] = held(v, v & -v);
    std::vector<double> have = model.run_tree(scatter, root);
    for (int step = 1; step < size; step *= 2) {
        std::vector<double> next = have;
        for (int v = 0; v < size; ++v) {
            const int side = (v ^ step) / step * step;  // first rank of the partner's side
            if (side >= size) continue;
            const int partner = side + (v % step) % std::min(step, size - side);
            const double arrival =
                model.send((root + partner) % size, (root + v) % size, held(side, step), have[partner]);
            next[v] = std::max(next[v], arrival);
        }
        have = std::move(next);
    }
    return latest(have);
}

}  // namespace

Algorithm tuned_bcast_algorithm(int ranks, std::size_t bytes) { return tuned_choice(choices, ranks, bytes); }

double bcast_us(const topology::Hierarchy& hierarchy, const LinkTable& links, Algorithm algorithm,
                std::size_t bytes, int root, double crowding) {
    FlatModel model(hierarchy, links, crowding);
    const int size = model.ranks();
    // Too few elements to cut: counted as bytes here, the element size being no part of a plan.
    if (algorithm == Algorithm::scatter_allgather && bytes < static_cast<std::size_t>(size)) {
        algorithm = Algorithm::linear;
    }
    if (algorithm == Algorithm::scatter_allgather) {
        return model.shared_us(scatter_allgather_us(model, bytes, root));
    }
    if (algorithm == Algorithm::split_binary) return model.shared_us(split_binary_us(model, bytes, root));
    const FlatTree tree{children_of(algorithm, size), std::vector<std::size_t>(size, bytes)};
    return model.shared_us(latest(model.run_tree(tree, root)));
}

double tuned_bcast_us(const topology::Hierarchy& hierarchy, const LinkTable& links,
                      const Operation& operation, double crowding) {
    const Algorithm algorithm = tuned_bcast_algorithm(hierarchy.ranks(), operation.bytes);
    return bcast_us(hierarchy, links, algorithm, operation.bytes, operation.root, crowding);
}

}  // namespace strata::algorithms
