// Plans by formulas for the first calls of a class, and the search that follows.
#include <gtest/gtest.h>

#include <cmath>

#include "algorithms/base/plan_hash.h"
#include "algorithms/cost/model.h"
#include "algorithms/cost/receiver.h"
#include "algorithms/openmpi_cost/forward_cost.h"
#include "algorithms/planning/closed_form.h"
#include "algorithms/planning/earned_search.h"
#include "algorithms/planning/make_plan.h"
#include "algorithms/planning/plan_table.h"
#include "algorithms/planning/planning_facts.h"
#include "plans.h"
#include "random_shapes.h"

namespace earned_search_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;

Plan by_formulas(const Hierarchy& hierarchy, const LinkTable& links, const Operation& operation) {
    return make_plan(hierarchy, links, {}, operation, Effort::closed_form);
}

/// Estimate and prediction of a Bcast on one group with one method.
struct Estimate {
    double formula_us;
    double model_us;
};

Estimate bcast_on_one_group(int ranks, const LevelMethod& method, std::size_t bytes, std::size_t segment) {
    const Hierarchy hierarchy = one_node(ranks);
    const LinkTable links = round_links();
    const Operation operation{Collective::bcast, bytes};
    const auto model = make_cost_model(hierarchy, links, operation);
    const std::vector<LevelPlan> plans{{hierarchy.groups.front().level, method, segment}};
    return {ClosedForm(*model, traits_of(Collective::bcast), bytes).us(plans),
            model->cost_us(plans, bytes, 4)};
}

TEST(ClosedForm, IsNearTheModelOnOneGroup) {
    for (const LevelMethod& method : {LevelMethod{Algorithm::linear, 0, {}},
                                      {Algorithm::binomial, 0, {}},
                                      {Algorithm::pipeline, 0, {}},
                                      {Algorithm::knomial, 4, {}}}) {
        for (const int ranks : {2, 3, 8, 16}) {
            const Estimate whole = bcast_on_one_group(ranks, method, 8, 0);
            EXPECT_NEAR(whole.formula_us / whole.model_us, 1, 0.35) << name_of(method) << ' ' << ranks;
            const Estimate segments = bcast_on_one_group(ranks, method, 16 * mib, 64 * kib);
            EXPECT_NEAR(segments.formula_us / segments.model_us, 1, 0.35) << name_of(method) << ' ' << ranks;
        }
    }
}

TEST(EarnedSearch, StartsWhenATenthOfTheCallsTimePaysForIt) {
    const Operation bcast{Collective::bcast, 64 * kib};
    EXPECT_EQ(search_us(16), 320);
    EXPECT_EQ(calls_before_search(bcast, 16, 32), 100U);
    EXPECT_EQ(calls_before_search(bcast, 16, 321), 0U) << "a call lasts as long as the search";
    EXPECT_EQ(calls_before_search(bcast, 16, 319), 10U);
    EXPECT_GT(calls_before_search(bcast, 1024, 32), calls_before_search(bcast, 256, 32));
    EXPECT_LT(calls_before_search(bcast, 1 << 20, 1e-9), no_search);
}

TEST(EarnedSearch, ReductionsDecideOnce) {
    // Their sums must be rounded alike in every call.
    for (const Collective collective : {Collective::reduce, Collective::allreduce}) {
        EXPECT_EQ(calls_before_search({collective, 4096}, 16, 1e6), no_search);
        EXPECT_EQ(calls_before_search({collective, 64 * kib}, 16, 12.8), 0U);
        EXPECT_EQ(calls_before_search({collective, 64 * kib}, 16, 12.7), no_search);
    }
}

class EarnedSearchTable : public ::testing::Test {
protected:
    const PlanTable::Entry& first(PlanTable& table, const Operation& operation) const {
        return table.at(table.planner().class_of(operation), ByLevels::maybe);
    }
    unsigned search_after(const Operation& operation) const {
        PlanTable table(hierarchy, settings, false, 1);
        return first(table, operation).search_after;
    }

    PlanSettings settings;
    Hierarchy hierarchy = sites_of_nodes(2, 2, 4);
};

TEST_F(EarnedSearchTable, TheSearchFollowsTheFormulas) {
    PlanTable table(hierarchy, settings, false, 1);
    const Operation operation{Collective::bcast, 8192, 5};
    const PlanClass found = table.planner().class_of(operation);
    const PlanTable::Entry& by_formula = first(table, operation);
    EXPECT_EQ(hash_of(by_formula.plan), hash_of(by_formulas(hierarchy, {}, found.representative)));
    EXPECT_EQ(by_formula.search_after,
              calls_before_search(found.representative, hierarchy.ranks(), by_formula.plan.predicted_us));
    EXPECT_GT(by_formula.search_after, 0U);
    EXPECT_NE(by_formula.plan.reason.find("searched for after"), std::string::npos) << by_formula.plan.reason;
    const std::size_t memory = table.memory();
    const PlanTable::Entry& searched = table.searched(found, ByLevels::maybe);
    EXPECT_TRUE(same(searched.plan, table.planner().make_plan(found.representative)));
    EXPECT_EQ(searched.search_after, no_search);
    EXPECT_GT(table.memory(), memory);
    EXPECT_EQ(&table.searched(found, ByLevels::maybe), &searched);
    EXPECT_EQ(&first(table, operation), &by_formula);
}

