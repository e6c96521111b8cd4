// Predicted costs of Allgather, Gather and Scatter: sums computed by hand, bounds, and the engine's routes
// timed message by message.
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <tuple>

#include "algorithms/cost/model.h"
#include "algorithms/openmpi_cost/flat.h"
#include "algorithms/patterns/tree.h"
#include "plans.h"

namespace blocks_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;

double cost_us(Collective collective, const Hierarchy& hierarchy, const Plan& plan, std::size_t bytes,
               int root = 0) {
    return tree_cost_us(hierarchy, round_links(), plan, {collective, bytes, root});
}

TEST(BlocksCost, AllgatherInANodeByHand) {
    const Hierarchy pair = one_node(2);
    EXPECT_DOUBLE_EQ(cost_us(Collective::allgather, pair, uniform(pair, Algorithm::linear, 0), 200),
                     1 + 1 + 2 + 1);
    // Four ranks with 100 bytes each in a star: the middle receives three blocks, the first at 5 us, each
    // of the others 2 us later. At 7 us, before the last block has arrived, the middle has all blocks that
    // the first neighbour lacks; each neighbour takes 1 + 3 us of the processor, and 3 us more to the end.
    const Hierarchy node = one_node(4);
    EXPECT_DOUBLE_EQ(cost_us(Collective::allgather, node, uniform(node, Algorithm::linear, 0), 400),
                     5 + 2 + 3 * (1 + 3) + 2 + 1);
}

/// A neighbour's block has long arrived when those of three other nodes arrive together: the root's
/// processor work in between does not shorten their queue.
TEST(BlocksCost, WhatComesTogetherQueuesWhateverWasThereBefore) {
    const Hierarchy nodes = nodes_below_switch(4, 2);
    const double at_leaders = 1 + 8 / 100.0 + 2 + 1;
    const double at_root = at_leaders + 5 + 16 / 10.0 + 50 + 5;
    EXPECT_DOUBLE_EQ(cost_us(Collective::gather, nodes, uniform(nodes, Algorithm::linear, 0), 64),
                     at_root + 2 * 5);
}

/// One node has more to gather than the others and arrives last, at any place.
TEST(BlocksCost, TheQueueIsThatOfTheTimesOfArrival) {
    const auto with_large_node = [](int place) {
        std::vector<int> node;
        for (int i = 0; i < 8; ++i) node.insert(node.end(), i == place ? 16 : 1, i);
        const Hierarchy nodes =
            make_hierarchy(leaf_switch, {{node_level, node}}, static_cast<int>(node.size()));
        return cost_us(Collective::gather, nodes, uniform(nodes, Algorithm::linear, 0), node.size());
    };
    EXPECT_NEAR(with_large_node(1), with_large_node(7), 1e-9);
    EXPECT_NEAR(with_large_node(1), with_large_node(4), 1e-9);
}

TEST(BlocksCost, AStarInOneGroupIsDirectMessages) {
    for (const int ranks : {2, 4, 9}) {
        const Hierarchy node = one_node(ranks);
        const Plan star = uniform(node, Algorithm::linear, 0);
        const std::size_t bytes = 100 * static_cast<std::size_t>(ranks);
        const double last = (ranks - 2) * (1 + 1) + (1 + 1 + 2 + 1);
        EXPECT_DOUBLE_EQ(cost_us(Collective::gather, node, star, bytes, ranks / 2), last);
        EXPECT_DOUBLE_EQ(cost_us(Collective::scatter, node, star, bytes, ranks / 2), last);
    }
}

TEST(BlocksCost, AShapePaysForEveryCopyOfABlock) {
    // Four nodes. The middle of a star sends three neighbours 3/4 of everything; the second node of a chain
    // sends 2/4 one way and 3/4 the other.
    const Hierarchy nodes = nodes_below_switch(4, 2);
    const double once = 1000000 / 10.0;
    const double star =
        cost_us(Collective::allgather, nodes, uniform(nodes, Algorithm::linear, 4096), 1000000);
    const double chain =
        cost_us(Collective::allgather, nodes, uniform(nodes, Algorithm::pipeline, 4096), 1000000);
    EXPECT_GT(star, 2.25 * once);
    EXPECT_LT(star, 2.35 * once);
    EXPECT_GT(chain, 1.25 * once);
    EXPECT_LT(chain, 1.35 * once);
    // Gather and Scatter carry every block once over the root's link.
    for (const Collective collective : {Collective::gather, Collective::scatter}) {
        const double us = cost_us(collective, nodes, uniform(nodes, Algorithm::linear, 4096), 1000000);
        EXPECT_GT(us, 0.75 * once);
        EXPECT_LT(us, 0.8 * once);
    }
}

