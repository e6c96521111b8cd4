// The cost model against sums computed by hand, and its two variants against each other.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "algorithms/cost/model.h"
#include "algorithms/openmpi_cost/flat.h"
#include "algorithms/openmpi_cost/steps.h"
#include "algorithms/openmpi_cost/forward_cost.h"
#include "algorithms/openmpi_cost/tuned.h"
#include "algorithms/patterns/tree.h"
#include "algorithms/planning/make_plan.h"
#include "plans.h"

namespace model_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;

/// Predicted time of a broadcast.
double tree_cost_us(const Hierarchy& hierarchy, const LinkTable& links, const Plan& plan, std::size_t bytes,
                    int root) {
    return tree_cost_us(hierarchy, links, plan, {Collective::bcast, bytes, root});
}

double forward_cost_us(const Hierarchy& hierarchy, const LinkTable& links, std::size_t bytes, int root) {
    return forward_cost_us(hierarchy, links, {Collective::bcast, bytes, root});
}

TEST(TreeCost, ShapesOfOneMessageInOneNode) {
    const Hierarchy node = one_node(4);
    const LinkTable links = round_links();
    const double hop = 1 + 2 + 2 + 1;  // overhead, copy of 200 bytes, latency, overhead
    EXPECT_DOUBLE_EQ(tree_cost_us(node, links, uniform(node, Algorithm::pipeline, 0), 200, 0), 3 * hop);
    EXPECT_DOUBLE_EQ(tree_cost_us(node, links, uniform(node, Algorithm::linear, 0), 200, 0),
                     2 * (1 + 2) + hop);
    EXPECT_DOUBLE_EQ(tree_cost_us(node, links, uniform(node, Algorithm::binomial, 0), 200, 0), 2 * hop);
}

/// The example of the report on the hierarchical model, section 6: a flat tree of 8 processes takes 7 messages
/// one after the other; with three levels of two, 3. Its messages cost bytes only, as here.
TEST(TreeCost, ThreeLevelsOfTwoTakeThreeSeventhsOfAFlatTree) {
    LinkTable links;
    for (const LevelKind kind : {LevelKind::node, LevelKind::numa, LevelKind::l3})
        links.set({kind, std::nullopt}, {0, 0, 100, 1024 * 1024 * kib, 1});
    const Hierarchy levels =
        make_hierarchy(node_level, {{numa_level, blocks(8, 4)}, {{LevelKind::l3, 0}, blocks(8, 2)}}, 8);
    const Hierarchy flat = one_node(8);
    const auto us = [&](const Hierarchy& machine) {
        return tree_cost_us(machine, links, uniform(machine, Algorithm::linear, 0), 5000, 0);
    };
    EXPECT_DOUBLE_EQ(us(flat), 7 * 50);
    EXPECT_DOUBLE_EQ(us(levels), 3 * 50);
}

TEST(TreeCost, APipelineRunsAtThePaceOfItsSlowestResource) {
    // 10 segments of 1000 bytes through a chain of 4: an inner rank's processor copies each twice and spends
    // two overheads, 2 * (10 + 1) us; the first segment takes three hops of 1 + 10 + 2 + 1 us.
    const Hierarchy node = one_node(4);
    EXPECT_DOUBLE_EQ(tree_cost_us(node, round_links(), uniform(node, Algorithm::pipeline, 1000), 10000, 0),
                     3 * 14 + 9 * 22);
}

TEST(TreeCost, TheSlowestLevelSetsThePace) {
    const Hierarchy sites = sites_of_nodes(2, 2, 4);
    LinkTable links = round_links();
    links.set({LevelKind::switch_, 1}, {50, 5, 2, 1024 * 1024 * kib});
    const std::size_t bytes = 1000000;
    const double limit = bytes / 2.0;
    const double us = tree_cost_us(sites, links, uniform(sites, Algorithm::linear, 4096), bytes, 0);
    EXPECT_GT(us, limit);
    EXPECT_LT(us, 1.02 * limit);
}

