// exchange_blocks() where the topmost level exchanges by recursive doubling: routes, contents, every message.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "algorithms/patterns/reduction_links.h"
#include "algorithms/patterns/tree.h"
#include "block_runs.h"
#include "doubling_oracle.h"
#include "random_shapes.h"
#include "skipped_levels.h"
#include "windows.h"

namespace doubling_exchange_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;
using strata::topology::Hierarchy;
using strata::topology::LevelKey;

const LevelMethod doubling{Algorithm::recursive_doubling, 0, {}};
constexpr std::size_t all_eager = 1U << 30;

/// Trees or rings below an exchange, some levels skipped, messages whole or cut.
Plan random_plan(Random& random, const Hierarchy& hierarchy, std::size_t bytes) {
    Plan plan = random.percent(25) ? random_ring_plan(random, hierarchy, bytes)
                                   : random_tree_plan(random, hierarchy, bytes);
    skip_some(random, hierarchy, plan);
    plan.levels.front().method = doubling;
    plan.window = random.between(1, 4);
    if (random.percent(40)) plan.levels.front().segment_bytes = 0;
    return plan;
}

BlockCase random_case(Random& random, const ShapeLimits& limits, std::size_t most_bytes) {
    BlockCase run;
    run.hierarchy = random_hierarchy(random, limits);
    run.bytes = random_block_bytes(random, run.hierarchy.ranks(), most_bytes);
    const std::size_t scale = random.percent(50) ? run.total() : run.total() / run.bytes.size();
    run.plan = random_plan(random, run.hierarchy, scale);
    run.root = random.between(0, run.hierarchy.ranks() - 1);
    run.placement = static_cast<BlockPlacement>(random.below(3));
    return run;
}

/// `alone`: skips all levels below the topmost one.
BlockCase regular_case(const std::vector<int>& counts, std::size_t bytes, std::size_t segment,
                       bool alone = false) {
    BlockCase run;
    run.hierarchy = regular_hierarchy(counts);
    run.plan = uniform_plan(run.hierarchy, {Algorithm::binomial, 0, {}}, segment);
    run.plan.levels.front().method = doubling;
    for (std::size_t l = 1; alone && l < run.plan.levels.size(); ++l)
        run.plan.skipped.push_back(run.plan.levels[l].level);
    if (alone) run.plan.levels.resize(1);
    run.bytes.assign(run.hierarchy.stop.size(), bytes);
    return run;
}

DoublingFacts facts_of(const BlockCase& run) {
    DoublingFacts facts{without(run.hierarchy, run.plan.skipped), {}, run.bytes, {}};
    for (const HalvingPlace& place : halving_places(run.hierarchy, run.plan))
        facts.places.emplace_back(place.rank, place.partner);
    facts.segment_bytes = run.plan.levels.front().segment_bytes;
    return facts;
}

void expect_good(const BlockCase& run, const RunReport& report) {
    BlockCase shown = run;
    shown.hierarchy = without(run.hierarchy, run.plan.skipped);
    ASSERT_EQ(report.text(), "") << describe(shown);
    ASSERT_EQ(report.codes, std::vector<int>(report.codes.size(), 0)) << describe(shown);
    ASSERT_EQ(window_faults(run.hierarchy, run.plan, Cut::by_level, report), "") << describe(shown);
    ASSERT_EQ(check_doubling_bytes(facts_of(run), report.messages), std::vector<std::string>{})
        << describe(shown);
}

TEST(DoublingExchange, ByteOracleOverRandomShapes) {
    std::set<std::size_t> cores;
    for (std::uint64_t seed = 1; seed <= 600; ++seed) {
        Random random(seed);
        const BlockCase run = random_case(random, {seed % 8 == 0 ? 48 : 20, 6}, 150);
        cores.insert(exchange_core(run.hierarchy, run.plan, false).size());
        const std::size_t eager_bytes[] = {0, 64, all_eager};
        expect_good(run, run_blocks(run, options_for(seed, eager_bytes[seed % 3])));
        if (HasFailure()) FAIL() << "seed " << seed;
    }
    EXPECT_GT(cores.size(), 15U);
}

