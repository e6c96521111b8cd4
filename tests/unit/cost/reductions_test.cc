// Predicted costs of reductions and barriers: sums computed by hand, and bounds between collectives.
#include <gtest/gtest.h>

#include "algorithms/cost/links.h"
#include "algorithms/cost/model.h"
#include "algorithms/openmpi_cost/forward_cost.h"
#include "plans.h"

namespace reductions_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;

double cost_us(Collective collective, const Hierarchy& hierarchy, const Plan& plan, std::size_t bytes,
               int root = 0) {
    return tree_cost_us(hierarchy, round_links(), plan, {collective, bytes, root});
}

/// Time to combine `bytes` bytes.
double combine(double bytes) { return bytes / combined_bytes_per_us; }

/// Recursive doubling on the topmost level, `algorithm` below it.
Plan exchanging(const Hierarchy& hierarchy, Algorithm algorithm, std::size_t segment = 0) {
    Plan plan = uniform(hierarchy, algorithm, segment);
    plan.levels.front().method = {Algorithm::recursive_doubling, 0, {}};
    return plan;
}

const std::vector<Hierarchy>& hierarchies() {
    static const std::vector<Hierarchy> all{one_node(2), one_node(11), nodes_below_switch(3, 4),
                                            sites_of_nodes(2, 3, 3)};
    return all;
}

constexpr Algorithm shapes[] = {Algorithm::linear,       Algorithm::pipeline,        Algorithm::binary,
                                Algorithm::binomial,     Algorithm::in_order_binary, Algorithm::split_binary,
                                Algorithm::double_binary};

TEST(ReduceCost, EveryEdgeEndsWithACombine) {
    const Hierarchy node = one_node(4);
    const double hop = 1 + 2 + 2 + 1;  // overhead, copy of 200 bytes, latency, overhead
    EXPECT_DOUBLE_EQ(cost_us(Collective::reduce, node, uniform(node, Algorithm::pipeline, 0), 200),
                     3 * (hop + combine(200)));
    // The root takes in two children's vectors and combines them while the third one's waits.
    EXPECT_DOUBLE_EQ(cost_us(Collective::reduce, node, uniform(node, Algorithm::linear, 0), 200),
                     2 * (1 + 2) + hop + 3 * combine(200));
}

TEST(ReduceCost, IsTheBroadcastBackwardsAndCombinesOnTop) {
    for (const Hierarchy& hierarchy : hierarchies()) {
        for (const Algorithm shape : shapes) {
            for (const std::size_t segment : {0, 4096}) {
                for (const int root : {0, hierarchy.ranks() - 1}) {
                    const Plan plan = uniform(hierarchy, shape, segment);
                    const double bcast = cost_us(Collective::bcast, hierarchy, plan, 100000, root);
                    const double reduce = cost_us(Collective::reduce, hierarchy, plan, 100000, root);
                    EXPECT_GT(reduce, bcast);
                    EXPECT_LT(reduce, bcast + hierarchy.ranks() * combine(100000));
                }
            }
        }
    }
}

TEST(ReduceCost, AllSegmentsHaveTheTopmostSize) {
    const Hierarchy sites = sites_of_nodes(2, 2, 4);
    Plan plan = uniform(sites, Algorithm::binomial, 4096);
    const double alike = cost_us(Collective::reduce, sites, plan, 100000);
    plan.levels.back().segment_bytes = 77;
    EXPECT_EQ(cost_us(Collective::reduce, sites, plan, 100000), alike);
}

TEST(AllreduceCost, OneMessageGoesUpAndThenDown) {
    for (const Hierarchy& hierarchy : hierarchies()) {
        for (const Algorithm shape : shapes) {
            const Plan plan = uniform(hierarchy, shape, 0);
            EXPECT_NEAR(cost_us(Collective::allreduce, hierarchy, plan, 3000),
                        cost_us(Collective::reduce, hierarchy, plan, 3000) +
                            cost_us(Collective::bcast, hierarchy, plan, 3000),
                        1e-6);
        }
    }
}

TEST(AllreduceCost, BothStreamsShareTheProcessors) {
    // 10 segments of 1000 bytes through a chain of 4: an inner rank copies each four times with as many
    // overheads and combines it once; the first segment takes three hops of 14 us each way, with a local
    // reduction upwards.
    const Hierarchy node = one_node(4);
    EXPECT_NEAR(cost_us(Collective::allreduce, node, uniform(node, Algorithm::pipeline, 1000), 10000),
                3 * (14 + combine(1000)) + 3 * 14 + 9 * (44 + combine(1000)), 1e-6);
}

TEST(AllreduceCost, AConnectionCarriesOneVectorPerNeighbourEachWay) {
    const Hierarchy nodes = nodes_below_switch(4, 2);
    const double once = 1000000 / 10.0;
    const double linear =
        cost_us(Collective::allreduce, nodes, uniform(nodes, Algorithm::linear, 4096), 1000000);
    const double chain =
        cost_us(Collective::allreduce, nodes, uniform(nodes, Algorithm::pipeline, 4096), 1000000);
    EXPECT_GT(linear, 3 * once);
    EXPECT_LT(linear, 3.1 * once);
    EXPECT_GT(chain, 2 * once);
    EXPECT_LT(chain, 2.1 * once);
}

