// make_plan for reductions and barriers: facts that must hold for any constants.
#include <gtest/gtest.h>

#include <algorithm>

#include "algorithms/planning/make_plan.h"
#include "plans.h"
#include "robust_choice_oracle.h"

namespace plan_reductions_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;

constexpr std::size_t sizes[] = {0, 8, 1000, 8 * kib, 64 * kib, mib, 4 * mib, 64 * mib};
constexpr Collective reductions[] = {Collective::reduce, Collective::allreduce};

/// A node with two NUMA domains of eight.
Hierarchy halves() { return make_hierarchy(node_level, {{numa_level, blocks(16, 8)}}, 16); }

std::vector<Hierarchy> hierarchies() {
    return {sites_of_nodes(2, 2, 4), sites_of_nodes(7, 3, 5), nodes_below_switch(12, 3), halves()};
}

Plan planned(const Hierarchy& hierarchy, const Operation& operation, const Overrides& overrides = {}) {
    return make_plan(hierarchy, two_sites(2000), overrides, operation);
}

TEST(PlanReduction, OneSegmentSizeForAllLevels) {
    for (const Hierarchy& hierarchy : hierarchies()) {
        for (const Collective collective : reductions) {
            for (const char* wish : {"", "node=5000", "switch=10000,7000"}) {
                for (const std::size_t bytes : sizes) {
                    const Plan plan =
                        planned(hierarchy, {collective, bytes}, overriding(Engine::tree, "", wish));
                    for (const LevelPlan& level : plan.levels) {
                        EXPECT_EQ(level.segment_bytes, plan.levels[0].segment_bytes) << bytes << wish;
                    }
                }
            }
        }
    }
    const Overrides wish = overriding(Engine::tree, "", "switch1=10000,7000");
    EXPECT_EQ(planned(sites_of_nodes(2, 2, 4), {Collective::reduce, mib}, wish).levels[2].segment_bytes,
              10000U);
}

TEST(PlanReduction, LargeVectorsStream) {
    for (const Collective collective : reductions) {
        const Plan plan = planned(sites_of_nodes(2, 2, 4), {collective, 4 * mib});
        EXPECT_EQ(plan.engine, Engine::tree);
        EXPECT_FALSE(exchanges_on_top(plan));
        EXPECT_GT(plan.levels[0].segment_bytes, 0U);
        EXPECT_LE(plan.levels[0].segment_bytes, 64 * kib);
        const double limit = 4 * mib / 25.0;
        EXPECT_GT(plan.predicted_us, limit);
        EXPECT_LT(plan.predicted_us, 1.1 * limit);
    }
}

TEST(PlanReduction, AllreduceCostsAtLeastABroadcast) {
    for (const Hierarchy& hierarchy : hierarchies()) {
        for (const std::size_t bytes : sizes) {
            const auto us = [&](Collective collective) {
                return planned(hierarchy, {collective, bytes}, overriding(Engine::tree)).predicted_us;
            };
            // The shapes and sizes chosen for one need not be the best known for the other.
            EXPECT_GE(us(Collective::allreduce), 0.95 * us(Collective::bcast)) << bytes;
            EXPECT_GE(us(Collective::allreduce), 0.95 * us(Collective::reduce)) << bytes;
        }
    }
}

TEST(PlanReduction, ShortOnesCrossTheUplinkOnceAndAtTheSameTime) {
    const Hierarchy sites = dealt_out(2, 3, 4);
    for (const Operation& operation : {Operation{Collective::allreduce, 8}, Operation{Collective::barrier}}) {
        const Plan plan = planned(sites, operation);
        EXPECT_EQ(plan.engine, Engine::tree);
        EXPECT_TRUE(exchanges_on_top(plan));
        EXPECT_LT(plan.predicted_us, 2500);
        EXPECT_GT(planned(sites, operation, overriding(Engine::tree, "switch1=linear")).predicted_us, 4000);
        for (const LevelPlan& level : plan.levels) EXPECT_EQ(level.segment_bytes, 0U);
        for (std::size_t l = 1; l < plan.levels.size(); ++l) {
            EXPECT_TRUE(info(plan.levels[l].method.algorithm).tree_shape);
        }
    }
    EXPECT_FALSE(exchanges_on_top(planned(sites, {Collective::reduce, 8})));
}

TEST(PlanReduction, ManyPartnersFarAwayAreATree) {
    // Sixteen sites: four rounds of 2 ms, or up and down one level.
    EXPECT_FALSE(exchanges_on_top(planned(sites_of_nodes(16, 2, 2), {Collective::barrier})));
}

