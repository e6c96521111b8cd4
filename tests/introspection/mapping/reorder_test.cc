#include "strata/mapping/reorder.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "cases.h"

namespace strata::testing {
namespace {

using mapping::Engine;
using mapping::Flow;
using mapping::plan_reordering;
using mapping::Reordering;
using mapping::ReorderOptions;
using mapping::TrafficMatrix;

class Reorder : public ::testing::TestWithParam<Engine> {
protected:
    void SetUp() override {
        if (!mapping::is_built_in(GetParam())) GTEST_SKIP() << "built without Scotch";
        options_.engine = GetParam();
    }
    ReorderOptions options_;
};
INSTANTIATE_TEST_SUITE_P(Engines, Reorder, ::testing::Values(Engine::scotch, Engine::greedy),
                         [](const auto& engine) {
                             return engine.param == Engine::scotch ? "scotch" : "greedy";
                         });

TEST_P(Reorder, HoldsItsPromisesOnRandomMachines) {
    int applied = 0;
    for (unsigned seed = 0; seed < 1000; ++seed) {
        SCOPED_TRACE("seed " + std::to_string(seed));
        std::mt19937 random(seed);
        const Placement placement = random_placement(random);
        const TrafficMatrix traffic = random_traffic(random, placement.hierarchy.ranks());
        options_.margin = 0.05 * (random() % 3);
        const Reordering found = plan_reordering(traffic, placement.hierarchy, options_);
        EXPECT_EQ(complaint_about_reordering(found, traffic, placement, options_.margin), "");
        applied += found.applied;
        if (HasFailure()) return;
    }
    EXPECT_GT(applied, 200);
}

TEST_P(Reorder, AnswersTheSameTwice) {
    std::mt19937 random(7);
    for (int i = 0; i < 50; ++i) {
        const Placement placement = random_placement(random);
        const TrafficMatrix traffic = random_traffic(random, placement.hierarchy.ranks());
        std::vector<Flow> flows(traffic.flows().begin(), traffic.flows().end());
        std::shuffle(flows.begin(), flows.end(), random);
        const TrafficMatrix same(traffic.ranks(), std::move(flows));
        EXPECT_EQ(mapping::reorder(traffic, placement.hierarchy, options_),
                  mapping::reorder(same, placement.hierarchy, options_));
    }
}

TEST_P(Reorder, ComesNearTheBestOfAllOrders) {
    double found_sum = 0, best_sum = 0;
    int best_found = 0, cases = 0;
    options_.margin = 0;
    for (unsigned seed = 0; cases < 150; ++seed) {
        std::mt19937 random(seed);
        const Placement placement = random_placement(random);
        const int ranks = placement.hierarchy.ranks();
        const TrafficMatrix traffic = random_traffic(random, ranks);
        if (ranks > 7 || placement.hierarchy.groups.size() < 3) continue;
        ++cases;
        std::vector<int> order(static_cast<std::size_t>(ranks));
        std::iota(order.begin(), order.end(), 0);
        double best = mapping::estimate(traffic, placement.hierarchy).distance;
        do {
            best = std::min(best, mapping::estimate(traffic, placement.hierarchy, order).distance);
        } while (std::next_permutation(order.begin(), order.end()));
        const Reordering found = plan_reordering(traffic, placement.hierarchy, options_);
        const double distance = std::min(found.before.distance, found.after.distance);
        EXPECT_GE(distance, best * (1 - 1e-12));
        best_found += distance <= best * (1 + 1e-12);
        if (best > 0) found_sum += distance / best, best_sum += 1;
    }
    EXPECT_GE(best_found, cases * 9 / 10);
    EXPECT_LE(found_sum, best_sum * 1.01);
}

TEST_P(Reorder, BringsGroupsThatWereDealtInTurnIntoOneNode) {
    const Placement placement = nodes_with({4, 4, 4, 4}, Order::cyclic);
    const TrafficMatrix traffic = group_traffic(16, 4, 1000000);
    const Reordering found = plan_reordering(traffic, placement.hierarchy, options_);
    EXPECT_TRUE(found.applied);
    EXPECT_EQ(found.before.network_bytes(), 48000000U);
    EXPECT_EQ(found.after.network_bytes(), 0U);
    // Figure 1: the processes of one node now do the work of one group of ranks.
    for (int p = 0; p < 16; ++p) {
        const auto k = [&](int process) { return found.permutation[static_cast<std::size_t>(process)]; };
        EXPECT_EQ(k(p) / 4, k(p % 4) / 4);
    }
}

TEST_P(Reorder, SendsABroadcastOnceToEveryNode) {
    const Placement placement = nodes_with({4, 4, 4, 4}, Order::cyclic);
    std::vector<Flow> flows;
    for (int step = 8; step >= 1; step /= 2) {
        for (int from = 0; from < 16; from += 2 * step) flows.push_back({from, from + step, 1 << 20, 1});
    }
    const TrafficMatrix traffic(16, flows);
    const Reordering found = plan_reordering(traffic, placement.hierarchy, options_);
    EXPECT_TRUE(found.applied);
    EXPECT_EQ(found.before.network_bytes(), 12U << 20);
    EXPECT_EQ(found.after.network_bytes(), 3U << 20);  // 15 edges of a tree, 3 inside each node
}

TEST_P(Reorder, FillsUnequalNodesExactly) {
    const Placement placement = nodes_with({1, 5, 2, 3}, Order::cyclic);
    // Groups of 5, 3, 2 and 1 ranks, numbered from the end.
    std::vector<Flow> flows;
    const std::vector<std::vector<int>> groups = {{10, 9, 8, 7, 6}, {5, 4, 3}, {2, 1}, {0}};
    for (const auto& group : groups) {
        for (const int a : group) {
            for (const int b : group) {
                if (a != b) flows.push_back({a, b, 5000, 2});
            }
        }
    }
    const TrafficMatrix traffic(11, flows);
    const Reordering found = plan_reordering(traffic, placement.hierarchy, options_);
    EXPECT_TRUE(found.applied);
    EXPECT_EQ(found.after.network_bytes(), 0U);
}

TEST_P(Reorder, HeedsEveryLevel) {
    const Placement placement = nodes_with({4, 4, 4, 4}, Order::cyclic, true, true);
    // Pairs talk most, fours less, eights least: package, node and switch have places for them.
    std::vector<Flow> flows;
    for (int a = 0; a < 16; ++a) {
        for (int b = 0; b < 16; ++b) {
            if (a == b) continue;
            if (a / 8 == b / 8) flows.push_back({a, b, 1000, 0});
            if (a / 4 == b / 4) flows.push_back({a, b, 10000, 0});
            if (a / 2 == b / 2) flows.push_back({a, b, 100000, 0});
        }
    }
    const TrafficMatrix traffic(16, flows);
    const Reordering found = plan_reordering(traffic, placement.hierarchy, options_);
    ASSERT_EQ(found.after.levels.size(), 4U);
    EXPECT_EQ(found.after.levels[0].bytes, 0U);                // between switches
    EXPECT_EQ(found.after.levels[1].bytes, 16U * 4 * 1000);    // between the nodes of a switch
    EXPECT_EQ(found.after.levels[2].bytes, 16U * 2 * 11000);   // between the packages of a node
    EXPECT_EQ(found.after.levels[3].bytes, 16U * 1 * 111000);  // inside a package
}

TEST_P(Reorder, LeavesWhatDoesNotPay) {
    const Placement placement = nodes_with({4, 4, 4, 4}, Order::block);
    std::vector<int> identity(16);
    std::iota(identity.begin(), identity.end(), 0);
    // All pairs exchange messages; already in order; no messages.
    for (const TrafficMatrix& traffic :
         {group_traffic(16, 16, 1000), group_traffic(16, 4, 1000), TrafficMatrix(16)}) {
        const Reordering found = plan_reordering(traffic, placement.hierarchy, options_);
        EXPECT_FALSE(found.applied);
        EXPECT_EQ(found.permutation, identity);
        EXPECT_NE(found.why.find("the old order stays"), std::string::npos) << found.why;
    }
}

TEST_P(Reorder, KeepsToItsMargin) {
    const Placement placement = nodes_with({2, 2}, Order::cyclic);
    // Ranks 0 and 1 exchange slightly more than ranks 0 and 2, which share a node.
    const TrafficMatrix traffic(4, {{0, 1, 100000, 0}, {0, 2, 80000, 0}, {3, 2, 80000, 0}, {3, 1, 80000, 0}});
    options_.margin = 0;
    const Reordering found = plan_reordering(traffic, placement.hierarchy, options_);
    ASSERT_TRUE(found.applied) << found.why;
    const double saved = 1 - found.after.seconds / found.before.seconds;
    options_.margin = saved + 0.01;
    EXPECT_FALSE(plan_reordering(traffic, placement.hierarchy, options_).applied);
    options_.margin = saved - 0.01;
    EXPECT_TRUE(plan_reordering(traffic, placement.hierarchy, options_).applied);
}

TEST_P(Reorder, MovesNoRankWithoutNeed) {
    // Only ranks 0..3 sit wrongly: their pairs are split between the first two nodes.
    const Placement placement = nodes_with({2, 2, 2, 2}, Order::block);
    const TrafficMatrix traffic(
        8, {{0, 2, 9000000, 1}, {1, 3, 9000000, 1}, {4, 5, 9000000, 1}, {6, 7, 9000000, 1}});
    const Reordering found = plan_reordering(traffic, placement.hierarchy, options_);
    ASSERT_TRUE(found.applied);
    EXPECT_EQ(found.after.network_bytes(), 0U);
    EXPECT_EQ(std::vector<int>(found.permutation.begin() + 4, found.permutation.end()),
              (std::vector<int>{4, 5, 6, 7}));
}

TEST_P(Reorder, TakesAnyNumbers) {
    const Placement placement = nodes_with({3, 3}, Order::cyclic);
    const std::uint64_t huge = std::uint64_t{1} << 62;
    const TrafficMatrix traffic(6, {{0, 1, huge, 0}, {2, 3, huge, huge}, {4, 5, 1, 0}, {5, 5, 7, 7}});
    const Reordering found = plan_reordering(traffic, placement.hierarchy, options_);
    EXPECT_EQ(complaint_about_permutation(found.permutation, 6), "");
    EXPECT_EQ(found.after.network_bytes(), 1U);
    const Placement alone = nodes_with({1}, Order::block);
    EXPECT_EQ(mapping::reorder(TrafficMatrix(1, {{0, 0, 5, 5}}), alone.hierarchy, options_),
              std::vector<int>{0});
}

TEST_P(Reorder, RefusesAnotherNumberOfRanks) {
    const Placement placement = nodes_with({3, 3}, Order::cyclic);
    EXPECT_THROW(plan_reordering(TrafficMatrix(5), placement.hierarchy, options_), std::invalid_argument);
}

/// The grid of 2 * n ranks and their neighbours, with ranks numbered at random.
TrafficMatrix shuffled_grid(int width, int height) {
    std::vector<int> number(static_cast<std::size_t>(width * height));
    std::iota(number.begin(), number.end(), 0);
    std::mt19937 random(1);
    std::shuffle(number.begin(), number.end(), random);
    std::vector<Flow> flows;
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            for (int dy = -1; dy <= 1; ++dy) {
                for (int dx = -1; dx <= 1; ++dx) {
                    const int u = x + dx, v = y + dy;
                    if ((dx == 0 && dy == 0) || u < 0 || u >= width || v < 0 || v >= height) continue;
                    flows.push_back({number[static_cast<std::size_t>(y * width + x)],
                                     number[static_cast<std::size_t>(v * width + u)],
                                     dx != 0 && dy != 0 ? 8U : 8192U, 1});
                }
            }
        }
    }
    return TrafficMatrix(width * height, std::move(flows));
}