TEST(DoublingExchange, ManySchedulesOfOneShape) {
    Random random(11);
    for (int i = 0; i < 8; ++i) {
        BlockCase run = random_case(random, {14, 4}, 200);
        for (std::uint64_t seed = 1; seed <= 40; ++seed) {
            run.plan.window = 1 + static_cast<int>(seed % 4);
            expect_good(run, run_blocks(run, options_for(seed, 0)));
        }
    }
}

TEST(DoublingExchange, EveryRankCountAndWindow) {
    for (const int ranks : {1, 2, 3, 4, 5, 6, 7, 8, 11, 16}) {
        for (const int window : {0, 1, 4, 100}) {
            for (const std::size_t segment : {0, 1, 10, 33, 1000}) {
                BlockCase run = regular_case({ranks}, 33, segment);
                run.plan.window = window;
                run.root = ranks / 2;
                expect_good(run, run_blocks(run, options_for(5, 0)));
            }
        }
    }
}

TEST(DoublingExchange, BlocksOfVeryDifferentSizes) {
    for (const std::size_t segment : {0, 1, 7, 64, 100000}) {
        for (const BlockPlacement placement :
             {BlockPlacement::in_order, BlockPlacement::gaps, BlockPlacement::permuted}) {
            BlockCase run = regular_case({3, 4}, 0, segment, segment % 2 == 1);
            run.bytes = {0, 0, 0, 0, 1, 300, 0, 2, 0, 63, 64, 65};
            run.placement = placement;
            for (const int root : {0, 6}) {
                run.root = root;
                expect_good(run, run_blocks(run, options_for(segment + 1, 0)));
            }
        }
    }
}

TEST(DoublingExchange, NothingToMoveSendsNothing) {
    const BlockCase run = regular_case({3, 3}, 0, 10);
    const RunReport report = run_blocks(run, {});
    expect_good(run, report);
    EXPECT_EQ(report.operations, std::vector<int>(9, 0));
}

/// Returns the bytes that enter a group of the machine; `of` is the group of a rank.
template <typename Of>
std::map<int, std::size_t> bytes_into(const RunReport& report, Of&& of) {
    std::map<int, std::size_t> in;
    for (const SentMessage& message : report.messages) {
        if (of(message.from) != of(message.to)) in[of(message.to)] += message.bytes;
    }
    return in;
}

/// Sites of nodes alone: every block enters every other site once, and every node once. Every node sends
/// (k - 1) / k of all, in log2 k messages.
TEST(DoublingExchange, TheLeastThatCanCross) {
    for (const auto& [sites, nodes] : {std::pair{2, 4}, {4, 2}, {2, 1}, {8, 4}}) {
        const BlockCase run = regular_case({sites, nodes}, 100, 0, true);
        const RunReport report = run_blocks(run, options_for(1));
        expect_good(run, report);
        const auto ranks = static_cast<std::size_t>(sites) * static_cast<std::size_t>(nodes);
        std::map<int, std::size_t> out;
        std::map<int, int> messages;
        for (const SentMessage& message : report.messages) {
            out[message.from] += message.bytes;
            ++messages[message.from];
        }
        for (int rank = 0; rank < static_cast<int>(ranks); ++rank) {
            EXPECT_EQ(out[rank], (ranks - 1) * 100);
            EXPECT_EQ(messages[rank], std::bit_width(ranks) - 1);
        }
        const std::size_t others = ranks - static_cast<std::size_t>(nodes);
        for (const auto& [site, in] : bytes_into(report, [&](int rank) { return rank / nodes; }))
            EXPECT_EQ(in, others * 100) << site;
    }
}

/// Six nodes on two sites: one pairs up on each, and still a block crosses the uplink once.
TEST(DoublingExchange, PairsUpBelowTheUplink) {
    const BlockCase run = regular_case({2, 3}, 100, 0, true);
    const RunReport report = run_blocks(run, options_for(1));
    expect_good(run, report);
    for (const auto& [site, in] : bytes_into(report, [](int rank) { return rank / 3; }))
        EXPECT_EQ(in, 300U) << site;
}

