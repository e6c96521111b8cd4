// Trees and linear patterns of many ranks, without their message schedules (tuned.h).
#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "algorithms/openmpi_cost/tuned.h"

namespace strata::algorithms {
namespace {

using enum Algorithm;

/// A tree over virtual ranks v, of which 0 is the root: v's children are v + j d for d = 1, radix, radix^2,
/// ... below v's own distance, j = 1 ... radix - 1. All messages of one distance make a round.
class RoundTree {
public:
    RoundTree(FlatModel& model, const TunedCall& call, int radix)
        : model_(model), call_(call), radix_(radix), have_(static_cast<std::size_t>(model.ranks()), 0) {}

    /// From the root on, the farthest children first.
    double down() {
        std::int64_t distance = 1;
        while (distance * radix_ < ranks()) distance *= radix_;
        for (; distance >= 1; distance /= radix_) {
            each(distance, [&](std::int64_t parent, std::int64_t child) {
                have_[child] =
                    model_.send(rank_of(parent), rank_of(child), bytes(child, distance), have_[parent]);
            });
        }
        return latest(have_);
    }
    /// From the root on, the nearest children first: its number of messages doubles from round to round.
    double down_from_the_nearest() {
        for (std::int64_t distance = 1; distance < ranks(); distance *= 2) {
            for (std::int64_t v = 0; v < distance && v + distance < ranks(); ++v)
                have_[v + distance] = model_.send(rank_of(v), rank_of(v + distance), call_.bytes, have_[v]);
        }
        return latest(have_);
    }
    /// To the root, the nearest children first. `combined`: bytes combined with each message.
    double up(std::size_t combined) {
        const double combine = model_.combine_us(combined);
        for (std::int64_t distance = 1; distance < ranks(); distance *= radix_) {
            each(distance, [&](std::int64_t parent, std::int64_t child) {
                const int from = rank_of(child);
                const int to = rank_of(parent);
                const std::size_t message = bytes(child, distance);
                const double arrival = model_.transmit(from, to, message, have_[child]);
                have_[parent] =
                    std::max(arrival, have_[parent] + model_.work_us(from, to, message)) + combine;
            });
        }
        return have_.front();
    }

    double up_and_down() {
        up(0);
        return down();
    }

private:
    std::int64_t ranks() const { return static_cast<std::int64_t>(have_.size()); }
    int rank_of(std::int64_t v) const { return static_cast<int>((call_.root + v) % ranks()); }
    template <typename Action>
    void each(std::int64_t distance, Action&& action) const {
        for (int j = 1; j < radix_; ++j) {
            for (std::int64_t v = 0; v + j * distance < ranks(); v += distance * radix_)
                action(v, v + j * distance);
        }
    }
    /// Returns the bytes on the edge to a child: a vector, or the blocks of its subtree.
    std::size_t bytes(std::int64_t child, std::int64_t distance) const {
        const bool blocks = call_.task == LevelTask::gather || call_.task == LevelTask::scatter;
        return call_.bytes * static_cast<std::size_t>(blocks ? std::min(distance, ranks() - child) : 1);
    }

