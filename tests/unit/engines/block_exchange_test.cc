#include "algorithms/patterns/block_routes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <vector>

#include "block_oracle.h"
#include "block_runs.h"
#include "random_shapes.h"
#include "windows.h"

namespace block_exchange_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;
using strata::topology::Hierarchy;

constexpr std::size_t all_eager = 1U << 30;
constexpr ChunkDirection flows[] = {ChunkDirection::all, ChunkDirection::to_root, ChunkDirection::from_root};
constexpr BlockPlacement placements[] = {BlockPlacement::in_order, BlockPlacement::gaps,
                                         BlockPlacement::permuted};

BlockCase random_case(Random& random, const ShapeLimits& limits, std::size_t most_bytes) {
    BlockCase run;
    run.hierarchy = random_hierarchy(random, limits);
    run.bytes = random_block_bytes(random, run.hierarchy.ranks(), most_bytes);
    // Segments around the size of one block or of all together.
    const std::size_t scale = random.percent(50) ? run.total() : run.total() / run.bytes.size();
    run.plan = random_tree_plan(random, run.hierarchy, scale);
    run.root = random.between(0, run.hierarchy.ranks() - 1);
    run.flow = flows[random.below(3)];
    run.placement = placements[random.below(3)];
    return run;
}

void expect_good(const BlockCase& run, const RunReport& report) {
    EXPECT_EQ(report.text(), "") << describe(run);
    EXPECT_EQ(report.codes, std::vector<int>(report.codes.size(), 0)) << describe(run);
    EXPECT_EQ(report.abandons, std::vector<int>(report.codes.size(), 0)) << describe(run);
    EXPECT_EQ(window_faults(run.hierarchy, run.plan, Cut::by_level, report), "") << describe(run);
    const std::vector<std::string> faults = check_block_bytes(run.hierarchy, run.flow, run.root, run.bytes,
                                                              segments_by_group(run), report.messages);
    EXPECT_TRUE(faults.empty()) << faults.front() << "\n" << describe(run);
}

TEST(BlockExchange, ByteOracleOverRandomShapes) {
    std::set<int> sizes;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        Random random(seed);
        const BlockCase run = random_case(random, {seed % 8 == 0 ? 48 : 20, 6}, 150);
        sizes.insert(run.hierarchy.ranks());
        const std::size_t eager_bytes[] = {0, 64, all_eager};
        expect_good(run, run_blocks(run, options_for(seed, eager_bytes[seed % 3])));
        if (HasFailure()) {
            FAIL() << "seed " << seed;
        }
    }
    EXPECT_GT(sizes.size(), 20U);
}

TEST(BlockExchange, ManySchedulesOfOneShape) {
    Random random(7);
    for (int i = 0; i < 6; ++i) {
        const BlockCase run = random_case(random, {12, 4}, 200);
        for (std::uint64_t seed = 1; seed <= 40; ++seed) {
            expect_good(run, run_blocks(run, options_for(seed, 0)));
        }
    }
}

TEST(BlockExchange, SizesAroundTheSegment) {
    constexpr std::size_t segment = 24;
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, segment / 2, segment - 1, segment,
                                    segment + 1, 3 * segment, 3 * segment + 5}) {
        for (const ChunkDirection flow : flows) {
            for (const Algorithm algorithm :
                 {Algorithm::binomial, Algorithm::pipeline, Algorithm::linear, Algorithm::binary}) {
                BlockCase run;
                run.hierarchy = regular_hierarchy({2, 2, 3});
                run.plan = uniform_plan(run.hierarchy, {algorithm, 0, {}}, segment);
                run.flow = flow;
                run.root = 7;
                run.bytes.assign(12, bytes);
                expect_good(run, run_blocks(run, options_for(bytes + 1, 0)));
            }
        }
    }
}

TEST(BlockExchange, SegmentsOfOneByteAndOfEverything) {
    for (const std::size_t segment : {std::size_t{1}, std::size_t{2}, std::size_t{0}, std::size_t{100000}}) {
        for (const ChunkDirection flow : flows) {
            for (const BlockPlacement placement : placements) {
                BlockCase run;
                run.hierarchy = regular_hierarchy({2, 3});
                run.plan = uniform_plan(run.hierarchy, {Algorithm::binomial, 0, {}}, segment);
                run.flow = flow;
                run.root = 4;
                run.bytes = {3, 0, 7, 1, 5, 20};
                run.placement = placement;
                expect_good(run, run_blocks(run, options_for(segment + 1, 0)));
            }
        }
    }
}

TEST(BlockExchange, EveryRankCountAndWindow) {
    for (const int ranks : {1, 2, 3, 4, 7, 8, 11, 16}) {
        for (const int window : {0, 1, 2, 7, 100}) {
            for (const ChunkDirection flow : flows) {
                BlockCase run;
                run.hierarchy = regular_hierarchy({ranks});
                run.plan = uniform_plan(run.hierarchy, {Algorithm::binary, 0, {}}, 10);
                run.plan.window = window;
                run.flow = flow;
                run.root = ranks / 2;
                run.bytes.assign(static_cast<std::size_t>(ranks), 33);
                expect_good(run, run_blocks(run, options_for(5, 0)));
            }
        }
    }
}