TEST(AllreduceCost, NeverBelowItsHalves) {
    for (const Hierarchy& hierarchy : hierarchies()) {
        for (const Algorithm shape : shapes) {
            for (const std::size_t segment : {0, 1000, 60000}) {
                for (const std::size_t bytes : {1, 1000, 100000, 10000000}) {
                    const Plan plan = uniform(hierarchy, shape, segment);
                    const double both = cost_us(Collective::allreduce, hierarchy, plan, bytes);
                    EXPECT_GE(both, cost_us(Collective::reduce, hierarchy, plan, bytes));
                    EXPECT_GE(both, cost_us(Collective::bcast, hierarchy, plan, bytes));
                }
            }
        }
    }
}

TEST(AllreduceCost, TheExchangeByHand) {
    // 1000 bytes: 14 us in a node and a local reduction on the way up; 160 us and a local reduction for a
    // round between nodes.
    const double inside = 1 + 10 + 2 + 1;
    const double message = 5 + 100 + 50 + 5;
    const auto between = [&](int nodes) {
        const Hierarchy hierarchy = nodes_below_switch(nodes, 2);
        return cost_us(Collective::allreduce, hierarchy, exchanging(hierarchy, Algorithm::linear), 1000) -
               (2 * inside + combine(1000));
    };
    EXPECT_NEAR(between(2), message + combine(1000), 1e-6);
    EXPECT_NEAR(between(4), 2 * (message + combine(1000)), 1e-6);
    EXPECT_NEAR(between(8), 3 * (message + combine(1000)), 1e-6);
    // Three: one sends its vector to its proxy and receives the result afterwards.
    EXPECT_NEAR(between(3), 3 * message + 2 * combine(1000), 1e-6);
    EXPECT_NEAR(between(7), 4 * message + 3 * combine(1000), 1e-6);
    // In a node a processor copies what it sends and then what it receives.
    const Hierarchy node = one_node(4);
    EXPECT_NEAR(cost_us(Collective::allreduce, node, exchanging(node, Algorithm::linear), 1000),
                2 * (inside + 10 + combine(1000)), 1e-6);
}

TEST(AllreduceCost, AnExchangeNeverCutsMessages) {
    const Hierarchy sites = sites_of_nodes(2, 2, 4);
    EXPECT_EQ(cost_us(Collective::allreduce, sites, exchanging(sites, Algorithm::binomial, 1000), 100000),
              cost_us(Collective::allreduce, sites, exchanging(sites, Algorithm::binomial, 0), 100000));
}

TEST(AllreduceCost, OnlyCollectivesThatExchangeAreTimedSo) {
    const Hierarchy nodes = nodes_below_switch(8, 2);
    for (const Collective collective : {Collective::bcast, Collective::reduce}) {
        EXPECT_EQ(cost_us(collective, nodes, exchanging(nodes, Algorithm::binomial), 1000),
                  cost_us(collective, nodes, uniform(nodes, Algorithm::binomial, 0), 1000));
    }
}

TEST(BarrierCost, IsAnAllreduceOfNothing) {
    for (const Hierarchy& hierarchy : hierarchies()) {
        for (const Plan& plan :
             {uniform(hierarchy, Algorithm::binomial, 0), exchanging(hierarchy, Algorithm::binomial)}) {
            EXPECT_NEAR(cost_us(Collective::barrier, hierarchy, plan, 0),
                        cost_us(Collective::allreduce, hierarchy, plan, 1), 0.1);
        }
    }
}

TEST(ReductionCost, OneRankHasNothingToDo) {
    const Hierarchy alone = one_node(1);
    for (const Collective collective : {Collective::reduce, Collective::allreduce, Collective::barrier}) {
        EXPECT_EQ(cost_us(collective, alone, uniform(alone, Algorithm::linear, 0), 100), 0);
        EXPECT_EQ(cost_us(collective, alone, exchanging(alone, Algorithm::linear), 100), 0);
    }
}

TEST(ReduceCost, CombinesTakeWhatTheTableSays) {
    const Hierarchy hierarchy = one_node(16);
    LinkTable slow;
    slow.set_combine(10);
    const Operation reduce{Collective::reduce, 1000, 0};
    EXPECT_EQ(slow.combine_us(1000), 100);
    EXPECT_EQ(LinkTable{}.combine_us(1000), combine(1000));
    // Four combines, one after the other, up a binomial tree.
    const double more = 4 * (100 - combine(1000));
    EXPECT_GE(forward_cost_us(hierarchy, slow, reduce) - forward_cost_us(hierarchy, LinkTable{}, reduce),
              more);
    const Plan plan = uniform(hierarchy, Algorithm::binomial, 0);
    EXPECT_NEAR(
        tree_cost_us(hierarchy, slow, plan, reduce) - tree_cost_us(hierarchy, LinkTable{}, plan, reduce),
        more, 1e-6);
}

}  // namespace
}  // namespace reductions_test
