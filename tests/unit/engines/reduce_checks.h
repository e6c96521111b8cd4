#pragma once
// Properties of every reduction engine, for any algorithm.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "reduce_runs.h"

namespace strata::testing {

struct CheckedEngine {
    /// One call of it on all ranks.
    std::function<ReduceRun(const ReduceCase&, const FabricOptions&, Arenas*)> run;
    /// A random case with at most these numbers of ranks and elements.
    std::function<ReduceCase(Random&, int ranks, std::size_t elements)> random_case;
    /// Returns the errors of a run that had to succeed, "" for none.
    std::function<std::string(const ReduceCase&, const ReduceRun&)> faults = faults_of;
};

inline void expect_no_memory_after_the_first_calls(const CheckedEngine& engine) {
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        Random random(seed);
        const ReduceCase reduce = engine.random_case(random, 16, 300);
        Arenas arenas(static_cast<std::size_t>(reduce.hierarchy.ranks()));
        const auto held = [&] {
            std::vector<std::size_t> sizes;
            for (const algorithms::Arena& arena : arenas) sizes.push_back(arena.held());
            return sizes;
        };
        engine.run(reduce, options_for(1, 0), &arenas);
        engine.run(reduce, options_for(2, 0), &arenas);
        const std::vector<std::size_t> sizes = held();
        for (std::uint64_t again = 3; again <= 5; ++again) {
            EXPECT_EQ(engine.faults(reduce, engine.run(reduce, options_for(again, 0), &arenas)), "");
            EXPECT_EQ(held(), sizes);
        }
    }
}

inline void expect_right_results_of_all_ranks_at_once(const CheckedEngine& engine) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        Random random(seed);
        const ReduceCase reduce = engine.random_case(random, 24, 300);
        const std::size_t eager_bytes[] = {0, 64, 200};
        FabricOptions options = options_for(seed, eager_bytes[seed % 3]);
        options.schedule = Schedule::concurrent;
        ASSERT_EQ(engine.faults(reduce, engine.run(reduce, options, nullptr)), "");
    }
}

inline void expect_every_failure_to_come_back(const CheckedEngine& engine) {
    int failures = 0;
    for (std::uint64_t seed = 1; seed <= 16; ++seed) {
        Random random(seed);
        const ReduceCase reduce = engine.random_case(random, 10, 50);
        const std::vector<std::string> faults = check_every_failure(
            reduce, options_for(seed, seed % 2 == 0 ? 1000 : 0),
            [&](const ReduceCase& c, const FabricOptions& o) { return engine.run(c, o, nullptr); }, 6,
            failures);
        EXPECT_TRUE(faults.empty()) << faults.front() << "\n" << describe(reduce);
    }
    EXPECT_GT(failures, 200);
}

}  // namespace strata::testing