TEST(TreeCost, HandshakesCostARoundTripFromTheLimitOn) {
    const Hierarchy node = one_node(2);
    LinkTable links;
    links.set({LevelKind::node, std::nullopt}, {2, 1, 100, 200});
    EXPECT_DOUBLE_EQ(tree_cost_us(node, links, uniform(node, Algorithm::linear, 0), 199, 0),
                     1 + 1.99 + 2 + 1);
    EXPECT_DOUBLE_EQ(tree_cost_us(node, links, uniform(node, Algorithm::linear, 0), 200, 0),
                     1 + 2 + 2 + 1 + 6);
}

TEST(TreeCost, TheWindowBoundsSegmentsThatNeedHandshakes) {
    const Hierarchy node = one_node(2);
    LinkTable links;
    links.set({LevelKind::node, std::nullopt}, {2, 1, 100, 200});
    Plan plan = uniform(node, Algorithm::linear, 1000);
    const double first = 1 + 6 + 10 + 2 + 1;
    plan.window = 1;  // 6 + 2 + 10 us per segment
    EXPECT_NEAR(tree_cost_us(node, links, plan, 10000, 0), first + 9 * 18, 1e-6);
    plan.window = 4;  // the processor's 11 us per segment
    EXPECT_NEAR(tree_cost_us(node, links, plan, 10000, 0), first + 9 * 11, 1e-6);
}

/// 50 us there, 100 us on the link, 50 + 5 us back: with one segment in flight each further one takes that
/// long, with four it takes the link's 100 us. Both directions run at the same time.
TEST(TreeCost, TheWindowBoundsSegmentsThatAreAcknowledged) {
    const Hierarchy nodes = nodes_below_switch(2, 1);
    Plan plan = uniform(nodes, Algorithm::linear, 1000);
    const Operation allreduce{Collective::allreduce, 100000};
    const auto us = [&](int window, std::size_t bytes) {
        plan.window = window;
        plan.network_window_bytes = bytes;
        return tree_cost_us(nodes, round_links(), plan, allreduce);
    };
    EXPECT_NEAR(us(1, 0) - us(4, 0), 99 * 105.0, 1e-6);
    EXPECT_DOUBLE_EQ(us(1, 4000), us(4, 0));
    EXPECT_DOUBLE_EQ(us(8, 4000), us(4, 0)) << "the link's pace";
}

TEST(Selector, TheWindowHoldsWhatTheLongestLinkHolds) {
    const Hierarchy sites = sites_of_nodes(2, 2, 2);
    const auto chosen = [&](double latency_us, int window = 0) {
        Overrides overrides;
        overrides.window = window;
        return make_plan(sites, two_sites(latency_us), overrides, {Collective::allreduce, 4 * mib});
    };
    EXPECT_EQ(chosen(50).window, 4);
    EXPECT_EQ(chosen(50).network_window_bytes, 256 * kib);
    EXPECT_EQ(chosen(50000).network_window_bytes, 2 * 50010 * 25U);
    EXPECT_EQ(chosen(5e6).network_window_bytes, 4 * mib);
    EXPECT_EQ(chosen(5e6, 7).window, 7);
    EXPECT_EQ(chosen(5e6, 7).network_window_bytes, 0U) << "the user's word";
    EXPECT_EQ(make_plan(one_node(4), {}, {}, {Collective::bcast, 4 * mib}).network_window_bytes, 0U);
}

TEST(TreeCost, EveryEdgeOutOfAGroupTakesItsShareOfTheConnection) {
    const Hierarchy nodes = nodes_below_switch(3, 2);
    const double once = 1000000 / 10.0;
    const double linear =
        tree_cost_us(nodes, round_links(), uniform(nodes, Algorithm::linear, 4096), 1000000, 0);
    const double chain =
        tree_cost_us(nodes, round_links(), uniform(nodes, Algorithm::pipeline, 4096), 1000000, 0);
    EXPECT_GT(linear, 2 * once);
    EXPECT_LT(linear, 2.05 * once);
    EXPECT_GT(chain, once);
    EXPECT_LT(chain, 1.05 * once);
}