// How long it takes: README.md; here only that it ends, and how well.
TEST_P(Reorder, MapsThousands) {
    const Placement placement = nodes_with(std::vector<int>(256, 32), Order::block, true);
    const TrafficMatrix traffic = shuffled_grid(128, 64);
    const Reordering found = plan_reordering(traffic, placement.hierarchy, options_);
    EXPECT_TRUE(found.applied);
    EXPECT_LT(found.after.network_bytes(), found.before.network_bytes() / 3);
}

// The oracles above must detect errors.

TEST(Oracle, SeesWhatIsNoPermutation) {
    EXPECT_EQ(complaint_about_permutation(std::vector<int>{1, 0, 2}, 3), "");
    EXPECT_NE(complaint_about_permutation(std::vector<int>{1, 0, 1}, 3), "");
    EXPECT_NE(complaint_about_permutation(std::vector<int>{1, 0, 3}, 3), "");
    EXPECT_NE(complaint_about_permutation(std::vector<int>{1, 0, -1}, 3), "");
    EXPECT_NE(complaint_about_permutation(std::vector<int>{1, 0}, 3), "");
}

TEST(Oracle, SeesTheInverseInPlaceOfThePermutation) {
    const Placement placement = nodes_with({2, 2}, Order::block);
    const TrafficMatrix traffic(4, {{0, 1, 10, 0}, {1, 2, 100, 0}, {2, 3, 1000, 0}});
    const std::vector<int> k{1, 2, 0, 3};
    const std::vector<int> inverse = mapping::inverse_permutation(k, 4);
    EXPECT_EQ(
        complaint_about_estimate(mapping::estimate(traffic, placement.hierarchy, k), traffic, placement, k),
        "");
    EXPECT_NE(complaint_about_estimate(mapping::estimate(traffic, placement.hierarchy, inverse), traffic,
                                       placement, k),
              "");
}

TEST(Oracle, SeesAnOrderThatIsWorse) {
    const Placement placement = nodes_with({2, 2}, Order::block);
    const TrafficMatrix traffic = group_traffic(4, 2, 1000);
    Reordering wrong;
    wrong.permutation = {0, 2, 1, 3};
    wrong.before = mapping::estimate(traffic, placement.hierarchy);
    wrong.after = mapping::estimate(traffic, placement.hierarchy, wrong.permutation);
    EXPECT_NE(complaint_about_reordering(wrong, traffic, placement, 0.05), "");
    wrong.applied = true;
    EXPECT_EQ(complaint_about_reordering(wrong, traffic, placement, 0.05), "farther than before");
    wrong.after = wrong.before;
    EXPECT_NE(complaint_about_reordering(wrong, traffic, placement, 0.05), "");
}

}  // namespace
}  // namespace strata::testing
