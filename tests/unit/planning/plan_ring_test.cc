// The ring of an allreduce: predicted costs, and when the planner chooses it.
#include <gtest/gtest.h>

#include <set>

#include "algorithms/cost/links.h"
#include "algorithms/cost/model.h"
#include "algorithms/planning/make_plan.h"
#include "plans.h"
#include "robust_choice_oracle.h"

namespace plan_ring_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;

constexpr std::size_t sizes[] = {1, 8, 1000, 8 * kib, 64 * kib, mib, 4 * mib, 64 * mib};

/// The ranks are the ring.
Hierarchy switch_of(int ranks) { return make_hierarchy(leaf_switch, {}, ranks); }

Plan ring_plan(const Hierarchy& hierarchy, std::size_t segment) {
    Plan plan = uniform(hierarchy, Algorithm::pipeline, segment);
    plan.levels.front().method = {Algorithm::ring, 0, {}};
    return plan;
}

double cost_us(const Hierarchy& hierarchy, const Plan& plan, std::size_t bytes) {
    return tree_cost_us(hierarchy, round_links(), plan, {Collective::allreduce, bytes, 0});
}

Plan planned(const Hierarchy& hierarchy, const Operation& operation, const Overrides& overrides = {}) {
    return make_plan(hierarchy, two_sites(2000), overrides, operation);
}

TEST(RingCost, ByHand) {
    // A hop: 5 us at each end, 50 us latency, 1000 bytes at 10 a microsecond; in the first half a local
    // reduction.
    const double hop = 5 + 50 + 5 + 100;
    const double combine = 1000 / combined_bytes_per_us;
    for (const int members : {3, 4, 7}) {
        const Hierarchy flat = switch_of(members);
        const std::size_t bytes = 1000 * static_cast<std::size_t>(members);
        EXPECT_NEAR(cost_us(flat, ring_plan(flat, 0), bytes), (members - 1) * (2 * hop + combine), 1e-6);
        // Four pieces of a chunk follow each other; the NIC is busy with them for longer than one hop takes.
        const double step = 4000 / 10.0;
        EXPECT_NEAR(cost_us(flat, ring_plan(flat, 1000), 4 * bytes),
                    (2 * members - 3) * step + 3000 / 10.0 + hop, 1e-6);
    }
}

/// No inner level: two of four hops are inside nodes (2 us, 1 us at each end, 100 bytes a microsecond,
/// copied twice), and every piece takes all four; three steps combine.
TEST(RingCost, OfAllRanksByHand) {
    const Hierarchy nodes = nodes_below_switch(2, 2);
    Plan plan = ring_plan(nodes, 0);
    plan.levels.pop_back();
    plan.skipped.push_back(node_level);
    const double combine = 100 / combined_bytes_per_us;
    const double inside = 1 + 2 + 1 + 3 * 100 / 100.0;
    const double between = 5 + 50 + 5 + 100 / 10.0;
    EXPECT_NEAR(cost_us(nodes, plan, 400), 6 * (inside + between) / 2 + 3 * combine, 1e-6);
}

/// Where a leader would copy for its node at a rate near the NIC's. The result is the same for any rank
/// placement: the ring follows the hardware.
TEST(PlanRing, OfAllRanks) {
    LinkTable links;
    links.set({LevelKind::switch_, std::nullopt}, {3, 0.4, 1500, 4096});
    links.set({LevelKind::node, std::nullopt}, {0.5, 0.4, 3000, 4096});
    const Operation vector{Collective::allreduce, 16 * mib};
    std::set<double> predicted;
    for (const Hierarchy& nodes : {nodes_below_switch(8, 8), dealt_out(1, 8, 8)}) {
        const Plan plan = make_plan(nodes, links, {}, vector);
        ASSERT_EQ(plan.engine, Engine::ring) << plan.reason;
        EXPECT_EQ(plan.skipped, std::vector{node_level});
        EXPECT_DOUBLE_EQ(plan.predicted_us, tree_cost_us(nodes, links, plan, vector));
        predicted.insert(plan.predicted_us);
    }
    EXPECT_EQ(predicted.size(), 1U);
}