TEST(TreeCost, ALargerSegmentWaitsForSeveralSmallOnes) {
    // Two nodes of two, 15,000 bytes: 1,000 per segment between the nodes, 10,000 inside at 5 B/us. A leader
    // spends 5 us per 1,000 bytes on the network, 1 us + 2,000 us per 10,000 inside: 0.2051 us per byte.
    const Hierarchy nodes = nodes_below_switch(2, 2);
    LinkTable links = round_links();
    links.set({LevelKind::node, std::nullopt}, {2, 1, 5, 1024 * 1024 * kib});
    Plan plan = uniform(nodes, Algorithm::linear, 1000);
    plan.levels.back().segment_bytes = 10000;
    const double ten_segments = (5 + 100 + 50 + 5) + 9000 * 0.2051;
    const double first = ten_segments + 1 + 2000 + 2 + 1;
    EXPECT_NEAR(tree_cost_us(nodes, links, plan, 15000, 0), first + 5000 * 0.2051, 1e-6);
}

TEST(TreeCost, GrowsWithBytesAndEndsAtZeroForOneRank) {
    const Hierarchy sites = sites_of_nodes(2, 2, 4);
    double before = 0;
    for (std::size_t bytes = 1; bytes < 10000000; bytes *= 3) {
        const double us =
            tree_cost_us(sites, LinkTable{}, uniform(sites, Algorithm::binomial, 8192), bytes, 3);
        EXPECT_GE(us, before) << bytes;
        before = us;
    }
    EXPECT_EQ(tree_cost_us(one_node(1), LinkTable{}, uniform(one_node(1), Algorithm::linear, 0), 100, 0), 0);
}

TEST(TreeCost, RefusesAnOpenMethod) {
    const Hierarchy node = one_node(4);
    EXPECT_THROW(tree_cost_us(node, LinkTable{}, uniform(node, Algorithm::automatic, 0), 8, 0),
                 std::invalid_argument);
}

TEST(TreeCost, AgreesWithTheFlatModelOnWholeMessages) {
    // The flat model times any messages one by one; given the composed tree's edges, both must agree.
    for (const Hierarchy& hierarchy : {one_node(11), nodes_below_switch(3, 4), sites_of_nodes(2, 3, 3)}) {
        for (const Algorithm algorithm : {Algorithm::linear, Algorithm::pipeline, Algorithm::binomial}) {
            for (const int root : {0, 5}) {
                const Plan plan = uniform(hierarchy, algorithm, 0);
                const int size = hierarchy.ranks();
                MessageSchedule tree(size);
                for (int rank = 0; rank < size; ++rank) {
                    const auto links = tree_links(hierarchy, plan, root, rank);
                    if (rank != root) tree.receive(rank, links.parent.peer);
                    for (const auto& edge : links.children) tree.send(rank, edge.peer, 3000);
                }
                FlatModel flat(hierarchy, round_links());
                const auto arrival = run_schedule(flat, tree);
                EXPECT_NEAR(tree_cost_us(hierarchy, round_links(), plan, 3000, root),
                            *std::max_element(arrival.begin(), arrival.end()), 1e-6)
                    << size << " ranks, " << info(algorithm).name << ", root " << root;
            }
        }
    }
}

TEST(FlatCost, ABoundaryServesOneMessageAfterTheOther) {
    // Two nodes of two; both ranks of the first node send 1000 bytes to the second: 100 us each on the wire.
    const Hierarchy two = nodes_below_switch(2, 2);
    FlatModel model(two, round_links());
    EXPECT_DOUBLE_EQ(model.send(0, 2, 1000, 0), 5 + 100 + 50 + 5);
    EXPECT_DOUBLE_EQ(model.send(1, 3, 1000, 0), 100 + 5 + 100 + 50 + 5);
    EXPECT_DOUBLE_EQ(model.send(2, 0, 1000, 0), 160 + 160) << "after its own arrival, the other way is free";
}

