// make_plan for broadcasts: facts that must hold for any constants.
#include <gtest/gtest.h>

#include <algorithm>

#include "algorithms/planning/make_plan.h"
#include "plans.h"
#include "robust_choice_oracle.h"

namespace plan_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;

Overrides with_methods(const char* methods) { return overriding(Engine::automatic, methods); }

/// The shape that the model chooses for the top level of `groups` nodes when messages stay whole.
Algorithm top_shape(int groups, double latency_us, double overhead_us, std::size_t bytes = 8) {
    LinkTable links;
    links.set({LevelKind::switch_, 0}, {latency_us, overhead_us, 1000, 0});
    const Hierarchy nodes = nodes_below_switch(groups, 2);
    return make_plan(nodes, links, overriding(Engine::tree, "", "0"), {Collective::bcast, bytes, 0})
        .at(leaf_switch)
        .method.algorithm;
}

TEST(PlanBcast, LargeMessagesStreamThroughATree) {
    const Hierarchy sites = sites_of_nodes(2, 2, 4);
    for (const std::size_t bytes : {mib, 2 * mib, 4 * mib}) {
        for (const int root : {0, 5, 15}) {
            const Plan plan = make_plan(sites, two_sites(50), {}, {Collective::bcast, bytes, root});
            EXPECT_EQ(plan.engine, Engine::tree);
            for (const LevelPlan& level : plan.levels) {
                EXPECT_GT(level.segment_bytes, 0U) << bytes;
                EXPECT_LE(level.segment_bytes, 64 * kib) << bytes;
            }
            const double limit = static_cast<double>(bytes) / 25;
            EXPECT_GT(plan.predicted_us, limit);
            EXPECT_LT(plan.predicted_us, 1.1 * limit);
            EXPECT_LT(plan.predicted_us, plan.forward_us);
        }
    }
}

TEST(PlanBcast, NetworkSegmentsStayBelowTheEagerLimit) {
    LinkTable links = two_sites(50);
    for (const std::size_t limit : {16 * kib, 12 * kib, 64 * kib}) {
        links.set_eager_limits(limit, 4 * kib);
        const Plan plan = make_plan(sites_of_nodes(2, 2, 4), links, {}, {Collective::bcast, 4 * mib, 0});
        EXPECT_EQ(plan.at(top_switch).segment_bytes, limit - limit / 16);
    }
}

TEST(PlanBcast, SmallMessagesAreOneMessagePerEdge) {
    // Root 5 shifts the k-nomial blocks of the underlying component off the sites: it crosses 2 ms twice in a
    // row.
    const Hierarchy sites = sites_of_nodes(2, 2, 4);
    const Plan plan = make_plan(sites, two_sites(2000), {}, {Collective::bcast, 8, 5});
    EXPECT_EQ(plan.engine, Engine::tree);
    EXPECT_GT(plan.forward_us, 4000);
    EXPECT_LT(plan.predicted_us, 2500);
    for (const LevelPlan& level : plan.levels) EXPECT_EQ(level.segment_bytes, 0U);
}

TEST(PlanBcast, TreesAreFlatterWhereLatencyIsHigh) {
    EXPECT_EQ(top_shape(3, 2000, 1), Algorithm::linear);
    EXPECT_EQ(top_shape(8, 2000, 1), Algorithm::linear);
    EXPECT_EQ(top_shape(16, 2000, 1), Algorithm::linear);
    // Overhead at both ends: a hop takes twice the sender's busy time, an intermediate case (postal model,
    // latency 2). Transfer only: a sender is free when its message arrives, the binomial tree's case.
    EXPECT_EQ(top_shape(16, 0.1, 10), Algorithm::knomial);
    EXPECT_EQ(top_shape(64, 0.1, 10), Algorithm::knomial);
    EXPECT_EQ(top_shape(8, 0.1, 0.1, 10000), Algorithm::binomial);
    EXPECT_EQ(top_shape(16, 0.1, 0.1, 10000), Algorithm::binomial);
    EXPECT_EQ(top_shape(64, 0.1, 0.1, 10000), Algorithm::binomial);
}