TEST_F(EarnedSearchTable, CallsThatLastLongAreSearchedForAtOnce) {
    EXPECT_EQ(search_after({Collective::bcast, 16 * mib}), no_search);
    PlanTable table(hierarchy, settings, false, 1);
    const Operation operation{Collective::bcast, 16 * mib};
    const PlanClass found = table.planner().class_of(operation);
    EXPECT_TRUE(same(first(table, operation).plan, table.planner().make_plan(found.representative)));
}

TEST_F(EarnedSearchTable, WhatTheUserSetsIsSearchedForAtOnce) {
    const Operation operation{Collective::bcast, 8192};
    ASSERT_NE(search_after(operation), no_search);
    settings.search_at_once = true;
    EXPECT_EQ(search_after(operation), no_search);
    settings.search_at_once = false;
    settings.overrides[static_cast<std::size_t>(Collective::bcast)].engine = Engine::tree;
    EXPECT_EQ(search_after(operation), no_search);
    EXPECT_NE(search_after({Collective::scatter, 8192}), no_search);
    settings.overrides[static_cast<std::size_t>(Collective::scatter)].segments = parse_level_sizes("node=4k");
    EXPECT_EQ(search_after({Collective::scatter, 8192}), no_search);
}

TEST_F(EarnedSearchTable, AFixedOrderNeedsNoFormulas) {
    Operation operation{Collective::allreduce, 8};
    operation.reproducible = operation.rank_order = true;
    PlanTable table(hierarchy, settings, false, 1);
    const PlanClass found = table.planner().class_of(operation);
    EXPECT_TRUE(same(table.at(found, ByLevels::maybe).plan, table.planner().make_plan(found.representative)));
}

/// On random machines, predicted with the given links: at most 5 % slower than passing through, and on
/// average within 5 % of the full search.
TEST(PlansByFormulas, AreNearlyAsGoodAsTheSearch) {
    double logarithms = 0;
    int plans = 0;
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        Random random(seed);
        const Hierarchy hierarchy = random_hierarchy(random, {32, 5});
        for (const Collective collective : {Collective::bcast, Collective::reduce, Collective::allreduce,
                                            Collective::allgather, Collective::gather, Collective::scatter}) {
            for (const std::size_t bytes : {8UL, 8192UL, 256 * kib}) {
                const Operation operation{collective, bytes};
                const Plan formulas = by_formulas(hierarchy, {}, operation);
                const Plan full = make_plan(hierarchy, {}, {}, operation);
                const double forward_us = forward_cost_us(hierarchy, {}, operation);
                const double us =
                    formulas.engine == Engine::forward
                        ? forward_us
                        : tree_cost_us(hierarchy, {}, formulas, operation) +
                              receiving_us(hierarchy, {}, operation, formulas.levels, formulas.nic_local);
                EXPECT_LE(us, 1.05 * forward_us) << formulas.reason;
                if (full.predicted_us <= 0) continue;
                logarithms += std::log(us / full.predicted_us);
                ++plans;
            }
        }
    }
    ASSERT_GT(plans, 100);
    EXPECT_LT(std::exp(logarithms / plans), 1.05);
}

/// What plans of a hierarchy share changes none of them.
TEST(PlanningFacts, ChangeNoPlan) {
    for (const auto& [nodes, ranks] : {std::pair{12, 8}, {64, 8}, {128, 8}}) {
        const Hierarchy hierarchy = nodes_below_switch(nodes, ranks);
        PlanningFacts facts(hierarchy);
        for (const bool backwards : {false, true}) {
            for (int i = 0; i < 10; ++i) {
                const int root = (backwards ? 9 - i : i) * hierarchy.ranks() / 10;
                for (const Collective collective :
                     {Collective::bcast, Collective::allreduce, Collective::gather}) {
                    const Operation operation{collective, 8192, traits_of(collective).rooted ? root : 0};
                    const Plan shared = make_plan(hierarchy, {}, {}, operation, Effort::closed_form, &facts);
                    EXPECT_TRUE(same(shared, by_formulas(hierarchy, {}, operation))) << root;
                }
            }
        }
        EXPECT_GT(facts.memory(), sizeof facts);
    }
}

/// No search follows, so the model also chooses their segments, as the search does.
TEST(EarnedSearch, ShortReductionsHaveTheSegmentsOfTheSearch) {
    LinkTable links;
    links.set({LevelKind::node, std::nullopt}, {0.7, 0.2, 7000, 4096, 4});
    links.set({LevelKind::numa, std::nullopt}, {0.5, 0.2, 9000, 4096, 4});
    links.set_combine(1500);
    int segmented = 0;
    for (const int domains : {2, 4, 8}) {
        for (const int cores : {4, 8, 12}) {
            const int ranks = domains * cores;
            const Hierarchy node = make_hierarchy(node_level, {{numa_level, blocks(ranks, cores)}}, ranks);
            for (const std::size_t bytes : {2 * kib, 4 * kib}) {
                const Operation reduce{Collective::reduce, bytes};
                const Plan quick = by_formulas(node, links, reduce);
                const Plan full = make_plan(node, links, {}, reduce, Effort::full);
                EXPECT_LE(quick.predicted_us, 1.05 * full.predicted_us) << ranks << ' ' << bytes;
                segmented += full.levels.front().segment_bytes > 0 ? 1 : 0;
            }
        }
    }
    EXPECT_GT(segmented, 0);
}

}  // namespace
}  // namespace earned_search_test