TEST(RingCost, AConnectionCarriesTwoVectorsLessTwoChunks) {
    for (const int members : {3, 4, 8}) {
        const Hierarchy nodes = nodes_below_switch(members, 2);
        const double bytes = 4000000;
        const double least = 2.0 * (members - 1) / members * bytes / 10;
        const double ring = cost_us(nodes, ring_plan(nodes, 4096), static_cast<std::size_t>(bytes));
        EXPECT_GT(ring, least);
        EXPECT_LT(ring, 1.1 * least);
        EXPECT_LT(ring,
                  cost_us(nodes, uniform(nodes, Algorithm::pipeline, 4096), static_cast<std::size_t>(bytes)));
    }
}

TEST(RingCost, GrowsWithTheVector) {
    for (const Hierarchy& hierarchy : {switch_of(5), nodes_below_switch(4, 4), sites_of_nodes(3, 2, 3)}) {
        for (const std::size_t segment : {0, 1000, 16384}) {
            double before = 0;
            for (const std::size_t bytes : sizes) {
                const double us = cost_us(hierarchy, ring_plan(hierarchy, segment), bytes);
                EXPECT_GE(us, before) << bytes;
                before = us;
            }
        }
    }
}

TEST(RingCost, TwoAreNoRing) {
    const Hierarchy nodes = nodes_below_switch(2, 4);
    EXPECT_EQ(cost_us(nodes, ring_plan(nodes, 4096), mib),
              cost_us(nodes, uniform(nodes, Algorithm::pipeline, 4096), mib));
}

TEST(PlanRing, LongVectorsAmongAFewNodes) {
    for (const Hierarchy& hierarchy : {dealt_out(1, 3, 4), dealt_out(1, 4, 4), dealt_out(3, 2, 2)}) {
        const Plan plan = planned(hierarchy, {Collective::allreduce, 16 * mib});
        EXPECT_EQ(plan.engine, Engine::ring);
        EXPECT_TRUE(plan.reason.ends_with("; a ring loads the links less than a tree")) << plan.reason;
        EXPECT_EQ(plan.levels.front().method, (LevelMethod{Algorithm::ring, 0, {}}));
        for (const LevelPlan& level : plan.levels) {
            EXPECT_EQ(level.segment_bytes, plan.levels.front().segment_bytes);
        }
        for (std::size_t l = 1; l < plan.levels.size(); ++l) {
            EXPECT_TRUE(info(plan.levels[l].method.algorithm).tree_shape);
        }
        const Plan tree = planned(hierarchy, {Collective::allreduce, 16 * mib}, overriding(Engine::tree));
        EXPECT_EQ(tree.engine, Engine::tree);
        EXPECT_LT(plan.predicted_us, 0.95 * tree.predicted_us);
        for (const std::size_t bytes : {8UL, 1000UL, 8 * kib}) {
            const Plan small = planned(hierarchy, {Collective::allreduce, bytes});
            EXPECT_EQ(small.engine, Engine::tree) << bytes;
            const Plan from_rule =
                planned(hierarchy, {Collective::allreduce, bytes}, overriding(Engine::tree));
            EXPECT_EQ(small.levels, from_rule.levels);
        }
    }
}

TEST(PlanRing, OnlyWhereItGains) {
    int rings = 0;
    for (const Hierarchy& hierarchy : {nodes_below_switch(3, 4), nodes_below_switch(8, 4),
                                       nodes_below_switch(40, 2), sites_of_nodes(7, 3, 5)}) {
        for (const std::size_t bytes : sizes) {
            const Operation operation{Collective::allreduce, bytes};
            const Plan plan = planned(hierarchy, operation);
            const Plan tree = planned(hierarchy, operation, overriding(Engine::tree));
            const Plan ring = planned(hierarchy, operation, overriding(Engine::ring));
            EXPECT_EQ(ring.engine, Engine::ring);
            EXPECT_EQ(ring.reason, "set by the user");
            expect_least_loss(hierarchy, two_sites(2000), operation, plan);
            if (plan.engine == Engine::tree) {
                EXPECT_EQ(plan.levels, tree.levels) << bytes;
            }
            if (plan.engine != Engine::ring) continue;
            EXPECT_EQ(plan.levels, ring.levels) << bytes;
            const Means mean = means(hierarchy, two_sites(2000), operation, plan);
            EXPECT_LT(mean.ring, 0.9501 * mean.tree) << bytes;
            ++rings;
        }
    }
    EXPECT_GT(rings, 4);
}