TEST(PlanBcast, NothingToGainMeansForward) {
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{8}, 64 * kib, 16 * mib}) {
        for (const int ranks : {1, 2, 16}) {
            const Plan plan = make_plan(one_node(ranks), LinkTable{}, {}, {Collective::bcast, bytes, 0});
            EXPECT_EQ(plan.engine, Engine::forward);
            EXPECT_EQ(plan.reason, "no hierarchy");
            EXPECT_EQ(plan.predicted_us, plan.forward_us);
        }
    }
    // Inner levels as fast as the node itself, and a message too small to cut.
    LinkTable alike;
    alike.set({LevelKind::numa, std::nullopt}, alike.at(node_level));
    const Hierarchy halves = make_hierarchy(node_level, {{numa_level, blocks(16, 8)}}, 16);
    const Plan plan = make_plan(halves, alike, {}, {Collective::bcast, 8, 0});
    EXPECT_EQ(plan.engine, Engine::forward);
    EXPECT_EQ(plan.reason, "no gain predicted over the underlying component");
    EXPECT_EQ(plan.levels.size(), 2U);
}

TEST(PlanBcast, InsideANodeOursOnlyWhenPredictedFivePercentFaster) {
    const Hierarchy halves = make_hierarchy(node_level, {{numa_level, blocks(16, 8)}}, 16);
    int trees = 0;
    for (std::size_t bytes = 1; bytes < 8 * mib; bytes *= 2) {
        const Operation operation{Collective::bcast, bytes, 0};
        const Plan plan = make_plan(halves, LinkTable{}, {}, operation);
        const double ours = make_plan(halves, LinkTable{}, overriding(Engine::tree), operation).predicted_us;
        EXPECT_EQ(plan.engine == Engine::tree, ours <= 0.95 * plan.forward_us) << bytes;
        trees += plan.engine == Engine::tree ? 1 : 0;
    }
    EXPECT_GT(trees, 0);
    EXPECT_LT(trees, 23);
}

TEST(PlanBcast, BetweenNodesWhatLosesLeastAtWorst) {
    int trees = 0;
    for (std::size_t bytes = 1; bytes < 8 * mib; bytes *= 2) {
        const Operation operation{Collective::bcast, bytes, 0};
        const Plan plan = make_plan(sites_of_nodes(2, 2, 4), LinkTable{}, {}, operation);
        expect_least_loss(sites_of_nodes(2, 2, 4), LinkTable{}, operation, plan);
        trees += plan.engine == Engine::tree ? 1 : 0;
    }
    EXPECT_GE(trees, 11);
}

TEST(PlanBcast, PureFunctionOfItsArguments) {
    const Hierarchy sites = sites_of_nodes(2, 3, 5);
    for (const std::size_t bytes : {std::size_t{8}, 8 * kib, mib}) {
        for (const int root : {0, 7, 29}) {
            const Plan first = make_plan(sites, two_sites(100), {}, {Collective::bcast, bytes, root});
            for (int rank = 0; rank < 4; ++rank) {
                EXPECT_TRUE(same(first, make_plan(sites_of_nodes(2, 3, 5), two_sites(100), {},
                                                  {Collective::bcast, bytes, root})));
            }
        }
    }
}

TEST(PlanBcast, EveryOverrideHolds) {
    const Hierarchy sites = sites_of_nodes(2, 4, 8);
    const Plan plan = make_plan(sites, LinkTable{},
                                overriding(Engine::tree,
                                           "switch1=pipeline,switch=chain:2,node=knomial:3,numa=linear"
                                           ",switch=binary",
                                           "node=1000,switch0=0,5000"),
                                {Collective::bcast, mib, 3});
    EXPECT_EQ(plan.engine, Engine::tree);
    EXPECT_EQ(plan.at(top_switch), (LevelPlan{top_switch, {Algorithm::pipeline, 0, {}}, 5000}));
    EXPECT_EQ(plan.at(leaf_switch), (LevelPlan{leaf_switch, {Algorithm::chain, 2, {}}, 0}));
    EXPECT_EQ(plan.at(node_level), (LevelPlan{node_level, {Algorithm::knomial, 3, {}}, 1000}));
}

