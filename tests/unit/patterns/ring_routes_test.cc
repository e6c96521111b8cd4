// block_routes() of levels that are rings.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "algorithms/patterns/block_routes.h"
#include "algorithms/patterns/shape.h"
#include "algorithms/patterns/tree.h"
#include "random_shapes.h"

namespace ring_routes_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;
using strata::topology::build_hierarchy;
using strata::topology::Hierarchy;
using strata::topology::HierarchySpec;
using strata::topology::LevelKey;
using strata::topology::LevelKind;
using strata::topology::LocalityRecord;
using strata::topology::NicUse;

const LevelMethod ring{Algorithm::ring, 0, {}};

BlockRoutes routes_of(const Hierarchy& hierarchy, const Plan& plan, int rank, int root = 0) {
    return block_routes(hierarchy, plan, root, rank, ChunkDirection::all);
}

/// The blocks of a stream, piece by piece.
std::vector<std::vector<int>> pieces_of(const BlockStream& stream) {
    std::vector<std::vector<int>> pieces;
    for (std::size_t run = 0; run < stream.runs.size(); ++run) {
        if (run == 0 || std::find(stream.cuts.begin(), stream.cuts.end(), run) != stream.cuts.end()) {
            pieces.emplace_back();
        }
        for (int i = 0; i < stream.runs[run].count; ++i) {
            pieces.back().push_back(stream.runs[run].first + i);
        }
    }
    return pieces;
}

using Pieces = std::vector<std::vector<int>>;

const BlockStream* find_stream(const std::vector<BlockStream>& streams, int peer) {
    const auto found =
        std::find_if(streams.begin(), streams.end(), [peer](const auto& s) { return s.peer == peer; });
    return found == streams.end() ? nullptr : &*found;
}

Pieces received(const BlockRoutes& routes, int from) { return pieces_of(*find_stream(routes.in, from)); }
Pieces sent(const BlockRoutes& routes, int to) { return pieces_of(*find_stream(routes.out, to)); }

TEST(RingRoutes, ThreeNodesOfTwo) {
    const Hierarchy hierarchy = regular_hierarchy({3, 2});
    const Plan plan = uniform_plan(hierarchy, ring, 100);
    const BlockRoutes routes = routes_of(hierarchy, plan, 2);
    EXPECT_TRUE(routes.in_ring);
    ASSERT_EQ(routes.in.size(), 2U);
    ASSERT_EQ(routes.out.size(), 2U);
    EXPECT_EQ(received(routes, 0), (Pieces{{0, 1}, {4, 5}}));
    EXPECT_EQ(sent(routes, 4), (Pieces{{2, 3}, {0, 1}}));
    // Two are no ring: the neighbour inside the node.
    EXPECT_EQ(received(routes, 3), (Pieces{{3}}));
    EXPECT_EQ(sent(routes, 3), (Pieces{{2, 0, 1, 4, 5}}));
    EXPECT_FALSE(routes_of(hierarchy, plan, 3).in_ring);
}

TEST(RingRoutes, WhatComesFromOutsideFollowsAndDoesNotReturn) {
    const Hierarchy hierarchy = regular_hierarchy({2, 3});
    const Plan plan = uniform_plan(hierarchy, ring, 100);
    const BlockRoutes first = routes_of(hierarchy, plan, 0);
    EXPECT_EQ(received(first, 3), (Pieces{{3, 5, 4}}));
    EXPECT_EQ(received(first, 2), (Pieces{{2}, {1}}));
    EXPECT_EQ(sent(first, 3), (Pieces{{0, 2, 1}}));
    EXPECT_EQ(sent(first, 1), (Pieces{{0}, {2}, {3, 5, 4}}));
    const BlockRoutes middle = routes_of(hierarchy, plan, 1);
    EXPECT_EQ(received(middle, 0), sent(first, 1));
    EXPECT_EQ(sent(middle, 2), (Pieces{{1}, {0}, {3, 5, 4}}));
    const BlockRoutes last = routes_of(hierarchy, plan, 2);
    EXPECT_EQ(sent(last, 0), (Pieces{{2}, {1}}));
}

TEST(RingRoutes, ARuleKeepsATree) {
    const Hierarchy hierarchy = regular_hierarchy({3, 4});
    Plan plan = uniform_plan(hierarchy, ring, 100);
    plan.levels[1].method = {Algorithm::linear, 0, {}};
    const BlockRoutes routes = routes_of(hierarchy, plan, 4);
    EXPECT_EQ(received(routes, 0), (Pieces{{0, 1, 2, 3}, {8, 9, 10, 11}}));
    EXPECT_EQ(sent(routes, 8), (Pieces{{4, 5, 6, 7}, {0, 1, 2, 3}}));
    EXPECT_EQ(sent(routes, 6), (Pieces{{4, 5, 7, 0, 1, 2, 3, 8, 9, 10, 11}}));
    EXPECT_FALSE(routes_of(hierarchy, plan, 5).in_ring);
}

TEST(RingRoutes, PiecesOfWholeStreamsGoByRank) {
    const Hierarchy hierarchy = regular_hierarchy({2, 3});
    const Plan plan = uniform_plan(hierarchy, ring, 0);
    EXPECT_EQ(sent(routes_of(hierarchy, plan, 0), 1), (Pieces{{0}, {2}, {3, 4, 5}}));
}