TEST(PlanReduction, AnExchangeIsNotChosenForMessagesThatMustBeCut) {
    const Hierarchy sites = sites_of_nodes(2, 2, 4);
    const Overrides cut = overriding(Engine::tree, "", "64");
    EXPECT_TRUE(exchanges_on_top(planned(sites, {Collective::allreduce, 64}, cut)));
    const Plan plan = planned(sites, {Collective::allreduce, 65}, cut);
    EXPECT_FALSE(exchanges_on_top(plan));
    EXPECT_EQ(plan.levels[0].segment_bytes, 64U);
    // A user who names it gets it, with whole messages.
    const Plan named = planned(sites, {Collective::allreduce, mib},
                               overriding(Engine::tree, "switch1=recursive_doubling", "64"));
    EXPECT_TRUE(exchanges_on_top(named));
    for (const LevelPlan& level : named.levels) EXPECT_EQ(level.segment_bytes, 0U);
}

TEST(PlanReduction, RecursiveDoublingHoldsForTheTopmostLevelOnly) {
    const Overrides everywhere =
        overriding(Engine::tree, "switch=recursive_doubling,switch0=pipeline,node=recursive_doubling");
    const Plan plan = planned(sites_of_nodes(2, 2, 4), {Collective::allreduce, mib}, everywhere);
    EXPECT_EQ(plan.at(top_switch).method.algorithm, Algorithm::recursive_doubling);
    EXPECT_EQ(plan.at(leaf_switch).method.algorithm, Algorithm::pipeline);
    EXPECT_TRUE(info(plan.at(node_level).method.algorithm).tree_shape);
    EXPECT_EQ(plan.reason, "set by the user; recursive_doubling is for the topmost level");
    const Plan top = planned(one_node(4), {Collective::allreduce, mib}, everywhere);
    EXPECT_TRUE(exchanges_on_top(top));
    EXPECT_EQ(top.reason, "set by the user");
}

TEST(PlanReduction, VectorsBetweenShortAndLongAreHalved) {
    const auto method = [](std::size_t bytes, const Operation& operation = {Collective::allreduce}) {
        Operation sized = operation;
        sized.bytes = bytes;
        const Plan plan = planned(nodes_below_switch(8, 2), sized, overriding(Engine::tree));
        for (const LevelPlan& level : plan.levels) {
            EXPECT_TRUE(!exchanges_on_top(plan) || level.segment_bytes == 0) << bytes;
        }
        return plan.levels.front().method.algorithm;
    };
    EXPECT_EQ(method(8), Algorithm::recursive_doubling);
    EXPECT_EQ(method(32 * kib), Algorithm::rabenseifner);
    EXPECT_EQ(method(64 * kib), Algorithm::rabenseifner);
    Operation ordered{Collective::allreduce};
    ordered.rank_order = true;
    EXPECT_EQ(method(32 * kib, ordered), Algorithm::recursive_doubling);
    Operation again{Collective::allreduce};
    again.reproducible = true;
    EXPECT_EQ(method(32 * kib, again), Algorithm::binomial);
}

/// Reduce-scatter + allgather over all nodes of both sites: the first rounds stay inside a site.
TEST(PlanReduction, ReduceScatterAllgatherOfNodesAlone) {
    const Hierarchy sites = sites_of_nodes(2, 8, 1);
    int halved = 0;
    for (std::size_t bytes = 4 * kib; bytes <= 256 * kib; bytes *= 2) {
        const Operation operation{Collective::allreduce, bytes};
        const Plan plan = planned(sites, operation);
        expect_least_loss(sites, two_sites(2000), operation, plan);
        if (plan.engine != Engine::tree || !halving_on_top(plan)) continue;
        ++halved;
        EXPECT_EQ(plan.skipped, std::vector{leaf_switch});
    }
    EXPECT_GT(halved, 0);
}