TEST(BlockExchange, TheWindowIsUsed) {
    BlockCase run;
    run.hierarchy = regular_hierarchy({2, 4});
    run.plan = uniform_plan(run.hierarchy, {Algorithm::linear, 0, {}}, 10);
    run.plan.window = 5;
    run.flow = ChunkDirection::from_root;
    run.bytes.assign(8, 500);
    const RunReport report = run_blocks(run, options_for(1, 0));
    for (const int child : {1, 2, 3, 4}) {
        EXPECT_EQ(report.in_flight.at({0, child}), 5);
    }
}

TEST(BlockExchange, NothingToMoveSendsNothing) {
    for (const ChunkDirection flow : flows) {
        BlockCase run;
        run.hierarchy = regular_hierarchy({2, 2});
        run.plan = uniform_plan(run.hierarchy, {Algorithm::binomial, 0, {}}, 10);
        run.flow = flow;
        run.bytes.assign(4, 0);
        const RunReport report = run_blocks(run, {});
        expect_good(run, report);
        EXPECT_EQ(report.operations, std::vector<int>(4, 0));
    }
}

TEST(BlockExchange, AllThreadsAtOnce) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        Random random(seed);
        const BlockCase run = random_case(random, {20, 5}, 100);
        FabricOptions options = options_for(seed, seed % 2 == 0 ? 100 : 0);
        options.schedule = Schedule::concurrent;
        expect_good(run, run_blocks(run, options));
        if (HasFailure()) {
            FAIL() << "seed " << seed;
        }
    }
}

TEST(BlockExchange, TheArenaGrowsNoMore) {
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        Random random(seed);
        BlockCase run = random_case(random, {16, 4}, 3000);
        run.flow = flows[seed % 3];
        std::deque<Arena> arenas(static_cast<std::size_t>(run.hierarchy.ranks()));
        std::vector<std::size_t> warm;
        for (int call = 0; call < 6; ++call) {
            expect_good(run, run_blocks(run, options_for(seed, 0), &arenas));
            std::vector<std::size_t> held;
            for (const Arena& arena : arenas) {
                held.push_back(arena.held());
            }
            if (call >= 3) {
                EXPECT_EQ(held, warm);
            }
            warm = held;
        }
    }
}

constexpr int injected = 4242;

/// Every rank ended by itself: the failed one with its own code, all others with 0 or because a peer gave
/// up.
void expect_contained(const RunReport& report, int failed, const std::string& what) {
    EXPECT_FALSE(report.deadlock) << what << "\n" << report.text();
    EXPECT_EQ(report.text(), "") << what;
    EXPECT_EQ(report.codes[failed], injected) << what;
    for (std::size_t rank = 0; rank < report.codes.size(); ++rank) {
        EXPECT_EQ(report.abandons[rank], report.codes[rank] == 0 ? 0 : 1) << what << " rank " << rank;
        if (static_cast<int>(rank) != failed) {
            EXPECT_TRUE(report.codes[rank] == 0 || report.codes[rank] == code_peer_aborted)
                << what << report.codes[rank];
        }
    }
}

TEST(BlockExchange, EveryCallOfEveryRankMayFail) {
    int failures = 0;
    for (std::uint64_t seed = 1; seed <= 18; ++seed) {
        Random random(seed);
        BlockCase run = random_case(random, {10, 4}, 60);
        run.flow = flows[seed % 3];
        FabricOptions options = options_for(seed, seed % 2 == 0 ? 1000 : 0);
        const RunReport whole = run_blocks(run, options);
        ASSERT_EQ(whole.text(), "");
        for (int rank = 0; rank < run.hierarchy.ranks(); ++rank) {
            const int step = std::max(1, whole.operations[rank] / 6);
            for (int operation = 1; operation <= whole.operations[rank]; operation += step) {
                options.failure = {rank, operation, injected};
                const RunReport report = run_blocks(run, options);
                // Fewer waits may do in another interleaving: then the failure does not happen.
                if (report.operations[rank] < operation) {
                    continue;
                }
                ++failures;
                expect_contained(report, rank,
                                 describe(run) + " rank " + std::to_string(rank) + " operation " +
                                     std::to_string(operation));
            }
        }
    }
    EXPECT_GT(failures, 300);
}

TEST(BlockExchange, FailuresEndAllThreads) {
    for (const ChunkDirection flow : flows) {
        BlockCase run;
        run.hierarchy = regular_hierarchy({2, 2, 3});
        run.plan = uniform_plan(run.hierarchy, {Algorithm::binomial, 0, {}}, 20);
        run.flow = flow;
        run.root = 7;
        run.bytes.assign(12, 50);
        for (int rank = 0; rank < 12; ++rank) {
            FabricOptions options;
            options.schedule = Schedule::concurrent;
            options.failure = {rank, 2, injected};
            const RunReport report = run_blocks(run, options);
            EXPECT_EQ(report.text(), "");
            EXPECT_EQ(report.codes[rank], injected);
        }
    }
}

}  // namespace
}  // namespace block_exchange_test