TEST(BlocksCost, ARingByHand) {
    // Four ranks with 100 bytes each: the last block takes three hops of 1 + 1 + 2 + 1 us.
    const Hierarchy node = one_node(4);
    EXPECT_DOUBLE_EQ(cost_us(Collective::allgather, node, uniform(node, Algorithm::ring, 0), 400), 3 * 5);
    // Two are no ring.
    const Hierarchy pair = one_node(2);
    EXPECT_DOUBLE_EQ(cost_us(Collective::allgather, pair, uniform(pair, Algorithm::ring, 0), 200),
                     1 + 1 + 2 + 1);
    // Large ones keep every processor busy with three blocks in each direction.
    EXPECT_DOUBLE_EQ(cost_us(Collective::allgather, node, uniform(node, Algorithm::ring, 1000), 400000),
                     2 * (3 * 100 * 1 + 300000 / 100.0));
}

TEST(BlocksCost, ARingLeavesANodeAsOftenAsItEntersIt) {
    for (const int count : {3, 4, 9}) {
        const Hierarchy nodes = nodes_below_switch(count, 2);
        const double once = 1000000 / 10.0;
        const double us =
            cost_us(Collective::allgather, nodes, uniform(nodes, Algorithm::ring, 4096), 1000000);
        EXPECT_GT(us, once * (count - 1) / count);
        EXPECT_LT(us, once * (count - 1) / count * 1.1);
    }
    // Two sites of three nodes: the NIC of each site's local root is the limit. It sends the site's half of
    // everything up, and all but its successor's sixth along the ring.
    const Hierarchy sites = sites_of_nodes(2, 3, 2);
    const double us = cost_us(Collective::allgather, sites, uniform(sites, Algorithm::ring, 4096), 1200000);
    EXPECT_GT(us, (600000 + 1000000) / 10.0);
    EXPECT_LT(us, (600000 + 1000000) / 10.0 * 1.1);
}

TEST(BlocksCost, ShortBlocksShareAMessage) {
    const Hierarchy sites = sites_of_nodes(2, 4, 8);
    const std::size_t bytes = 8 * 64;
    for (const Collective collective : {Collective::allgather, Collective::gather, Collective::scatter}) {
        const double whole = cost_us(collective, sites, uniform(sites, Algorithm::binomial, 0), bytes);
        EXPECT_EQ(cost_us(collective, sites, uniform(sites, Algorithm::binomial, 60000), bytes), whole);
        EXPECT_GT(cost_us(collective, sites, uniform(sites, Algorithm::binomial, 8), bytes), whole);
    }
}

TEST(BlocksCost, TheLongestPathCounts) {
    const Hierarchy nodes = nodes_below_switch(9, 2);
    const double hop = 5 + 50 + 5;
    const Plan chain = uniform(nodes, Algorithm::pipeline, 0);
    const Plan star = uniform(nodes, Algorithm::linear, 0);
    for (const Collective collective : {Collective::allgather, Collective::gather, Collective::scatter}) {
        EXPECT_GT(cost_us(collective, nodes, chain, 18), 8 * hop);
        EXPECT_LT(cost_us(collective, nodes, chain, 18), 9 * hop);
    }
    EXPECT_GT(cost_us(Collective::allgather, nodes, star, 18), 2 * hop);
    EXPECT_LT(cost_us(Collective::allgather, nodes, star, 18), 4 * hop) << "and eight messages each way";
    EXPECT_LT(cost_us(Collective::gather, nodes, star, 18), 2 * hop);
}

TEST(BlocksCost, GrowsWithBytesAndEndsAtZeroForOneRank) {
    const Hierarchy sites = sites_of_nodes(2, 2, 4);
    const Hierarchy alone = one_node(1);
    for (const Collective collective : {Collective::allgather, Collective::gather, Collective::scatter}) {
        double before = 0;
        for (std::size_t bytes = 1; bytes < 10000000; bytes *= 3) {
            const double us = tree_cost_us(sites, LinkTable{}, uniform(sites, Algorithm::binomial, 8192),
                                           {collective, bytes, 3});
            EXPECT_GE(us, before) << bytes;
            before = us;
        }
        EXPECT_EQ(cost_us(collective, alone, uniform(alone, Algorithm::linear, 0), 100), 0);
    }
}

