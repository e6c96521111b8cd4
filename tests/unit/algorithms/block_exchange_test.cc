#include "strata/algorithms/block_exchange.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <vector>

#include "block_oracle.h"
#include "block_runs.h"
#include "random_shapes.h"

namespace {

using namespace strata::algorithms;
using namespace strata::testing;
using strata::topology::Hierarchy;

constexpr std::size_t all_eager = 1U << 30;
constexpr BlockFlow flows[] = {BlockFlow::all, BlockFlow::to_root, BlockFlow::from_root};
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

FabricOptions options_for(std::uint64_t seed, std::size_t eager_bytes) {
    FabricOptions options;
    options.seed = seed;
    options.eager_bytes = eager_bytes;
    return options;
}

void expect_good(const BlockCase& run, const RunReport& report) {
    EXPECT_EQ(report.text(), "") << describe(run);
    EXPECT_EQ(report.codes, std::vector<int>(report.codes.size(), 0)) << describe(run);
    EXPECT_EQ(report.abandons, std::vector<int>(report.codes.size(), 0)) << describe(run);
    for (const auto& [pair, most] : report.in_flight) {
        EXPECT_LE(most, std::max(1, run.plan.window)) << describe(run);
    }
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
        for (const BlockFlow flow : flows) {
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
        for (const BlockFlow flow : flows) {
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
            for (const BlockFlow flow : flows) {
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
    run.flow = BlockFlow::from_root;
    run.bytes.assign(8, 500);
    const RunReport report = run_blocks(run, options_for(1, 0));
    for (const int child : {1, 2, 3, 4}) {
        EXPECT_EQ(report.in_flight.at({0, child}), 5);
    }
}

TEST(BlockExchange, NothingToMoveSendsNothing) {
    for (const BlockFlow flow : flows) {
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

/// Chain 0 - 1 - 2: rank 2 goes on only when the root has its first bytes. Rank 1 must pass on what it has of
/// a block that is still arriving.
TEST(BlockExchange, ALargeBlockStreamsOnWhileItArrives) {
    const Hierarchy hierarchy = regular_hierarchy({3});
    const Plan plan = uniform_plan(hierarchy, {Algorithm::pipeline, 0, {}}, 10);
    const RunReport report = run_ranks(3, options_for(1, 0), [&](int rank, Transport& transport) {
        std::array<std::byte, 100> data{};
        std::byte token{};
        if (rank == 1) {
            std::array<Block, 3> blocks{Block{nullptr, 0}, Block{nullptr, 0}, Block{nullptr, data.size()}};
            Arena arena;
            return exchange_blocks(transport, block_routes(hierarchy, plan, 0, 1, BlockFlow::to_root), blocks,
                                   BlockFlow::to_root, 0, 1, arena, 4);
        }
        int code = 0;
        for (std::size_t offset = 0; offset < data.size() && code == 0; offset += 10) {
            code = rank == 2 ? transport.send(&data[offset], 10, 1) : transport.recv(&data[offset], 10, 1);
            if (code == 0 && offset == 0) {
                code = rank == 2 ? transport.recv(&token, 1, 0) : transport.send(&token, 1, 2);
            }
        }
        return code;
    });
    EXPECT_EQ(report.text(), "");
    EXPECT_EQ(report.codes, std::vector<int>(3, 0));
}

/// A child that takes nothing until its siblings have everything: they must not wait for it.
TEST(BlockExchange, ASlowChildHoldsUpNobody) {
    const Hierarchy hierarchy = regular_hierarchy({4});
    const Plan plan = uniform_plan(hierarchy, {Algorithm::linear, 0, {}}, 10);
    const RunReport report = run_ranks(4, options_for(1, 0), [&](int rank, Transport& transport) {
        std::array<std::byte, 400> data{};
        std::array<Block, 4> blocks{};
        for (std::size_t block = 0; block < 4; ++block) {
            blocks[block] = {&data[block * 100], 100};
        }
        std::byte token{};
        int code = 0;
        for (const int sibling : {2, 3}) {
            if (rank == 1 && code == 0) {
                code = transport.recv(&token, 1, sibling);
            }
        }
        Arena arena;
        if (code == 0) {
            code = exchange_blocks(transport, block_routes(hierarchy, plan, 0, rank, BlockFlow::from_root),
                                   blocks, BlockFlow::from_root, 0, rank, arena, 4);
        }
        return code == 0 && rank >= 2 ? transport.send(&token, 1, 1) : code;
    });
    EXPECT_EQ(report.text(), "");
    EXPECT_EQ(report.codes, std::vector<int>(4, 0));
}

/// Two sites of two nodes of four ranks: nobody around the leader 8 does anything before its own block has
/// crossed to the other site.
TEST(BlockExchange, TheSlowLinkStartsAtOnce) {
    const Hierarchy hierarchy = regular_hierarchy({2, 2, 4});
    const Plan plan = uniform_plan(hierarchy, {Algorithm::linear, 0, {}}, 10);
    for (const BlockFlow flow : {BlockFlow::all, BlockFlow::to_root}) {
        constexpr int reached = 77;
        const RunReport report = run_ranks(16, options_for(3, 0), [&](int rank, Transport& transport) {
            std::array<std::byte, 320> data{};
            if (rank == 0) {
                const int code = transport.recv(data.data(), 10, 8);
                return code != 0 ? code : transport.recv(data.data(), 10, 8) == 0 ? reached : code_misuse;
            }
            if (rank != 8) {
                return transport.recv(data.data(), 1, 0);
            }
            std::array<Block, 16> blocks{};
            for (std::size_t block = 0; block < 16; ++block) {
                blocks[block] = {&data[block * 20], 20};
            }
            Arena arena;
            return exchange_blocks(transport, block_routes(hierarchy, plan, 0, 8, flow), blocks, flow, 0, 8,
                                   arena, 4);
        });
        EXPECT_FALSE(report.deadlock) << report.text();
        EXPECT_EQ(report.codes[0], reached);
        EXPECT_EQ(report.codes[8], code_peer_aborted);
    }
}

/// Where messages were put and taken from.
class WatchedTransport : public Transport {
public:
    using Range = std::pair<const std::byte*, const std::byte*>;

    explicit WatchedTransport(Transport& transport) : transport_(transport) {}
    int begin(int slots, Completion sends) override { return transport_.begin(slots, sends); }
    int isend(int slot, const std::byte* data, std::size_t bytes, int peer) override {
        sent.emplace_back(data, data + bytes);
        return transport_.isend(slot, data, bytes, peer);
    }
    int irecv(int slot, std::byte* data, std::size_t bytes, int peer) override {
        received.emplace_back(data, data + bytes);
        return transport_.irecv(slot, data, bytes, peer);
    }
    int wait_some(std::span<int> done, int& count) override { return transport_.wait_some(done, count); }
    int send(const std::byte* data, std::size_t bytes, int peer) override {
        sent.emplace_back(data, data + bytes);
        return transport_.send(data, bytes, peer);
    }
    int recv(std::byte* data, std::size_t bytes, int peer) override {
        received.emplace_back(data, data + bytes);
        return transport_.recv(data, bytes, peer);
    }
    void abandon() noexcept override { transport_.abandon(); }

    std::vector<Range> sent;
    std::vector<Range> received;

private:
    Transport& transport_;
};

/// True when all of `parts` lies within what `whole` covers together.
bool covers(std::vector<WatchedTransport::Range> whole, const std::vector<WatchedTransport::Range>& parts) {
    std::sort(whole.begin(), whole.end());
    return std::all_of(parts.begin(), parts.end(), [&](const WatchedTransport::Range& part) {
        const std::byte* from = part.first;
        for (const auto& [begin, end] : whole) {
            from = begin <= from && from < end ? end : from;
        }
        return from >= part.second;
    });
}

TEST(BlockExchange, WhatLiesInOnePieceIsNotCopied) {
    BlockCase run;
    run.hierarchy = regular_hierarchy({2, 4});
    run.bytes.assign(8, 600);
    struct Kind {
        BlockFlow flow;
        std::size_t segment;
    };
    // All: every message holds one block or part of one. Else rank 4 keeps its node's blocks to pass them on,
    // one behind the other in whatever way they are cut.
    for (const auto [flow, segment] :
         {Kind{BlockFlow::all, 600}, Kind{BlockFlow::all, 200}, Kind{BlockFlow::to_root, 0},
          Kind{BlockFlow::to_root, 600}, Kind{BlockFlow::to_root, 1000}, Kind{BlockFlow::from_root, 0},
          Kind{BlockFlow::from_root, 600}, Kind{BlockFlow::from_root, 1000}}) {
        run.plan = uniform_plan(run.hierarchy, {Algorithm::linear, 0, {}}, segment);
        run.flow = flow;
        const RunReport report = run_ranks(8, options_for(2, 0), [&](int rank, Transport& transport) {
            const BlockRoutes routes = planned_routes(run)(rank);
            BlockMemory memory(run, rank, routes);
            const std::byte* const place = memory.blocks()[0].data;
            WatchedTransport watched(transport);
            Arena arena;
            const int code = exchange_blocks(watched, routes, memory.blocks(), flow, 0, rank, arena, 4);
            bool direct = true;
            if (flow == BlockFlow::all) {
                direct = covers({{place, place + run.total()}}, watched.sent) &&
                         covers({{place, place + run.total()}}, watched.received);
            } else if (rank == 4) {
                direct = flow == BlockFlow::to_root ? covers(watched.sent, watched.received)
                                                    : covers(watched.received, watched.sent);
            }
            EXPECT_EQ(memory.verdict(), "");
            EXPECT_TRUE(direct) << "rank " << rank << " " << describe(run);
            return code;
        });
        EXPECT_EQ(report.text(), "");
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

/// Every rank ended by itself, the failed one with its own code, all others with 0 or because a peer gave up.
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
    for (const BlockFlow flow : flows) {
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