TEST(PlanBcast, ForcedEngines) {
    const Hierarchy sites = sites_of_nodes(2, 2, 4);
    for (const Engine engine : {Engine::tree, Engine::levels, Engine::forward}) {
        for (const std::size_t bytes : {std::size_t{0}, std::size_t{8}, 4 * mib}) {
            const Plan plan =
                make_plan(sites, LinkTable{}, overriding(engine), {Collective::bcast, bytes, 0});
            EXPECT_EQ(plan.engine, engine);
            EXPECT_EQ(plan.reason, "set by the user");
            ASSERT_EQ(plan.levels.size(), 3U);
            if (engine == Engine::forward) continue;
            for (const LevelPlan& level : plan.levels) EXPECT_TRUE(info(level.method.algorithm).tree_shape);
        }
    }
    EXPECT_EQ(make_plan(one_node(4), LinkTable{}, overriding(Engine::tree), {Collective::bcast, 8, 0}).engine,
              Engine::tree);
}

TEST(PlanBcast, ComponentsAndOtherPatternsSelectTheLevelsEngine) {
    const Hierarchy sites = sites_of_nodes(2, 2, 4);
    for (const char* methods : {"node=sm", "switch1=scatter_allgather_ring"}) {
        const Plan plan =
            make_plan(sites, LinkTable{}, with_methods(methods), {Collective::bcast, 4 * mib, 0});
        EXPECT_EQ(plan.engine, Engine::levels) << methods;
        EXPECT_EQ(plan.reason, "a level algorithm needs the levels engine");
        EXPECT_TRUE(info(plan.at(leaf_switch).method.algorithm).tree_shape);
        for (const LevelPlan& level : plan.levels)
            EXPECT_EQ(level.segment_bytes, plan.levels[0].segment_bytes);
        EXPECT_GT(plan.levels[0].segment_bytes, 0U);
    }
    EXPECT_EQ(make_plan(sites, LinkTable{}, with_methods("numa=sm"), {Collective::bcast, mib, 0}).engine,
              Engine::tree)
        << "a level that this hierarchy has not";
    EXPECT_EQ(make_plan(one_node(4), LinkTable{}, with_methods("node=sm"), {Collective::bcast, 8, 0}).engine,
              Engine::levels);
}

TEST(PlanBcast, TheLevelsEngineTakesTheTopmostSegment) {
    const Hierarchy sites = sites_of_nodes(2, 2, 4);
    const auto planned = [&](const char* sizes) {
        return make_plan(sites, LinkTable{}, overriding(Engine::levels, "node=sm", sizes),
                         {Collective::bcast, mib, 0});
    };
    for (const LevelPlan& level : planned("switch1=10000,node=77").levels)
        EXPECT_EQ(level.segment_bytes, 10000U);
    const Plan open = planned("node=77");
    for (const LevelPlan& level : open.levels) EXPECT_EQ(level.segment_bytes, open.levels[0].segment_bytes);
    EXPECT_NE(open.levels[0].segment_bytes, 77U);
}

TEST(PlanBcast, RanksThatStopAboveTheLowestLevelArePlanned) {
    std::vector<int> numa(16, -1);
    for (int rank = 0; rank < 6; ++rank) numa[rank] = rank / 3;
    const Hierarchy mixed =
        make_hierarchy(leaf_switch, {{node_level, blocks(16, 8)}, {numa_level, numa}}, 16);
    for (const int root : {0, 7, 12}) {
        const Plan plan =
            make_plan(mixed, LinkTable{}, overriding(Engine::tree), {Collective::bcast, mib, root});
        EXPECT_EQ(plan.levels.size(), 3U);
        EXPECT_GT(plan.predicted_us, static_cast<double>(mib) / 1250);
    }
}

}  // namespace
}  // namespace plan_test