TEST(PlanRing, NeverBetweenTwo) {
    for (const std::size_t bytes : sizes) {
        for (const Hierarchy& hierarchy : {sites_of_nodes(2, 2, 4), sites_of_nodes(2, 8, 4), one_node(2)}) {
            const Operation operation{Collective::allreduce, bytes};
            const Plan tree = planned(hierarchy, operation, overriding(Engine::tree));
            Plan from_rule = planned(hierarchy, operation, overriding(Engine::ring));
            EXPECT_NE(from_rule.reason.find("set by the user; a tree: a ring needs three participants"),
                      std::string::npos);
            from_rule.reason = tree.reason;
            EXPECT_TRUE(same(from_rule, tree));
            EXPECT_NE(planned(hierarchy, operation).engine, Engine::ring);
        }
    }
}

TEST(PlanRing, NeverWhereAnOrderIsKeptOrTheTopmostLevelIsGiven) {
    const Hierarchy nodes = dealt_out(1, 4, 4);
    for (const Engine engine : {Engine::automatic, Engine::ring}) {
        for (const std::size_t bytes : sizes) {
            Operation operation{Collective::allreduce, bytes};
            for (const char* methods : {"switch=binomial", "switch=recursive_doubling"}) {
                const Plan plan = planned(nodes, operation, overriding(engine, methods));
                if (engine == Engine::automatic && plan.engine == Engine::forward) {
                    expect_least_loss(nodes, two_sites(2000), operation, plan, overriding(engine, methods));
                    continue;
                }
                EXPECT_EQ(plan.engine, Engine::tree);
                EXPECT_EQ(plan.levels, planned(nodes, operation, overriding(Engine::tree, methods)).levels);
            }
            operation.rank_order = true;
            const Plan ordered = planned(nodes, operation, overriding(engine));
            EXPECT_EQ(ordered.engine, Engine::tree);
            EXPECT_EQ(ordered.reason.ends_with("a ring keeps no order"), engine == Engine::ring);
            operation.reproducible = true;
            EXPECT_EQ(planned(nodes, operation, overriding(engine)).engine, Engine::tree);
            operation.rank_order = false;
            EXPECT_EQ(planned(nodes, operation, overriding(engine)).engine, Engine::tree);
        }
    }
    // Rules for other levels leave the ring alone.
    const Plan plan = planned(nodes, {Collective::allreduce, 16 * mib},
                              overriding(Engine::automatic, "node=linear", "16384"));
    EXPECT_EQ(plan.engine, Engine::ring);
    EXPECT_EQ(plan.levels[1].method.algorithm, Algorithm::linear);
    EXPECT_EQ(plan.levels[1].segment_bytes, 16384U);
}

TEST(PlanRing, OnRequestWithoutAnyHierarchy) {
    const Plan plan = planned(one_node(5), {Collective::allreduce, mib}, overriding(Engine::ring));
    EXPECT_EQ(plan.engine, Engine::ring);
    EXPECT_EQ(planned(one_node(5), {Collective::allreduce, mib}).reason, "no hierarchy");
}

TEST(PlanRing, ALevelOfSeveralGroupsIsNoRing) {
    const LevelKey group{LevelKind::group, 0};
    const Hierarchy nested = make_hierarchy(group, {{group, blocks(18, 6)}, {numa_level, blocks(18, 3)}}, 18);
    EXPECT_EQ(planned(nested, {Collective::allreduce, mib}, overriding(Engine::ring)).engine, Engine::tree);
}

}  // namespace
}  // namespace plan_ring_test
