#include "algorithms/openmpi_cost/level_patterns.h"

#include <algorithm>

#include "algorithms/openmpi_cost/tuned.h"

namespace strata::algorithms {
namespace {

using enum Algorithm;

MessageSchedule tree_bcast(const FlatChildren& children, std::size_t bytes, int root) {
    const int ranks = static_cast<int>(children.size());
    MessageSchedule program(ranks);
    const auto rank_of = [&](int v) { return (root + v) % ranks; };
    for (int v = 0; v < ranks; ++v) {
        for (const int child : children[v]) program.receive(rank_of(child), rank_of(v));
    }
    for (int v = 0; v < ranks; ++v) {
        for (const int child : children[v]) {
            // All are under way at once; then the rank waits for them.
            const bool last = child == children[v].back();
            program.steps[rank_of(v)].push_back({.to = rank_of(child), .bytes = bytes, .waits = last});
        }
    }
    return program;
}

/// Each half goes down one subtree of a binary tree; then neighbours of different subtrees swap halves.
MessageSchedule split_binary_bcast(int ranks, std::size_t bytes, int root) {
    const std::size_t half = (bytes + 1) / 2;
    MessageSchedule program = tree_bcast(binary_children(ranks), half, root);
    const auto rank_of = [&](int v) { return (root + v) % ranks; };
    for (int left = 1; left + 1 < ranks; left += 2) {
        const int a = rank_of(left);
        const int b = rank_of(left + 1);
        program.steps[a].push_back({b, half, b});
        program.steps[b].push_back({a, half, a});
    }
    if (ranks % 2 == 0) {
        program.send(root, rank_of(ranks - 1), half);
        program.receive(rank_of(ranks - 1), root);
    }
    return program;
}

/// A vector cut into one block per virtual rank.
struct Blocks {
    std::size_t bytes;
    std::size_t block;
    std::size_t held(int first, int count) const {
        const std::size_t begin = std::min(bytes, block * static_cast<std::size_t>(first));
        return std::min(bytes, block * static_cast<std::size_t>(first + count)) - begin;
    }
};

/// Down a binomial tree, the farthest child first, every message complete before the next.
MessageSchedule scatter_blocks(int ranks, const Blocks& blocks, int root) {
    MessageSchedule program(ranks);
    const auto rank_of = [&](int v) { return (root + v) % ranks; };
    const auto held = [&](int v) { return blocks.held(v, std::min(v & -v, ranks - v)); };
    for (int v = 1; v < ranks; ++v) {
        if (held(v) > 0) program.receive(rank_of(v), rank_of(v & (v - 1)));
    }
    const FlatChildren children = knomial_children(ranks, 2);
    for (int v = 0; v < ranks; ++v) {
        for (const int child : children[v]) {
            if (held(child) > 0) program.send(rank_of(v), rank_of(child), held(child));
        }
    }
    return program;
}

/// Recursive doubling over the blocks. A rank whose partner does not exist takes its blocks from another one
/// of the partner's side (as in tuned_bcast.cc).
MessageSchedule scatter_allgather_bcast(int ranks, std::size_t bytes, int root) {
    const Blocks blocks{bytes, block_bytes(bytes, ranks)};
    MessageSchedule program = scatter_blocks(ranks, blocks, root);
    const auto rank_of = [&](int v) { return (root + v) % ranks; };
    for (int step = 1; step < ranks; step *= 2) {
        std::vector<std::vector<int>> receivers(static_cast<std::size_t>(ranks));
        std::vector<int> partner(static_cast<std::size_t>(ranks), -1);
        for (int v = 0; v < ranks; ++v) {
            const int side = (v ^ step) / step * step;
            if (side >= ranks) continue;
            partner[v] = side + (v % step) % std::min(step, ranks - side);
            auto& own = receivers[partner[v]];
            const bool mutual = (v ^ step) == partner[v];
            own.insert(mutual ? own.begin() : own.end(), v);
        }
        for (int v = 0; v < ranks; ++v) {
            const std::size_t held = blocks.held(v / step * step, step);
            FlatStep first{.from = partner[v] < 0 ? -1 : rank_of(partner[v])};
            std::size_t next = 0;
            if (!receivers[v].empty() && receivers[v].front() == partner[v]) {
                first.to = rank_of(receivers[v][next++]);
                first.bytes = held;
            }
            if (first.to >= 0 || first.from >= 0) program.steps[rank_of(v)].push_back(first);
            for (; next < receivers[v].size(); ++next) {
                program.send(rank_of(v), rank_of(receivers[v][next]), held);
            }
        }
    }
    return program;
}

}  // namespace

MessageSchedule then(MessageSchedule first, const MessageSchedule& second) {
    for (std::size_t r = 0; r < first.steps.size(); ++r) {
        const std::size_t joint = first.steps[r].size();
        first.steps[r].insert(first.steps[r].end(), second.steps[r].begin(), second.steps[r].end());
        if (joint < first.steps[r].size()) first.steps[r][joint].early = false;
    }
    return first;
}

MessageSchedule bcast_program(Algorithm algorithm, int radix, int ranks, std::size_t bytes, int root) {
    const bool cuts = algorithm == scatter_allgather || algorithm == scatter_allgather_ring;
    if (cuts && bytes < static_cast<std::size_t>(ranks)) algorithm = linear;
    if (radix == 0) radix = info(algorithm).default_radix;
    switch (algorithm) {
        case chain: return tree_bcast(chain_children(ranks, radix), bytes, root);
        case pipeline: return tree_bcast(pipeline_children(ranks), bytes, root);
        case binary: return tree_bcast(binary_children(ranks), bytes, root);
        case binomial: return tree_bcast(binomial_children(ranks), bytes, root);
        case knomial: return tree_bcast(knomial_children(ranks, radix), bytes, root);
        case split_binary: return split_binary_bcast(ranks, bytes, root);
        case scatter_allgather: return scatter_allgather_bcast(ranks, bytes, root);
        case scatter_allgather_ring: {
            const Blocks blocks{bytes, block_bytes(bytes, ranks)};
            return then(scatter_blocks(ranks, blocks, root), ring_program(ranks, blocks.block, ranks - 1, 0));
        }
        default: return tree_bcast(linear_children(ranks), bytes, root);
    }
}

MessageSchedule gatherv_program(const std::vector<std::size_t>& parts, int root) {
    const int ranks = static_cast<int>(parts.size());
    MessageSchedule program(ranks);
    for (int r = 0; r < ranks; ++r) {
        if (r == root || parts[r] == 0) continue;
        program.send(r, root, parts[r]);
        program.receive(root, r);
    }
    return program;
}

MessageSchedule scatterv_program(const std::vector<std::size_t>& parts, int root, bool waits) {
    const int ranks = static_cast<int>(parts.size());
    MessageSchedule program(ranks);
    for (int r = 0; r < ranks; ++r) {
        if (r == root || parts[r] == 0) continue;
        program.steps[root].push_back({.to = r, .bytes = parts[r], .waits = waits});
        program.receive(r, root);
    }
    return program;
}

MessageSchedule exchange_program(std::size_t bytes) {
    MessageSchedule program(2);
    program.steps[0].push_back({1, bytes, 1});
    program.steps[1].push_back({0, bytes, 0});
    return program;
}

MessageSchedule double_ring_program(int ranks) {
    MessageSchedule program(ranks);
    for (int round = 0; round < 2; ++round) {
        for (int r = 0; r < ranks; ++r) {
            const int left = (r + ranks - 1) % ranks;
            if (r > 0) program.receive(r, left);
            program.send(r, (r + 1) % ranks, 0);
            if (r == 0) program.receive(r, left);
        }
    }
    return program;
}

}  // namespace strata::algorithms
