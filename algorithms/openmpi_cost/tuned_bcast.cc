// coll/tuned's broadcast (tuned.h).
#include <algorithm>

#include "algorithms/openmpi_cost/tuned.h"

namespace strata::algorithms {
namespace {

constexpr int tuned_radix = 4;  // coll_tuned_bcast_algorithm_knomial_radix

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
class ScatterAllgather {
public:
    ScatterAllgather(int size, std::size_t bytes) : size_(size), bytes_(bytes) {}

    FlatTree scatter() const {
        FlatTree tree{children_of(Algorithm::scatter_allgather, size_), std::vector<std::size_t>(size_, 0)};
        for (int v = 1; v < size_; ++v) tree.bytes[v] = held(v, v & -v);
        return tree;
    }
    /// Calls action(partner, v, bytes) for everybody who takes something in this step.
    template <typename Action>
    void each_exchange(int step, Action&& action) const {
        for (int v = 0; v < size_; ++v) {
            const int side = (v ^ step) / step * step;  // first rank of the partner's side
            if (side >= size_) continue;
            action(side + (v % step) % std::min(step, size_ - side), v, held(side, step));
        }
    }

private:
    /// Bytes of the blocks first .. first + count - 1.
    std::size_t held(int first, int count) const {
        const std::size_t block = block_bytes(bytes_, size_);
        const std::size_t begin = std::min(bytes_, block * first);
        return std::min(bytes_, block * (static_cast<std::size_t>(first) + count)) - begin;
    }

    int size_;
    std::size_t bytes_;
};

double scatter_allgather_us(FlatModel& model, std::size_t bytes, int root) {
    const int size = model.ranks();
    const ScatterAllgather algorithm(size, bytes);
    std::vector<double> have = model.run_tree(algorithm.scatter(), root);
    for (int step = 1; step < size; step *= 2) {
        std::vector<double> next = have;
        algorithm.each_exchange(step, [&](int partner, int v, std::size_t part) {
            const double arrival =
                model.send((root + partner) % size, (root + v) % size, part, have[partner]);
            next[v] = std::max(next[v], arrival);
        });
        have = std::move(next);
    }
    return latest(have);
}

/// Every rank takes its parent's message, then sends to all its children at once.
MessageSchedule tree_bcast_program(const FlatTree& tree, int root) {
    const int size = static_cast<int>(tree.children.size());
    const auto rank_of = [&](int v) { return (root + v) % size; };
    MessageSchedule program(size);
    for (int v = 0; v < size; ++v) {
        for (const int child : tree.children[v]) program.receive(rank_of(child), rank_of(v));
    }
    for (int v = 0; v < size; ++v) {
        for (const int child : tree.children[v]) {
            program.steps[rank_of(v)].push_back(
                {.to = rank_of(child), .bytes = tree.bytes[child], .waits = false});
        }
    }
    return program;
}

/// Channel 1: what is swapped must not take the place of what comes down the tree.
void swap_halves(MessageSchedule& program, std::size_t half, int root) {
    const int size = static_cast<int>(program.steps.size());
    const auto rank_of = [&](int v) { return (root + v) % size; };
    for (int left = 1; left + 1 < size; left += 2) {
        const int a = rank_of(left);
        const int b = rank_of(left + 1);
        program.steps[a].push_back({.to = b, .bytes = half, .from = b, .channel = 1});
        program.steps[b].push_back({.to = a, .bytes = half, .from = a, .channel = 1});
    }
    if (size % 2 != 0) return;
    const int last = rank_of(size - 1);
    program.steps[root].push_back({.to = last, .bytes = half, .channel = 1});
    program.steps[last].push_back({.from = root, .channel = 1});
}

/// Too few elements to cut: counted as bytes here, the element size being no part of a plan.
Algorithm possible_bcast(Algorithm algorithm, int ranks, std::size_t bytes) {
    const bool cuts = algorithm == Algorithm::scatter_allgather;
    return cuts && bytes < static_cast<std::size_t>(ranks) ? Algorithm::linear : algorithm;
}

}  // namespace

Algorithm tuned_bcast_algorithm(int ranks, std::size_t bytes) {
    return tuned_choice(bcast_choices, ranks, bytes);
}

MessageSchedule bcast_program(Algorithm algorithm, int ranks, std::size_t bytes, int root) {
    algorithm = possible_bcast(algorithm, ranks, bytes);
    if (algorithm != Algorithm::scatter_allgather) {
        const bool halves = algorithm == Algorithm::split_binary;
        const std::size_t part = halves ? (bytes + 1) / 2 : bytes;
        MessageSchedule program =
            tree_bcast_program({children_of(algorithm, ranks), std::vector<std::size_t>(ranks, part)}, root);
        if (halves) swap_halves(program, part, root);
        return program;
    }
    const ScatterAllgather blocks(ranks, bytes);
    MessageSchedule program = tree_bcast_program(blocks.scatter(), root);
    const auto rank_of = [&](int v) { return (root + v) % ranks; };
    for (int step = 1; step < ranks; step *= 2) {
        blocks.each_exchange(step, [&](int partner, int v, std::size_t part) {
            program.steps[rank_of(partner)].push_back(
                {.to = rank_of(v), .bytes = part, .waits = false, .channel = 1});
        });
        blocks.each_exchange(step, [&](int partner, int v, std::size_t) {
            program.steps[rank_of(v)].push_back({.from = rank_of(partner), .channel = 1});
        });
    }
    return program;
}

double bcast_us(const topology::Hierarchy& hierarchy, const LinkTable& links, Algorithm algorithm,
                std::size_t bytes, int root) {
    FlatModel model(hierarchy, links);
    const int size = model.ranks();
    algorithm = possible_bcast(algorithm, size, bytes);
    if (algorithm == Algorithm::scatter_allgather) {
        return scatter_allgather_us(model, bytes, root);
    }
    if (algorithm == Algorithm::split_binary) return split_binary_us(model, bytes, root);
    const FlatTree tree{children_of(algorithm, size), std::vector<std::size_t>(size, bytes)};
    return latest(model.run_tree(tree, root));
}

double tuned_bcast_us(const topology::Hierarchy& hierarchy, const LinkTable& links,
                      const Operation& operation, FlatRounds& /*rounds*/) {
    const Algorithm algorithm = tuned_bcast_algorithm(hierarchy.ranks(), operation.bytes);
    return bcast_us(hierarchy, links, algorithm, operation.bytes, operation.root);
}

}  // namespace strata::algorithms
