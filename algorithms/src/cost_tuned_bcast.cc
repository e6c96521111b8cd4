// What the previous component would do: Open MPI's coll/tuned, release 4.1 (facts from its
// coll_tuned_decision_fixed.c for the table, coll_base_topo.c and coll_base_bcast.c for the patterns). Its
// fixed decision passes segment size 0 and fan-out 0: nothing is segmented, and its "chain" is one chain.
#include "cost_tuned_bcast.h"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "cost_flat.h"
#include "strata/algorithms/selector.h"

namespace strata::algorithms {
namespace {

constexpr std::size_t any_bytes = std::numeric_limits<std::size_t>::max();
constexpr int any_ranks = std::numeric_limits<int>::max();
constexpr int tuned_radix = 4;  // coll_tuned_bcast_algorithm_knomial_radix

struct Choice {
    int below_ranks;
    std::size_t below_bytes;
    Algorithm algorithm;
};

using enum Algorithm;
// The first row whose two limits are both above the communicator's size and the message's.
constexpr std::array<Choice, 44> choices{{
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
}};

using Children = std::vector<std::vector<int>>;

Children linear_children(int size) {
    Children children(size);
    for (int v = 1; v < size; ++v) children[0].push_back(v);
    return children;
}

Children pipeline_children(int size) {
    Children children(size);
    for (int v = 1; v < size; ++v) children[v - 1].push_back(v);
    return children;
}

/// Level k holds 2^k ranks; a rank's children are 2^k and 2 * 2^k further on.
Children binary_children(int size) {
    Children children(size);
    for (int v = 0; v < size; ++v) {
        const int width = 1 << (std::bit_width(static_cast<unsigned>(v) + 1) - 1);
        for (const int child : {v + width, v + 2 * width}) {
            if (child < size) children[v].push_back(child);
        }
    }
    return children;
}

/// Distance doubling: every rank that has the message serves the one 2^k further on, k growing.
Children binomial_children(int size) {
    Children children(size);
    for (int v = 0; v < size; ++v) {
        const int first = v == 0 ? 1 : 1 << std::bit_width(static_cast<unsigned>(v));
        for (int step = first; v + step < size; step *= 2) children[v].push_back(v + step);
    }
    return children;
}

/// Distance shrinking by the radix: contiguous subtrees, the farthest served first.
Children knomial_children(int size, int radix) {
    Children children(size);
    for (int v = 0; v < size; ++v) {
        int step = 1;
        while (step < size && v % (radix * step) == 0) step *= radix;
        for (step /= radix; step > 0; step /= radix) {
            for (int child = v + step; child < std::min(size, v + radix * step); child += step) {
                children[v].push_back(child);
            }
        }
    }
    return children;
}

Children children_of(Algorithm algorithm, int size) {
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

double latest(const std::vector<double>& times) { return *std::max_element(times.begin(), times.end()); }

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

Algorithm tuned_bcast_algorithm(int ranks, std::size_t bytes) {
    for (const Choice& choice : choices) {
        if (ranks < choice.below_ranks && (bytes < choice.below_bytes || choice.below_bytes == any_bytes)) {
            return choice.algorithm;
        }
    }
    return Algorithm::linear;
}

double forward_cost_us(const topology::Hierarchy& hierarchy, const LinkTable& links, std::size_t bytes,
                       int root) {
    FlatModel model(hierarchy, links);
    const int size = model.ranks();
    if (size < 2) return 0;
    Algorithm algorithm = tuned_bcast_algorithm(size, bytes);
    // Too few elements to cut: counted as bytes here, the element size being no part of a plan.
    if (algorithm == Algorithm::scatter_allgather && bytes < static_cast<std::size_t>(size)) {
        algorithm = Algorithm::linear;
    }
    if (algorithm == Algorithm::scatter_allgather) return scatter_allgather_us(model, bytes, root);
    if (algorithm == Algorithm::split_binary) return split_binary_us(model, bytes, root);
    return latest(
        model.run_tree({children_of(algorithm, size), std::vector<std::size_t>(size, bytes)}, root));
}

}  // namespace strata::algorithms
