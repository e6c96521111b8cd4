#include "latency_measurement.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "turns.h"

namespace bench {

namespace {

constexpr int most_discarded_in_a_row = 50;
constexpr std::int64_t latecomer_ns = 1'000'000;
constexpr std::uint64_t most_bytes_in_block = 1 << 20;

// Returns the number of calls in a repetition.
std::uint64_t calls_in_block(const Options& options, std::uint64_t bytes) {
    const std::uint64_t fitting = most_bytes_in_block / std::max<std::uint64_t>(bytes, 1);
    return std::clamp<std::uint64_t>(fitting, 1, static_cast<std::uint64_t>(options.block));
}

// Returns, on rank 0, how many ranks left before the last one had entered.
std::int64_t left_early(Conductor& conductor, std::int64_t entered_ns, std::int64_t left_ns) {
    const auto entries = conductor.gather(conductor.common(entered_ns));
    const std::int64_t last = entries.empty() ? 0 : *std::max_element(entries.begin(), entries.end());
    const auto exits = conductor.gather(conductor.common(left_ns));
    return std::count_if(exits.begin(), exits.end(),
                         [&](std::int64_t exit) { return exit + conductor.uncertainty_ns() < last; });
}

// Does the same for a Barrier that one rank enters late. With a common start alone, a Barrier that does
// nothing would often pass.
std::int64_t left_without(Conductor& conductor, Collective& barrier, int latecomer, std::int64_t spin_ns) {
    conductor.start(true, spin_ns);
    if (conductor.rank() == latecomer) wait_until(now_ns() + latecomer_ns, spin_ns);
    const std::int64_t entered_ns = now_ns();
    barrier.call(0);
    const std::int64_t left_ns = now_ns();
    conductor.finish(left_ns);
    return left_early(conductor, entered_ns, left_ns);
}

}  // namespace

Measurement::Measurement(Conductor& conductor, const Operation& operation, std::span<Calls* const> parties,
                         int root, std::uint64_t size, const Options& options, std::vector<Result> before)
    : conductor_(conductor), operation_(operation), options_(options), root_(root) {
    for (std::uint64_t left = calls_in_block(options, size); left > 0; --left)
        block_.push_back(operation.make(size, *parties.front()));
    for (Calls* const one : parties) {
        Result result = before.empty() ? Result{} : std::move(before[turns_.size()]);
        turns_.push_back({.calls = one, .result = std::move(result)});
        turns_.back().result.bytes = block_.front()->bytes();
    }
    // Only rank 0 knows the dropped times, and all ranks have to choose the same turn.
    before_ = static_cast<std::uint64_t>(
        conductor_.agree(static_cast<std::int64_t>(turns_.front().result.times_us.size())));
    conductor_.compare_clocks();
}

std::vector<Result> Measurement::run(int repetitions, double share) {
    repetitions_ = repetitions;
    least_us_ = share * options_.min_time_s * 1e6;
    for (std::uint64_t repetition = 0; repeat(repetition); ++repetition) {
    }
    std::vector<Result> results;
    for (Turn& turn : turns_) results.push_back(std::move(turn.result));
    return results;
}

int Measurement::rank_in_turn(std::uint64_t repetition) const {
    return static_cast<int>((before_ + repetition) % static_cast<std::uint64_t>(conductor_.size()));
}

bool Measurement::enough() const {
    double total_us = 0;
    bool all = true;
    for (const auto& [calls, result, discarded_in_a_row] : turns_) {
        if (discarded_in_a_row >= most_discarded_in_a_row) return true;
        all = all && result.times_us.size() >= static_cast<std::size_t>(repetitions_);
        total_us += std::accumulate(result.times_us.begin(), result.times_us.end(), 0.0);
    }
    return all &&
           total_us * static_cast<double>(block_.size()) >= least_us_ * static_cast<double>(turns_.size());
}

bool Measurement::repeat(std::uint64_t repetition) {
    const std::size_t count = turns_.size();
    bool more = !enough();
    for (std::size_t step = 0; step < count; ++step) {
        if (!call(turns_[in_turn(before_ + repetition, step, count)], repetition, more)) return false;
        more = true;
    }
    return true;
}

bool Measurement::call(Turn& turn, std::uint64_t repetition, bool more) {
    const int root = root_ == rotating_root ? rank_in_turn(repetition) : root_;
    const std::uint64_t first = calls_;  // no two calls have the same data
    for (const auto& one : block_) {
        one->let(*turn.calls);
        one->prepare(calls_++, root);
    }
    if (!conductor_.start(more, options_.spin_ns())) return false;

    std::int64_t entered_ns = 0;
    for (const auto& one : block_) {
        if (&one == &block_.back()) entered_ns = now_ns();
        one->call(root);
    }
    const std::int64_t left_ns = now_ns();
    Collective& last = *block_.back();
    Outcome outcome = conductor_.finish(left_ns, last.awaits_me(root), last.awaited(root));
    outcome.duration_ns /= static_cast<std::int64_t>(block_.size());

    std::int64_t wrong_bytes = 0;
    for (std::size_t place = 0; place < block_.size(); ++place)
        wrong_bytes += block_[place]->wrong_bytes(first + place, root);
    turn.result.wrong_bytes += conductor_.sum(wrong_bytes);
    if (!operation_.sized) {
        turn.result.left_early += left_early(conductor_, entered_ns, left_ns);
        turn.result.left_early +=
            left_without(conductor_, last, rank_in_turn(repetition), options_.spin_ns());
    }
    if (repetition >= static_cast<std::uint64_t>(options_.warm_up)) count(outcome, turn);
    return true;
}

void Measurement::count(const Outcome& outcome, Turn& turn) {
    if (outcome.late > 0) {
        ++turn.result.discarded;
        ++turn.discarded_in_a_row;
        return;
    }
    turn.discarded_in_a_row = 0;
    turn.result.times_us.push_back(static_cast<double>(outcome.duration_ns) / 1e3);
}

}  // namespace bench