std::vector<int> blocks_of(const BlockStream& stream) {
    std::vector<int> blocks;
    for (const BlockRun& run : stream.runs)
        for (int i = 0; i < run.count; ++i) blocks.push_back(run.first + i);
    return blocks;
}

using Streams = std::vector<std::pair<int, std::vector<int>>>;

Streams words(const std::vector<BlockStream>& streams) {
    Streams result;
    for (const BlockStream& stream : streams) result.emplace_back(stream.peer, blocks_of(stream));
    return result;
}

/// Four nodes of two: the far node first; the order downwards follows the order of arrival.
TEST(DoublingRoutes, FourNodesOfTwo) {
    const BlockCase run = regular_case({4, 2}, 1, 100);
    const auto routes = [&](int rank) { return planned_routes(run)(rank); };
    EXPECT_EQ(words(routes(2).in), (Streams{{6, {6, 7}}, {0, {0, 1, 4, 5}}, {3, {3}}}));
    EXPECT_EQ(words(routes(2).out), (Streams{{6, {2, 3}}, {0, {2, 3, 6, 7}}, {3, {2, 6, 7, 0, 1, 4, 5}}}));
    EXPECT_EQ(words(routes(3).in), (Streams{{2, {2, 6, 7, 0, 1, 4, 5}}}));
    EXPECT_EQ(words(routes(3).out), (Streams{{2, {3}}}));
    EXPECT_TRUE(routes(2).doubles);
    EXPECT_FALSE(routes(3).doubles);
}

/// Of three nodes, 0 and 1 share a place.
TEST(DoublingRoutes, WhoHasNoPlace) {
    const BlockCase run = regular_case({3, 2}, 1, 100);
    const auto routes = [&](int rank) { return planned_routes(run)(rank); };
    EXPECT_EQ(words(routes(0).out), (Streams{{4, {0, 1, 2, 3}}, {2, {0, 1, 4, 5}}, {1, {0, 2, 3, 4, 5}}}));
    EXPECT_EQ(words(routes(2).out), (Streams{{0, {2, 3}}, {3, {2, 0, 1, 4, 5}}}));
    EXPECT_FALSE(routes(2).doubles);
    EXPECT_EQ(words(routes(4).out), (Streams{{0, {4, 5}}, {5, {4, 0, 1, 2, 3}}}));
}

/// Both ends of every edge have the same stream, and every rank receives every other block once.
TEST(DoublingRoutes, BothEndsAgreeAndBlocksArriveOnce) {
    int exchanged = 0;
    for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
        Random random(seed);
        const Hierarchy hierarchy = random_hierarchy(random, {40, 6});
        const Plan plan = random_plan(random, hierarchy, 100);
        const int root = random.between(0, hierarchy.ranks() - 1);
        std::vector<BlockRoutes> routes;
        for (int rank = 0; rank < hierarchy.ranks(); ++rank)
            routes.push_back(block_routes(hierarchy, plan, root, rank, ChunkDirection::all));
        for (int rank = 0; rank < hierarchy.ranks(); ++rank) {
            std::vector<int> count(routes.size(), 0);
            exchanged += routes[rank].doubles ? 1 : 0;
            for (const BlockStream& stream : routes[rank].in) {
                const auto& theirs = routes[stream.peer].out;
                const auto other = std::find_if(theirs.begin(), theirs.end(),
                                                [&](const BlockStream& s) { return s.peer == rank; });
                ASSERT_NE(other, theirs.end());
                EXPECT_EQ(other->runs, stream.runs) << stream.peer << " to " << rank;
                EXPECT_EQ(other->cuts, stream.cuts) << stream.peer << " to " << rank;
                EXPECT_EQ(other->segment_bytes, stream.segment_bytes);
                for (const int block : blocks_of(stream)) ++count[block];
            }
            EXPECT_EQ(routes[rank].in.size(), routes[rank].out.size());
            std::vector<int> once(routes.size(), 1);
            once[rank] = 0;
            EXPECT_EQ(count, once);
        }
        if (HasFailure()) FAIL() << "seed " << seed;
    }
    EXPECT_GT(exchanged, 3000);
}

