// How long an operation on data of one size takes, repetition by repetition.

#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "agreed_start.h"
#include "collective_operations.h"
#include "latency_options.h"

namespace bench {

struct Result {
    std::uint64_t bytes = 0;  // of the data, after rounding
    std::vector<double> times_us;
    std::int64_t wrong_bytes = 0;
    std::int64_t left_early = 0;  // how often a rank left a Barrier before the last one had entered
    std::int64_t discarded = 0;   // repetitions whose start came too late for some rank

    bool right() const { return wrong_bytes == 0 && left_early == 0; }
};

// One repetition after another on one size. Every rank takes part; the result is complete on rank 0.
class Measurement {
public:
    Measurement(Conductor& conductor, const Operation& operation, Calls& calls, std::uint64_t size,
                const Options& options);

    Result run();

private:
    int rank_in_turn(std::uint64_t repetition) const;
    bool enough() const;
    // False, with nothing done, if it was enough.
    bool repeat(std::uint64_t repetition);
    void count(const Outcome& outcome);

    Conductor& conductor_;
    const Operation& operation_;
    const Options& options_;
    std::unique_ptr<Collective> collective_;
    Result result_;
    double total_us_ = 0;
    int discarded_in_a_row_ = 0;
};

}  // namespace bench
