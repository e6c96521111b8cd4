// How long an operation on data of one size takes, repetition by repetition, everybody in turn.

#pragma once

#include <cstdint>
#include <memory>
#include <span>
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

// One repetition after another on one size, and in each everybody once, in an order that changes (in_turn()).
// All work on the same buffers. Every rank takes part; results are complete on rank 0.
class Measurement {
public:
    // `root`: as root_rank() tells. `size`: 0 for operations without data.
    // `before`: what was measured of the same, by party; empty: nothing.
    Measurement(Conductor& conductor, const Operation& operation, std::span<Calls* const> parties, int root,
                std::uint64_t size, const Options& options, std::vector<Result> before = {});

    // Until everybody has so many repetitions, from before among them, and this share of the time was
    // taken. By party.
    std::vector<Result> run(int repetitions, double share = 1);

private:
    struct Turn {
        Calls* calls = nullptr;
        Result result;
        int discarded_in_a_row = 0;
    };

    int rank_in_turn(std::uint64_t repetition) const;
    // All ranks have the repetitions and took the time together, or no rank gets any.
    bool enough() const;
    // False, with nothing done, if it was enough.
    bool repeat(std::uint64_t repetition);
    // One call of one party.
    bool call(Turn& turn, std::uint64_t repetition, bool more);
    static void count(const Outcome& outcome, Turn& turn);

    Conductor& conductor_;
    const Operation& operation_;
    const Options& options_;
    int root_;
    int repetitions_ = 0;
    std::uint64_t before_ = 0;  // repetitions
    double least_us_ = 0;
    std::vector<Turn> turns_;
    std::unique_ptr<Collective> collective_;
    std::uint64_t calls_ = 0;
};

}  // namespace bench