TEST(DoublingRoutes, RefusesRanksOutside) {
    const BlockCase run = regular_case({3, 2}, 1, 100);
    EXPECT_THROW(block_routes(run.hierarchy, run.plan, 0, 6, ChunkDirection::all), std::invalid_argument);
    EXPECT_THROW(block_routes(run.hierarchy, run.plan, 0, -1, ChunkDirection::all), std::invalid_argument);
}

TEST(DoublingRoutes, OnlyForAllgather) {
    const BlockCase run = regular_case({3, 2}, 1, 100);
    for (const ChunkDirection flow : {ChunkDirection::to_root, ChunkDirection::from_root})
        EXPECT_THROW(block_routes(run.hierarchy, run.plan, 0, 1, flow), std::invalid_argument);
}

TEST(DoublingExchange, AllThreadsAtOnce) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        Random random(seed);
        const BlockCase run = random_case(random, {20, 5}, 100);
        FabricOptions options = options_for(seed, seed % 2 == 0 ? 100 : 0);
        options.schedule = Schedule::concurrent;
        expect_good(run, run_blocks(run, options));
        if (HasFailure()) FAIL() << "seed " << seed;
    }
}

TEST(DoublingExchange, TheArenaGrowsNoMore) {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        Random random(seed);
        const BlockCase run = random_case(random, {16, 4}, 3000);
        std::deque<Arena> arenas(run.hierarchy.stop.size());
        std::vector<std::size_t> warm;
        for (int call = 0; call < 6; ++call) {
            expect_good(run, run_blocks(run, options_for(seed, 0), &arenas));
            std::vector<std::size_t> held;
            for (const Arena& arena : arenas) held.push_back(arena.held());
            if (call >= 3) {
                EXPECT_EQ(held, warm);
            }
            warm = held;
        }
    }
}

/// Every rank ends by itself: the failed one with its own code, all others with 0 or because a peer gave
/// up.
TEST(DoublingExchange, EveryCallOfEveryRankMayFail) {
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
                if (report.operations[rank] < operation) continue;  // another interleaving needs fewer waits
                ++failures;
                EXPECT_EQ(report.text(), "");
                for (std::size_t other = 0; other < report.codes.size(); ++other) {
                    const int code = report.codes[other];
                    EXPECT_EQ(report.abandons[other], code == 0 ? 0 : 1);
                    EXPECT_TRUE(static_cast<int>(other) == rank ? code == injected
                                                                : code == 0 || code == code_peer_aborted)
                        << code << " on rank " << other;
                }
            }
        }
    }
    EXPECT_GT(failures, 100);
}

/// The oracle detects a block on another path, a missing block, and messages cut differently.
TEST(DoublingOracle, SeesWhatIsWrong) {
    const BlockCase run = regular_case({4, 2}, 100, 0);
    const RunReport report = run_blocks(run, options_for(1));
    const auto faults = [&](auto&& change) {
        std::vector<SentMessage> messages = report.messages;
        change(messages);
        return check_doubling_bytes(facts_of(run), messages).size();
    };
    const auto across = [](std::vector<SentMessage>& messages) -> SentMessage& {
        return *std::find_if(messages.begin(), messages.end(), [](const SentMessage& message) {
            return message.from % 2 == 0 && message.to % 2 == 0;
        });
    };
    EXPECT_EQ(faults([](auto&) {}), 0U);
    EXPECT_GT(faults([&](auto& messages) { across(messages).bytes -= 1; }), 0U);
    EXPECT_GT(faults([&](auto& messages) { across(messages).to ^= 2; }), 0U);
    EXPECT_GT(faults([&](auto& messages) { messages.pop_back(); }), 0U);
    EXPECT_GT(faults([&](auto& messages) {
                  messages.push_back(across(messages));
                  across(messages).bytes = 50;
                  messages.back().bytes -= 50;
              }),
              0U);
    DoublingFacts turned = facts_of(run);
    std::swap(turned.places[1], turned.places[2]);
    EXPECT_GT(check_doubling_bytes(turned, report.messages).size(), 0U);
}

}  // namespace
}  // namespace doubling_exchange_test
