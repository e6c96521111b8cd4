#include "latency_measurement.h"

#include <algorithm>

namespace bench {

namespace {

constexpr int most_discarded_in_a_row = 50;
constexpr std::int64_t latecomer_ns = 1'000'000;

// On rank 0: how many ranks left before the last one had entered.
std::int64_t left_early(Conductor& conductor, std::int64_t entered_ns, std::int64_t left_ns) {
    const auto entries = conductor.gather(conductor.common(entered_ns));
    const std::int64_t last = entries.empty() ? 0 : *std::max_element(entries.begin(), entries.end());
    const auto exits = conductor.gather(conductor.common(left_ns));
    return std::count_if(exits.begin(), exits.end(),
                         [&](std::int64_t exit) { return exit + conductor.uncertainty_ns() < last; });
}

// The same for a Barrier which one rank enters late. With a common start alone, a Barrier that does nothing
// would often pass.
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

Measurement::Measurement(Conductor& conductor, const Operation& operation, Calls& calls, std::uint64_t size,
                         const Options& options)
    : conductor_(conductor),
      operation_(operation),
      options_(options),
      collective_(operation.make(size, calls)) {
    result_.bytes = collective_->bytes();
    conductor_.compare_clocks();
}

Result Measurement::run() {
    for (std::uint64_t repetition = 0; repeat(repetition); ++repetition) {
    }
    return result_;
}

int Measurement::rank_in_turn(std::uint64_t repetition) const {
    return static_cast<int>(repetition % static_cast<std::uint64_t>(conductor_.size()));
}

bool Measurement::enough() const {
    return discarded_in_a_row_ >= most_discarded_in_a_row ||
           (result_.times_us.size() >= static_cast<std::size_t>(options_.repetitions) &&
            total_us_ >= options_.min_time_s * 1e6);
}

bool Measurement::repeat(std::uint64_t repetition) {
    const int root = options_.root_rank() == rotating_root ? rank_in_turn(repetition) : options_.root_rank();
    collective_->prepare(repetition, root);
    if (!conductor_.start(!enough(), options_.spin_ns())) return false;

    const std::int64_t entered_ns = now_ns();
    collective_->call(root);
    const std::int64_t left_ns = now_ns();
    const Outcome outcome = conductor_.finish(left_ns, collective_->awaited(root));

    result_.wrong_bytes += conductor_.sum(collective_->wrong_bytes(repetition, root));
    if (!operation_.sized) {
        result_.left_early += left_early(conductor_, entered_ns, left_ns);
        result_.left_early +=
            left_without(conductor_, *collective_, rank_in_turn(repetition), options_.spin_ns());
    }
    if (repetition >= static_cast<std::uint64_t>(options_.warm_up)) count(outcome);
    return true;
}

void Measurement::count(const Outcome& outcome) {
    if (outcome.late > 0) {
        ++result_.discarded;
        ++discarded_in_a_row_;
        return;
    }
    discarded_in_a_row_ = 0;
    result_.times_us.push_back(static_cast<double>(outcome.duration_ns) / 1e3);
    total_us_ += result_.times_us.back();
}

}  // namespace bench