TEST(RingRoutes, OnlyForAllgather) {
    const Hierarchy hierarchy = regular_hierarchy({3});
    const Plan plan = uniform_plan(hierarchy, ring, 0);
    for (const ChunkDirection flow : {ChunkDirection::to_root, ChunkDirection::from_root}) {
        EXPECT_THROW(block_routes(hierarchy, plan, 0, 1, flow), std::invalid_argument);
    }
    EXPECT_FALSE(makes_ring(ring, 2));
    EXPECT_TRUE(makes_ring(ring, 3));
    EXPECT_FALSE(makes_ring({Algorithm::pipeline, 0, {}}, 3));
}

/// Both ends of every edge have the same stream, and every rank receives every other block once.
TEST(RingRoutes, BothEndsAgreeAndBlocksArriveOnce) {
    int cut = 0;
    for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
        Random random(seed);
        const Hierarchy hierarchy = random_hierarchy(random, {40, 6});
        const Plan plan = random_ring_plan(random, hierarchy, 100);
        const int root = random.between(0, hierarchy.ranks() - 1);
        std::vector<BlockRoutes> routes;
        for (int rank = 0; rank < hierarchy.ranks(); ++rank) {
            routes.push_back(routes_of(hierarchy, plan, rank, root));
        }
        for (int rank = 0; rank < hierarchy.ranks(); ++rank) {
            std::vector<int> count(routes.size(), 0);
            for (const BlockStream& stream : routes[rank].in) {
                const BlockStream* const other = find_stream(routes[stream.peer].out, rank);
                ASSERT_NE(other, nullptr);
                EXPECT_EQ(other->runs, stream.runs) << stream.peer << " to " << rank;
                EXPECT_EQ(other->cuts, stream.cuts) << stream.peer << " to " << rank;
                EXPECT_EQ(other->segment_bytes, stream.segment_bytes);
                cut += stream.cuts.empty() ? 0 : 1;
                for (const std::vector<int>& piece : pieces_of(stream)) {
                    for (const int block : piece) {
                        ++count[block];
                    }
                }
            }
            EXPECT_EQ(routes[rank].in.size(), routes[rank].out.size());
            std::vector<int> once(routes.size(), 1);
            once[rank] = 0;
            EXPECT_EQ(count, once);
        }
        if (HasFailure()) {
            FAIL() << "seed " << seed;
        }
    }
    EXPECT_GT(cut, 1000);
}

/// Three nodes of four cores, ranks assigned cyclically; the third and fourth core of each node are
/// NIC-local.
Hierarchy dealt_out(bool by_node) {
    std::vector<LocalityRecord> records(12);
    for (int rank = 0; rank < 12; ++rank) {
        LocalityRecord& record = records[static_cast<std::size_t>(rank)];
        const int core = rank / 3;
        record.node_id = static_cast<std::uint64_t>(100 + rank % 3);
        record.hardware_path = {
            {1U << static_cast<unsigned>(LevelKind::core), static_cast<std::uint16_t>(core)}};
        record.nics[static_cast<std::size_t>(NicUse::fabric)] = {static_cast<std::uint8_t>(core < 2), 0};
    }
    HierarchySpec spec;
    spec.hint.emplace();
    if (by_node) {
        spec.hint->levels = {strata::topology::plain_level({LevelKind::node, {}})};
    }
    return build_hierarchy(records, spec);
}

std::vector<int> walk_around(const Hierarchy& hierarchy, int start) {
    Plan plan;
    for (const LevelKey level : hierarchy.levels()) {
        plan.levels.push_back({level, ring, 0});
    }
    std::vector<int> order{start};
    while (order.size() < 13) {
        order.push_back(routes_of(hierarchy, plan, order.back(), start).out.front().peer);
        if (order.back() == start) {
            break;
        }
    }
    return order;
}

TEST(RingRoutes, FollowTheHardwareAllTheWayRound) {
    // Without levels: node after node, in next to its NIC, and from the last node back to the first.
    EXPECT_EQ(walk_around(dealt_out(false), 6), (std::vector<int>{6, 0, 3, 9, 7, 1, 4, 10, 8, 2, 5, 11, 6}));
    EXPECT_EQ(walk_around(dealt_out(false), 4), (std::vector<int>{4, 10, 7, 1, 8, 2, 5, 11, 6, 0, 3, 9, 4}));
    EXPECT_EQ(walk_around(dealt_out(true), 6), (std::vector<int>{6, 7, 8, 6}));
}

TEST(RingRoutes, TenThousandRanks) {
    for (const std::vector<int>& counts : {std::vector<int>{10000}, std::vector<int>{4, 25, 4, 25}}) {
        const Hierarchy hierarchy = regular_hierarchy(counts);
        for (const std::size_t segment : {0, 60000}) {
            const Plan plan = uniform_plan(hierarchy, ring, segment);
            for (const int rank : {0, 9999}) {
                const BlockRoutes routes = routes_of(hierarchy, plan, rank);
                std::size_t blocks = 0;
                for (const BlockStream& stream : routes.in) {
                    blocks = std::accumulate(
                        stream.runs.begin(), stream.runs.end(), blocks,
                        [](std::size_t sum, const BlockRun& run) { return sum + std::size_t(run.count); });
                }
                EXPECT_EQ(blocks, 9999U);
            }
        }
    }
}

}  // namespace
}  // namespace ring_routes_test
