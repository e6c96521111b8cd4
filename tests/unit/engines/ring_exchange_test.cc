// exchange_blocks() where levels are rings: contents, every message, no deadlock.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "block_runs.h"
#include "random_shapes.h"
#include "ring_oracle.h"
#include "windows.h"

namespace ring_exchange_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;

const LevelMethod ring{Algorithm::ring, 0, {}};
constexpr std::size_t all_eager = 1U << 30;
constexpr BlockPlacement placements[] = {BlockPlacement::in_order, BlockPlacement::gaps,
                                         BlockPlacement::permuted};

BlockCase random_case(Random& random, const ShapeLimits& limits, std::size_t most_bytes) {
    BlockCase run;
    run.hierarchy = random_hierarchy(random, limits);
    run.bytes = random_block_bytes(random, run.hierarchy.ranks(), most_bytes);
    const std::size_t scale = random.percent(50) ? run.total() : run.total() / run.bytes.size();
    run.plan = random_ring_plan(random, run.hierarchy, scale);
    run.plan.window = random.between(1, 4);
    run.root = random.between(0, run.hierarchy.ranks() - 1);
    run.placement = placements[random.below(3)];
    return run;
}

BlockCase regular_case(const std::vector<int>& counts, std::size_t bytes, std::size_t segment) {
    BlockCase run;
    run.hierarchy = regular_hierarchy(counts);
    run.plan = uniform_plan(run.hierarchy, ring, segment);
    run.bytes.assign(run.hierarchy.stop.size(), bytes);
    return run;
}

void expect_good(const BlockCase& run, const RunReport& report) {
    EXPECT_EQ(report.text(), "") << describe(run);
    EXPECT_EQ(report.codes, std::vector<int>(report.codes.size(), 0)) << describe(run);
    EXPECT_EQ(window_faults(run.hierarchy, run.plan, Cut::by_level, report), "") << describe(run);
    const std::vector<std::string> faults = check_ring_bytes(
        {run.hierarchy, run.root, run.bytes, segments_by_group(run), rings_by_group(run)}, report.messages);
    EXPECT_TRUE(faults.empty()) << faults.front() << "\n" << describe(run);
}