TEST(TunedBcast, TableOfRelease41) {
    const auto expect = [](int ranks, std::size_t bytes, Algorithm algorithm) {
        EXPECT_EQ(tuned_bcast_algorithm(ranks, bytes), algorithm) << ranks << " ranks, " << bytes << " bytes";
    };
    expect(2, 31, Algorithm::pipeline);
    expect(3, 32, Algorithm::binary);
    expect(3, 1048576, Algorithm::binary);
    expect(4, 63, Algorithm::binary);
    expect(7, 1048576, Algorithm::pipeline);
    expect(8, 7, Algorithm::knomial);
    expect(15, 32768, Algorithm::linear);
    expect(16, 8, Algorithm::knomial);
    expect(16, 4096, Algorithm::binomial);
    expect(16, 1048575, Algorithm::binomial);
    expect(16, 1048576, Algorithm::scatter_allgather);
    expect(32, 2047, Algorithm::binomial);
    expect(63, 2048, Algorithm::knomial);
    expect(64, 0, Algorithm::knomial);
    expect(128, 1, Algorithm::binomial);
    expect(255, 20000, Algorithm::linear);
    expect(256, 16384, Algorithm::split_binary);
    expect(1023, 32768, Algorithm::knomial);
    expect(1024, 524288, Algorithm::scatter_allgather);
    expect(4095, 262143, Algorithm::knomial);
    expect(4096, 8192, Algorithm::binary);
    expect(100000, 1UL << 40, Algorithm::scatter_allgather);
}

TEST(TunedBcast, PatternsByHand) {
    const LinkTable links = round_links();
    const double hop = 1 + 0.08 + 2 + 1;  // 8 bytes in one node
    // 8 ranks, 8 bytes: binary, 0 -> 1 2, 1 -> 3 5, 2 -> 4 6, 3 -> 7: rank 7 ends a way of first children; 6
    // waits for one sibling at each of two levels.
    EXPECT_DOUBLE_EQ(forward_cost_us(one_node(8), links, 8, 0), 3 * hop);
    EXPECT_DOUBLE_EQ(forward_cost_us(one_node(7), links, 8, 0), 2 * (1.08 + hop));
    // 16 ranks, 8 bytes: knomial of radix 4, three children on each of two levels.
    EXPECT_DOUBLE_EQ(forward_cost_us(one_node(16), links, 8, 0), 2 * (2 * 1.08 + hop));
    EXPECT_EQ(forward_cost_us(one_node(1), links, 8, 0), 0);
}

TEST(TunedBcast, BinarySubtreesAreOddAndEven) {
    // 0 -> 1 2, 1 -> 3 5, 2 -> 4 6: with the odd ranks on a node of their own, one message crosses.
    const Hierarchy odd_even = make_hierarchy(leaf_switch, {{node_level, {0, 1, 0, 1, 0, 1, 0}}}, 7);
    EXPECT_DOUBLE_EQ(forward_cost_us(odd_even, round_links(), 1000, 0), 160 + 11 + 14);
}

TEST(TunedBcast, EveryRankIsReachedWhateverTheSize) {
    for (const int ranks : {2, 3, 4, 7, 8, 11, 16, 17, 24, 33, 100, 130, 257, 300, 1025}) {
        for (const std::size_t bytes :
             {1, 8, 300, 700, 5000, 20000, 40000, 140000, 300000, 600000, 2000000}) {
            const double us = forward_cost_us(one_node(ranks), round_links(), bytes, ranks / 2);
            // No rank can have it before one message's latency, nor before its bytes passed one processor.
            EXPECT_GT(us, 4 + 0.9 * (static_cast<double>(bytes) / 100))
                << ranks << " ranks, " << bytes << " bytes";
        }
    }
}

TEST(TunedBcast, BinomialInBlockOrderCrossesTheUplinkFromEveryRank) {
    // 16 ranks in two blocks, 256 KiB: distance doubling sends 8 times over the boundary, which then takes 8
    // messages.
    const Hierarchy two = nodes_below_switch(2, 8);
    const double crossing = 256 * kib / 10.0;
    EXPECT_GT(forward_cost_us(two, round_links(), 256 * kib, 0), 8 * crossing);
    EXPECT_LT(forward_cost_us(two, round_links(), 256 * kib, 0), 9.5 * crossing);
}

TEST(TunedBcast, DependsOnTheRankOrder) {
    const LinkTable links = round_links();
    std::vector<int> cyclic(16);
    for (int rank = 0; rank < 16; ++rank) cyclic[rank] = rank % 4;
    const Hierarchy dealt = make_hierarchy(leaf_switch, {{node_level, cyclic}}, 16);
    EXPECT_GT(forward_cost_us(nodes_below_switch(4, 4), links, 256 * kib, 0),
              1.5 * forward_cost_us(dealt, links, 256 * kib, 0));
}

}  // namespace
}  // namespace model_test