TEST(BlocksCost, AllgatherIsNeverBelowGather) {
    for (const Hierarchy& hierarchy : {one_node(11), nodes_below_switch(3, 4), sites_of_nodes(2, 3, 3)}) {
        for (const Algorithm shape : {Algorithm::linear, Algorithm::pipeline, Algorithm::binomial}) {
            for (const std::size_t segment : {0, 1000, 60000}) {
                for (const std::size_t bytes : {20, 1000, 100000, 10000000}) {
                    const Plan plan = uniform(hierarchy, shape, segment);
                    EXPECT_GE(cost_us(Collective::allgather, hierarchy, plan, bytes),
                              cost_us(Collective::gather, hierarchy, plan, bytes));
                }
            }
        }
    }
}

/// Times whole streams one by one with the flat model, which knows every connection's queue: each starts
/// once all streams to its sender have arrived.
double timed_one_by_one(const Hierarchy& hierarchy, const Plan& plan, std::size_t bytes) {
    const int size = hierarchy.ranks();
    FlatModel model(hierarchy, round_links());
    std::vector<std::vector<int>> neighbours(size);
    for (int rank = 0; rank < size; ++rank) {
        for (const auto& edge : tree_links(hierarchy, plan, 0, rank).children) {
            neighbours[rank].push_back(edge.peer);
            neighbours[edge.peer].push_back(rank);
        }
    }
    const auto ranks_behind = [&](auto&& self, int rank, int from) -> std::size_t {
        std::size_t ranks = 1;
        for (const int next : neighbours[rank]) ranks += next == from ? 0 : self(self, next, rank);
        return ranks;
    };
    using Stream = std::tuple<double, int, int>;  // ready when, from, to
    std::priority_queue<Stream, std::vector<Stream>, std::greater<>> ready;
    std::vector<std::map<int, double>> here(size);  // sender, arrival time
    const auto start_what_is_complete = [&](int rank, int from) {
        for (const int to : neighbours[rank]) {
            double latest = 0;
            std::size_t others = 0;
            for (const auto& [sender, at] : here[rank]) {
                others += sender == to ? 0 : 1;
                latest = std::max(latest, sender == to ? 0 : at);
            }
            if (to != from && others + 1 == neighbours[rank].size()) ready.emplace(latest, rank, to);
        }
    };
    for (int rank = 0; rank < size; ++rank) start_what_is_complete(rank, -1);
    double end = 0;
    while (!ready.empty()) {
        const auto [when, from, to] = ready.top();
        ready.pop();
        const std::size_t blocks = ranks_behind(ranks_behind, from, to);
        const double at = model.send(from, to, blocks * (bytes / static_cast<std::size_t>(size)), when);
        here[to][from] = at;
        end = std::max(end, at);
        start_what_is_complete(to, from);
    }
    return end;
}

TEST(BlocksCost, WholeStreamsAreTimedWithinAThird) {
    // The flat model receives any number of messages at once, and a rank that has received sends on only
    // afterwards. It knows when a connection starts to work; the bandwidth bound counts from the start.
    for (const Hierarchy& hierarchy : {one_node(7), nodes_below_switch(3, 4), sites_of_nodes(2, 3, 3)}) {
        for (const Algorithm shape : {Algorithm::linear, Algorithm::pipeline, Algorithm::binomial}) {
            for (const std::size_t block : {8, 1000, 100000}) {
                const std::size_t bytes = block * static_cast<std::size_t>(hierarchy.ranks());
                const Plan plan = uniform(hierarchy, shape, 0);
                const double share = cost_us(Collective::allgather, hierarchy, plan, bytes) /
                                     timed_one_by_one(hierarchy, plan, bytes);
                EXPECT_GT(share, 0.67) << hierarchy.ranks() << ' ' << info(shape).name << ' ' << block;
                EXPECT_LT(share, 1.33) << hierarchy.ranks() << ' ' << info(shape).name << ' ' << block;
            }
        }
    }
}

}  // namespace
}  // namespace blocks_test