TEST(PlanReduction, RabenseifnerIsForTheTopmostLevelWithoutAnOrder) {
    const Hierarchy sites = dealt_out(2, 3, 4);
    for (const Engine engine : {Engine::automatic, Engine::tree}) {
        Operation operation{Collective::allreduce, 8};
        const auto reason = [&](const char* wish) {
            const Plan plan = planned(sites, operation, overriding(engine, wish));
            EXPECT_EQ(plan.engine, Engine::tree);
            return (halving_on_top(plan) ? "halving; " : "") + plan.reason;
        };
        EXPECT_TRUE(reason("switch1=rabenseifner").starts_with("halving; "));
        EXPECT_TRUE(reason("node=rabenseifner").ends_with("; rabenseifner is for the topmost level"));
        operation.rank_order = true;
        EXPECT_TRUE(reason("switch1=rabenseifner").ends_with("; rabenseifner keeps no order"));
        operation.reproducible = true;
        EXPECT_TRUE(reason("switch1=rabenseifner").ends_with("; rabenseifner has no fixed order"));
    }
    // For other collectives, and for the levels engine, the method is Open MPI's.
    EXPECT_EQ(
        planned(sites, {Collective::reduce, 8}, overriding(Engine::automatic, "switch1=rabenseifner")).engine,
        Engine::levels);
    EXPECT_EQ(
        planned(sites, {Collective::allreduce, 8}, overriding(Engine::levels, "switch1=rabenseifner")).engine,
        Engine::levels);
}

TEST(PlanReduction, ALevelOfSeveralGroupsIsNoTop) {
    // Groups nest under one name: a method for the topmost one only does not fit.
    const LevelKey group{LevelKind::group, 0};
    const Hierarchy nested = make_hierarchy(group, {{group, blocks(16, 8)}, {numa_level, blocks(16, 4)}}, 16);
    const Overrides wish = overriding(Engine::tree, "group=recursive_doubling");
    EXPECT_FALSE(exchanges_on_top(planned(nested, {Collective::allreduce, 8}, wish)));
    EXPECT_FALSE(exchanges_on_top(planned(nested, {Collective::allreduce, 8}, overriding(Engine::tree))));
}

TEST(PlanReduction, OperatorsThatDoNotCommuteGetShapesThatKeepTheOrder) {
    for (const Hierarchy& hierarchy : hierarchies()) {
        for (const Collective collective : reductions) {
            for (const std::size_t bytes : sizes) {
                for (const char* wish : {"", "node=binary"}) {
                    Operation operation{collective, bytes};
                    operation.rank_order = true;
                    const Plan plan = planned(hierarchy, operation, overriding(Engine::tree, wish));
                    for (const LevelPlan& level : plan.levels) {
                        EXPECT_TRUE(info(level.method.algorithm).keeps_rank_order)
                            << info(level.method.algorithm).name << ' ' << bytes;
                    }
                }
            }
        }
    }
}

TEST(PlanReduction, AReproducibleOrderDependsOnNoSize) {
    for (const Hierarchy& hierarchy :
         {halves(), one_node(6), sites_of_nodes(2, 2, 4), nodes_below_switch(3, 1)}) {
        for (const Collective collective : reductions) {
            for (const std::size_t bytes : sizes) {
                Operation operation{collective, bytes};
                operation.reproducible = true;
                const Plan plan = planned(hierarchy, operation);
                EXPECT_EQ(plan.engine, Engine::tree) << "the underlying component changes its order";
                for (const LevelPlan& level : plan.levels) {
                    EXPECT_EQ(level.method, (LevelMethod{Algorithm::binomial, 0, {}}));
                }
                operation.rank_order = true;
                Plan ordered = planned(hierarchy, operation);
                ordered.forward_us = plan.forward_us;  // the order decides there, too
                EXPECT_TRUE(same(plan, ordered));
            }
        }
    }
    // A user's methods apply to all sizes.
    const Overrides wish = overriding(Engine::automatic, "switch1=recursive_doubling,node=linear");
    for (const std::size_t bytes : sizes) {
        Operation operation{Collective::allreduce, bytes};
        operation.reproducible = true;
        const Plan plan = planned(sites_of_nodes(2, 2, 4), operation, wish);
        EXPECT_TRUE(exchanges_on_top(plan));
        EXPECT_EQ(plan.at(node_level).method.algorithm, Algorithm::linear);
        EXPECT_EQ(plan.at(leaf_switch).method.algorithm, Algorithm::binomial);
    }
    // No order to keep: free shapes.
    Operation bcast{Collective::bcast, 8};
    bcast.reproducible = true;
    EXPECT_TRUE(same(planned(sites_of_nodes(2, 2, 4), bcast),
                     planned(sites_of_nodes(2, 2, 4), {Collective::bcast, 8})));
}

