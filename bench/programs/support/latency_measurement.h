// Times an operation on data of one size, repetition by repetition, with all parties in turn.

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
    std::uint64_t bytes = 0;  // data size after rounding
    std::vector<double> times_us;
    std::int64_t wrong_bytes = 0;
    std::int64_t left_early = 0;  // times a rank left a Barrier before the last one had entered
    std::int64_t discarded = 0;   // repetitions whose start came too late for some rank

    bool right() const { return wrong_bytes == 0 && left_early == 0; }
};

// Runs repetitions of one size, in each of them every party once, in an order that changes (in_turn()).
// A repetition is one call, or a block of calls one after the other with buffers of their own. All parties
// use the same buffers. Every rank takes part; rank 0 has the complete results.
class Measurement {
public:
    // `root` is a result of root_rank(). `size` is 0 for operations without data. `before` holds earlier
    // results of the same measurement by party, or is empty.
    Measurement(Conductor& conductor, const Operation& operation, std::span<Calls* const> parties, int root,
                std::uint64_t size, const Options& options, std::vector<Result> before = {});

    // Repeats until every party has `repetitions`, those of `before` included, and this share of the
    // time was spent. Returns results by party.
    std::vector<Result> run(int repetitions, double share = 1);

private:
    struct Turn {
        Calls* calls = nullptr;
        Result result;
        int discarded_in_a_row = 0;
    };

    int rank_in_turn(std::uint64_t repetition) const;
    // Returns true if every party has the repetitions and together they spent the time, or if one party
    // started too late too often in a row.
    bool enough() const;
    // Returns false, and does nothing, if the measurement is complete.
    bool repeat(std::uint64_t repetition);
    // Runs the calls of one repetition of one party.
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
    std::vector<std::unique_ptr<Collective>> block_;
    std::uint64_t calls_ = 0;
};

}  // namespace bench
