#include "strata/mapping/estimate.h"

#include <gtest/gtest.h>

#include "cases.h"

namespace strata::testing {
namespace {

using mapping::Estimate;
using mapping::LinkCosts;
using mapping::TrafficMatrix;
using topology::LevelKind;

TEST(Estimate, CountsEveryMessageAtTheWidestLevelItCrosses) {
    const Placement placement = nodes_with({4, 4, 4, 4}, Order::block, true, true);
    // Nodes 0 and 2 are below one switch, 1 and 3 below the other.
    const TrafficMatrix traffic(16,
                                {{0, 1, 1, 1}, {0, 2, 10, 1}, {0, 8, 100, 2}, {0, 4, 1000, 3}, {7, 7, 5, 5}});
    const Estimate found = mapping::estimate(traffic, placement.hierarchy);
    ASSERT_EQ(found.levels.size(), 4U);
    const LevelKind kinds[] = {LevelKind::switch_, LevelKind::switch_, LevelKind::node, LevelKind::package};
    const std::uint64_t bytes[] = {1000, 100, 10, 1}, messages[] = {3, 2, 1, 1};
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(found.levels[i].level.kind, kinds[i]);
        EXPECT_EQ(found.levels[i].bytes, bytes[i]);
        EXPECT_EQ(found.levels[i].messages, messages[i]);
        EXPECT_EQ(found.levels[i].network, i < 2);
    }
    EXPECT_EQ(found.network_bytes(), 1100U);
    EXPECT_DOUBLE_EQ(found.distance, (1000 + 3 * 4096) * 16.0 + (100 + 2 * 4096) * 8.0 + (10 + 4096) * 2.0 +
                                         (1 + 4096) * 1.6);
}

TEST(Estimate, FindsTheBusiestLink) {
    const Placement placement = nodes_with({2, 2, 2}, Order::block);
    // Node 0 receives from both others; node 1 sends most.
    const TrafficMatrix traffic(6, {{2, 0, 50, 1}, {3, 1, 60, 1}, {4, 0, 20, 2}, {0, 5, 30, 1}});
    const Estimate found = mapping::estimate(traffic, placement.hierarchy);
    EXPECT_EQ(found.levels[0].busiest_bytes, 130U);
    EXPECT_EQ(found.levels[0].busiest_messages, 4U);
    // Half that link's time and half of the average over three nodes, both ways.
    const double all = 160 + 5 * 4096.0;
    EXPECT_NEAR(found.levels[0].seconds, ((130 + 4 * 4096.0) + all / 3) / 2 * 10 * 1e-10, 1e-15);
    EXPECT_EQ(found.levels[1].busiest_bytes, 0U);
}

TEST(Estimate, LoadsTheNicOfANodeWithWhatLeavesItsSwitch) {
    const Placement placement = nodes_with({1, 1, 1, 1}, Order::block, false, true);
    const TrafficMatrix traffic(4, {{0, 1, 1000, 0}, {0, 2, 1, 0}});
    const Estimate found = mapping::estimate(traffic, placement.hierarchy);
    ASSERT_EQ(found.levels.size(), 2U);
    EXPECT_EQ(found.levels[0].busiest_bytes, 1000U);
    EXPECT_EQ(found.levels[1].bytes, 1U);
    EXPECT_EQ(found.levels[1].busiest_bytes, 1001U);
}

TEST(Estimate, TakesKAsFigure1HasIt) {
    const Placement placement = nodes_with({2, 1}, Order::block);
    // Ranks 0 and 2 exchange messages; process 1, beside process 0, takes over rank 2's work.
    const TrafficMatrix traffic(3, {{0, 2, 77, 0}});
    EXPECT_EQ(mapping::estimate(traffic, placement.hierarchy).network_bytes(), 77U);
    const std::vector<int> k{0, 2, 1};
    EXPECT_EQ(mapping::estimate(traffic, placement.hierarchy, k).network_bytes(), 0U);
    EXPECT_EQ(mapping::inverse_permutation(std::vector<int>{1, 2, 0}, 3), (std::vector<int>{2, 0, 1}));
}

TEST(Estimate, RefusesWhatIsNoPermutation) {
    const Placement placement = nodes_with({2, 1}, Order::block);
    for (const std::vector<int>& wrong : {std::vector<int>{0, 1}, {0, 1, 1}, {0, 1, 3}, {-1, 0, 1}}) {
        EXPECT_THROW(mapping::estimate(TrafficMatrix(3), placement.hierarchy, wrong), std::invalid_argument);
    }
    EXPECT_THROW(mapping::estimate(TrafficMatrix(4), placement.hierarchy), std::invalid_argument);
}

TEST(Estimate, SaysWhatALevelConnects) {
    const Placement placement = nodes_with({4, 1}, Order::block, true);
    EXPECT_EQ(mapping::describe_level(placement.hierarchy, {LevelKind::cluster, 0}),
              "cluster (between nodes)");
    EXPECT_EQ(mapping::describe_level(placement.hierarchy, {LevelKind::node, 0}), "node (between packages)");
    EXPECT_EQ(mapping::describe_level(placement.hierarchy, {LevelKind::package, 0}),
              "package (between cores)");
}

TEST(LinkCosts, AreTakenAsTold) {
    const LinkCosts costs = LinkCosts::parse("switch=5, switch1=40,node=2.5 , cluster=1");
    EXPECT_EQ(costs.of({LevelKind::switch_, 0}), 5);
    EXPECT_EQ(costs.of({LevelKind::switch_, 1}), 40);
    EXPECT_EQ(costs.of({LevelKind::node, 0}), 2.5);
    EXPECT_EQ(costs.of({LevelKind::cluster, 0}), 1);
    EXPECT_EQ(costs.of({LevelKind::numa, 0}), 1.4);
}

TEST(LinkCosts, DoNotFallTowardsWiderLevels) {
    const Placement placement = nodes_with({2, 2}, Order::block);
    const std::vector<double> costs = LinkCosts::parse("cluster=1,node=7").by_group(placement.hierarchy);
    EXPECT_EQ(costs.front(), 7);
    EXPECT_EQ(costs.back(), 1);
}

TEST(LinkCosts, RefuseWhatTheyDoNotKnow) {
    for (const char* wrong : {"", "node", "node=", "node=x", "node=0", "node=-1", "node=1e9", "node=nan",
                              "nod=1", "custom0=1", "node=1,,cluster=2"}) {
        EXPECT_THROW(LinkCosts::parse(wrong), std::invalid_argument) << wrong;
    }
}

}  // namespace
}  // namespace strata::testing