    FlatModel& model_;
    const TunedCall& call_;
    std::int64_t radix_;
    std::vector<double> have_;  ///< us, by virtual rank
};

/// Returns the vertices of a tree, parents first, level by level.
std::vector<int> by_depth(const FlatChildren& children, int root) {
    std::vector<int> order{root};
    order.reserve(children.size());
    for (std::size_t next = 0; next < order.size(); ++next) {
        const std::vector<int>& own = children[static_cast<std::size_t>(order[next])];
        order.insert(order.end(), own.begin(), own.end());
    }
    return order;
}

/// A vector down a binary tree over virtual ranks, level by level.
double binary_bcast_us(FlatModel& model, const TunedCall& call) {
    const int ranks = model.ranks();
    const FlatChildren children = binary_children(ranks);
    std::vector<double> have(children.size(), 0);
    for (const int v : by_depth(children, 0)) {
        for (const int child : children[v])
            have[child] =
                model.send((call.root + v) % ranks, (call.root + child) % ranks, call.bytes, have[v]);
    }
    return latest(have);
}

/// Vectors up a tree over ranks whose root sends the result to the call's root.
double in_order_reduce_us(FlatModel& model, const TunedCall& call) {
    const int ranks = model.ranks();
    const FlatChildren children = in_order_children(ranks);
    const std::vector<int> order = by_depth(children, ranks - 1);
    const double combine = model.combine_us(call.bytes);
    std::vector<double> have(children.size(), 0);
    for (auto v = order.rbegin(); v != order.rend(); ++v) {
        for (const int child : children[*v]) {
            const double arrival = model.transmit(child, *v, call.bytes, have[child]);
            have[*v] = std::max(arrival, have[*v] + model.work_us(child, *v, call.bytes)) + combine;
        }
    }
    const double done = have[static_cast<std::size_t>(ranks) - 1];
    return call.root == ranks - 1 ? done : model.send(ranks - 1, call.root, call.bytes, done);
}

/// From the root to all others: a vector to the next rank first, blocks to rank 0 first. Exact.
double linear_down_us(FlatModel& model, const TunedCall& call) {
    const int ranks = model.ranks();
    const int first = call.task == LevelTask::bcast ? call.root : 0;
    double done = 0;
    for (int v = 0; v < ranks; ++v) {
        const int rank = (first + v) % ranks;
        if (rank != call.root) done = std::max(done, model.transmit(call.root, rank, call.bytes, 0));
    }
    return done;
}

/// The root receives from the last rank first. Exact: short messages leave at once, long ones when the root
/// receives them.
double linear_reduce_us(FlatModel& model, const TunedCall& call) {
    const int ranks = model.ranks();
    std::vector<double> arrivals(static_cast<std::size_t>(ranks), 0);
    const auto waits = [&](int rank) { return model.waits_for_receiver(rank, call.root, call.bytes); };
    for (int rank = 0; rank < ranks; ++rank) {
        if (rank != call.root && !waits(rank))
            arrivals[rank] = model.transmit(rank, call.root, call.bytes, 0);
    }
    const double combine = model.combine_us(call.bytes);
    double done = 0;
    for (int rank = ranks - 1; rank >= 0; --rank) {
        if (rank == call.root) continue;
        if (waits(rank)) arrivals[rank] = model.transmit(rank, call.root, call.bytes, done);
        done = std::max(arrivals[rank], done + model.work_us(rank, call.root, call.bytes)) + combine;
    }
    return done;
}

std::optional<double> bcast_by_round_us(FlatModel& model, const TunedCall& call) {
    switch (call.algorithm) {
        case binomial: return RoundTree(model, call, 2).down_from_the_nearest();
        case knomial:
            return RoundTree(model, call, call.radix > 0 ? call.radix : info(knomial).default_radix).down();
        case binary: return binary_bcast_us(model, call);
        case linear: return linear_down_us(model, call);
        default: return std::nullopt;
    }
}

}  // namespace

std::optional<double> by_round_us(FlatModel& model, const TunedCall& call) {
    const auto tree = [&] { return RoundTree(model, call, 2); };
    switch (call.task) {
        case LevelTask::bcast: return bcast_by_round_us(model, call);
        case LevelTask::reduce:
            if (call.algorithm == binomial) return tree().up(call.bytes);
            if (call.algorithm == in_order_binary) return in_order_reduce_us(model, call);
            if (call.algorithm == linear) return linear_reduce_us(model, call);
            return std::nullopt;
        case LevelTask::gather:
            return call.algorithm == binomial ? std::optional(tree().up(0)) : std::nullopt;
        case LevelTask::scatter:
            if (call.algorithm == binomial) return tree().down();
            if (call.algorithm == linear_nb) return linear_down_us(model, call);
            return std::nullopt;
        case LevelTask::barrier:
            return call.algorithm == recursive_tree ? std::optional(tree().up_and_down()) : std::nullopt;
        default: return std::nullopt;
    }
}

}  // namespace strata::algorithms