TEST(PlanReduction, InsideANodeWhereItsLinksAreGivenAndItsProcessorsAreNotShared) {
    Hierarchy node = make_hierarchy(
        node_level,
        {{{strata::topology::LevelKind::package, 0}, blocks(64, 16)}, {numa_level, blocks(64, 8)}}, 64);
    LinkTable given;
    given.set_some(strata::topology::LevelPattern{strata::topology::LevelKind::node, std::nullopt},
                   {.parallel = 7});
    int trees = 0;
    int forwards = 0;
    for (const Collective op : {Collective::reduce, Collective::allreduce, Collective::allgather,
                                Collective::gather, Collective::scatter, Collective::barrier}) {
        for (const std::size_t bytes : sizes) {
            const Plan chosen = make_plan(node, given, {}, {op, bytes});
            (chosen.engine == Engine::tree ? trees : forwards)++;
            EXPECT_TRUE(chosen.engine != Engine::tree || chosen.predicted_us <= 0.85 * chosen.forward_us);
            EXPECT_EQ(make_plan(node, LinkTable{}, {}, {op, bytes}).engine, Engine::forward);
            Hierarchy shared = node;
            shared.oversubscription = 1.5;
            EXPECT_EQ(make_plan(shared, given, {}, {op, bytes}).engine, Engine::forward);
        }
    }
    EXPECT_EQ(make_plan(node, given, {}, {Collective::reduce, mib}).engine, Engine::tree);
    EXPECT_GT(trees, 5);
    EXPECT_GT(forwards, 5);
}

TEST(PlanReduction, TreesBetweenNodesOnlyUnlessTheUserSaysSo) {
    for (const Collective collective : {Collective::reduce, Collective::allreduce, Collective::barrier}) {
        for (const std::size_t bytes : sizes) {
            if (collective == Collective::barrier && bytes > 0) continue;
            const Plan between = planned(dealt_out(1, 4, 4), {collective, bytes});
            // Long vectors of an allreduce: see plan_ring_test.cc.
            const bool ring = collective == Collective::allreduce && bytes >= 64 * kib;
            if (ring) {
                EXPECT_NE(between.engine, Engine::forward) << bytes;
            } else {
                EXPECT_EQ(between.engine, Engine::tree) << bytes;
            }
            const Plan inside = planned(halves(), {collective, bytes});
            EXPECT_EQ(inside.engine, Engine::forward);
            EXPECT_EQ(inside.reason, "no gain known inside a node without link parameters");
            EXPECT_EQ(planned(halves(), {collective, bytes}, overriding(Engine::tree)).engine, Engine::tree);
            EXPECT_EQ(planned(one_node(4), {collective, bytes}).reason, "no hierarchy");
            const Plan forced =
                planned(nodes_below_switch(4, 4), {collective, bytes}, overriding(Engine::forward));
            EXPECT_EQ(forced.engine, Engine::forward);
            EXPECT_EQ(forced.reason, "set by the user");
        }
    }
}

/// Combining in rank order by the underlying component, as far as its patterns happen to allow.
TEST(PlanReduction, ForwardBetweenNodesOnlyWhereItLosesLess) {
    int forwards = 0;
    for (const Hierarchy& hierarchy : {nodes_below_switch(2, 4), nodes_below_switch(8, 16),
                                       nodes_below_switch(40, 2), sites_of_nodes(2, 2, 4)}) {
        for (const Collective collective :
             {Collective::reduce, Collective::allreduce, Collective::allgather, Collective::barrier}) {
            for (std::size_t bytes = 1; bytes < 64 * mib; bytes *= 2) {
                const Operation operation{collective, collective == Collective::barrier ? 0 : bytes};
                const Plan plan = planned(hierarchy, operation);
                expect_least_loss(hierarchy, two_sites(2000), operation, plan);
                forwards += plan.engine == Engine::forward ? 1 : 0;
            }
        }
    }
    EXPECT_GT(forwards, 0);
    EXPECT_LT(forwards, 4 * 4 * 26 / 4) << "a quarter of all";
}

TEST(PlanReduction, PureFunctionOfItsArguments) {
    for (const Collective collective : {Collective::reduce, Collective::allreduce, Collective::barrier}) {
        for (const std::size_t bytes : sizes) {
            for (const int root : {0, 7, 29}) {
                const Operation operation{collective, bytes, root};
                EXPECT_TRUE(same(planned(sites_of_nodes(2, 3, 5), operation),
                                 planned(sites_of_nodes(2, 3, 5), operation)));
            }
        }
    }
}

}  // namespace
}  // namespace plan_reductions_test