TEST(RingExchange, ByteOracleOverRandomShapes) {
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

TEST(RingExchange, ManySchedulesOfOneShape) {
    Random random(11);
    for (int i = 0; i < 8; ++i) {
        BlockCase run = random_case(random, {14, 4}, 200);
        for (std::uint64_t seed = 1; seed <= 40; ++seed) {
            run.plan.window = 1 + static_cast<int>(seed % 4);
            expect_good(run, run_blocks(run, options_for(seed, 0)));
        }
    }
}

TEST(RingExchange, EveryRankCountAndWindow) {
    for (const int ranks : {1, 2, 3, 4, 7, 8, 11, 16}) {
        for (const int window : {0, 1, 2, 3, 4, 100}) {
            for (const std::size_t segment : {0, 1, 10, 33, 1000}) {
                BlockCase run = regular_case({ranks}, 33, segment);
                run.plan.window = window;
                run.root = ranks / 2;
                expect_good(run, run_blocks(run, options_for(5, 0)));
            }
        }
    }
}

/// Where no level has more than two participants there is no ring, and all messages are those of a tree.
TEST(RingExchange, PairsNeedNoRing) {
    const BlockCase run = regular_case({2, 2, 2}, 40, 0);
    const RunReport report = run_blocks(run, options_for(3, 0));
    expect_good(run, report);
    EXPECT_EQ(report.messages.size(), 14U);
}

TEST(RingExchange, BlocksOfVeryDifferentSizes) {
    for (const std::size_t segment : {0, 1, 7, 64, 100000}) {
        for (const BlockPlacement placement : placements) {
            BlockCase run = regular_case({3, 4}, 0, segment);
            run.bytes = {0, 0, 0, 0, 1, 300, 0, 2, 0, 63, 64, 65};
            run.placement = placement;
            for (const int root : {0, 6}) {
                run.root = root;
                expect_good(run, run_blocks(run, options_for(segment + 1, 0)));
            }
        }
    }
}

TEST(RingExchange, NothingToMoveSendsNothing) {
    const BlockCase run = regular_case({3, 3}, 0, 10);
    const RunReport report = run_blocks(run, {});
    expect_good(run, report);
    EXPECT_EQ(report.operations, std::vector<int>(9, 0));
}

/// Four nodes of four: each node's blocks leave it three times, once for every other node; in the chain the
/// inner nodes send five fourths of everything.
TEST(RingExchange, LeavesANodeLessOftenThanTheChain) {
    BlockCase run = regular_case({4, 4}, 100, 50);
    const auto most_out = [&] {
        const RunReport report = run_blocks(run, {});
        std::size_t most = 0;
        for (int node = 0; node < 4; ++node) {
            std::size_t out = 0;
            for (const SentMessage& message : report.messages) {
                out += message.from / 4 == node && message.to / 4 != node ? message.bytes : 0;
            }
            most = std::max(most, out);
        }
        return most;
    };
    EXPECT_EQ(most_out(), (16 - 4) * 100U);
    run.plan = uniform_plan(run.hierarchy, {Algorithm::pipeline, 0, {}}, 50);
    EXPECT_EQ(most_out(), (16 + 4) * 100U);
}

/// Messages over two pieces would deadlock on themselves: the cuts keep rings going.
TEST(RingExchange, WithoutCutsItDeadlocks) {
    for (const std::vector<int>& counts : {std::vector<int>{4}, std::vector<int>{3, 3}}) {
        const BlockCase run = regular_case(counts, 40, 100);
        expect_good(run, run_blocks(run, options_for(2, 0)));
        const RunReport report = run_blocks(run, options_for(2, 0), [&](int rank) {
            BlockRoutes routes = planned_routes(run)(rank);
            for (auto* side : {&routes.in, &routes.out}) {
                for (BlockStream& stream : *side) {
                    stream.cuts.clear();
                }
            }
            return routes;
        });
        EXPECT_TRUE(report.deadlock);
    }
}

TEST(RingExchange, AllThreadsAtOnce) {
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

TEST(RingExchange, TheArenaGrowsNoMore) {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        Random random(seed);
        const BlockCase run = random_case(random, {16, 4}, 3000);
        std::deque<Arena> arenas(run.hierarchy.stop.size());
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

/// Every rank ends by itself: the failed one with its own code, all others with 0 or because a peer gave
/// up.
TEST(RingExchange, EveryCallOfEveryRankMayFail) {
    constexpr int injected = 4242;
    int failures = 0;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        Random random(seed);
        const BlockCase run = random_case(random, {10, 4}, 60);
        FabricOptions options = options_for(seed, seed % 2 == 0 ? 1000 : 0);
        const RunReport whole = run_blocks(run, options);
        ASSERT_EQ(whole.text(), "");
        for (int rank = 0; rank < run.hierarchy.ranks(); ++rank) {
            const int step = std::max(1, whole.operations[rank] / 6);
            for (int operation = 1; operation <= whole.operations[rank]; operation += step) {
                options.failure = {rank, operation, injected};
                const RunReport report = run_blocks(run, options);
                if (report.operations[rank] < operation) {
                    continue;  // another interleaving needs fewer waits
                }
                ++failures;
                EXPECT_EQ(report.text(), "") << describe(run);
                for (std::size_t other = 0; other < report.codes.size(); ++other) {
                    const int code = report.codes[other];
                    EXPECT_EQ(report.abandons[other], code == 0 ? 0 : 1) << describe(run);
                    EXPECT_TRUE(static_cast<int>(other) == rank ? code == injected
                                                                : code == 0 || code == code_peer_aborted)
                        << code << " on rank " << other << ": " << describe(run);
                }
            }
        }
    }
    EXPECT_GT(failures, 150);
}

}  // namespace
}  // namespace ring_exchange_test
