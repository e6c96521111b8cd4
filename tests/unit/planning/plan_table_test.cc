// Plans that communicators of equal hierarchies share.
#include <gtest/gtest.h>

#include <cfenv>
#include <set>
#include <thread>
#include <vector>

#include "algorithms/planning/make_plan.h"
#include "algorithms/planning/plan_table.h"
#include "plans.h"

namespace plan_table_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;

Operation operation_of(Collective collective, std::size_t bytes) {
    Operation operation;
    operation.collective = collective;
    operation.bytes = bytes;
    return operation;
}

class CommonPlanTable : public ::testing::Test {
protected:
    const PlanTable::Entry& entry(PlanTable& plan_table, const Operation& operation,
                                  ByLevels by_levels = ByLevels::maybe) const {
        return plan_table.at(plan_table.planner().class_of(operation, by_levels), by_levels);
    }

    void SetUp() override { settings.search_at_once = true; }

    PlanSettings settings;
    Hierarchy hierarchy = sites_of_nodes(2, 2, 4);
};

TEST_F(CommonPlanTable, HasThePlansOfThePlanner) {
    settings.links = two_sites(2000);
    PlanTable plan_table(hierarchy, settings, false, 1);
    const Planner planner(hierarchy, settings, false);
    for (int op = 0; op < collective_count; ++op) {
        for (const std::size_t bytes : {8U, 5000U, 1048576U}) {
            const Operation operation = operation_of(static_cast<Collective>(op), bytes);
            const Operation representative = planner.class_of(operation).representative;
            EXPECT_TRUE(same(entry(plan_table, operation).plan, planner.make_plan(representative)));
        }
    }
}

TEST_F(CommonPlanTable, MakesEveryPlanOnce) {
    PlanTable plan_table(hierarchy, settings, false, 1);
    const auto* const first = &entry(plan_table, operation_of(Collective::bcast, 4096));
    const std::size_t memory = plan_table.memory();
    EXPECT_EQ(&entry(plan_table, operation_of(Collective::bcast, 4097)), first);  // of the same class
    EXPECT_EQ(plan_table.memory(), memory);
    EXPECT_NE(&entry(plan_table, operation_of(Collective::bcast, 8192)), first);
    EXPECT_GT(plan_table.memory(), memory);
    EXPECT_EQ(&entry(plan_table, operation_of(Collective::bcast, 4096)), first);
}

// Plans must not depend on the caller's rounding mode. Without the plan table they do.
TEST_F(CommonPlanTable, HasTheSamePlansHoweverTheCallerRounds) {
    hierarchy = nodes_below_switch(4, 2);
    int differ = 0;
    for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
        PlanTable usual(hierarchy, settings, false, 1);
        PlanTable other(hierarchy, settings, false, 1);
        const Planner bare(hierarchy, settings, false);
        for (const Collective op : {Collective::bcast, Collective::reduce, Collective::gather}) {
            for (std::size_t bytes = 8; bytes < 4 * mib; bytes *= 2) {
                const Operation operation = operation_of(op, bytes);
                const Operation representative = bare.class_of(operation).representative;
                std::fesetround(mode);
                const Plan plan = entry(other, operation).plan;
                const double bare_us = bare.make_plan(representative).predicted_us;
                EXPECT_EQ(std::fegetround(), mode);
                std::fesetround(FE_TONEAREST);
                EXPECT_TRUE(same(plan, entry(usual, operation).plan));
                differ += bare_us != plan.predicted_us ? 1 : 0;
            }
        }
    }
    EXPECT_GT(differ, 10);
}

// Planning must not raise the caller's floating-point flags.
TEST_F(CommonPlanTable, RaisesNoFlagsOfTheCaller) {
    PlanTable plan_table(hierarchy, settings, false, 1);
    std::feclearexcept(FE_ALL_EXCEPT);
    entry(plan_table, operation_of(Collective::reduce, 5000));
    EXPECT_EQ(std::fetestexcept(FE_ALL_EXCEPT), 0);
}

TEST_F(CommonPlanTable, KeepsWhatMayBeByLevelsApart) {
    settings.rules_file = "r.json";
    settings.rules = parse_rules(R"({"version": 1, "rules": [{"levels": [{"algorithm": "tuned"}]}]})",
                                 settings.rules_file);
    PlanTable plan_table(hierarchy, settings, false, 1);
    const Operation operation = operation_of(Collective::bcast, 1 << 20);
    EXPECT_EQ(entry(plan_table, operation).plan.engine, Engine::levels);
    EXPECT_EQ(entry(plan_table, operation, ByLevels::never).plan.engine, Engine::tree);
    EXPECT_NE(entry(plan_table, operation, ByLevels::given_up).plan.engine, Engine::levels);
    EXPECT_EQ(entry(plan_table, operation).plan.engine, Engine::levels);
}

TEST_F(CommonPlanTable, ReportsPlansThatGainWithFrequentUseOnlyWherePlansMayBeByLevels) {
    hierarchy = nodes_below_switch(4, 4);
    settings.links.set({LevelKind::switch_, std::nullopt}, {50, 5, 1200, 65536});
    PlanTable plan_table(hierarchy, settings, false, 1);
    const Operation operation = operation_of(Collective::allgather, kib);
    EXPECT_TRUE(entry(plan_table, operation).delegation);
    EXPECT_FALSE(entry(plan_table, operation, ByLevels::given_up).delegation);
    EXPECT_FALSE(entry(plan_table, operation, ByLevels::never).delegation);
}

TEST_F(CommonPlanTable, ServesThreadsAtTheSameTime) {
    PlanTable plan_table(hierarchy, settings, false, 1);
    std::vector<std::set<const PlanTable::Entry*>> found(4);
    std::vector<std::thread> threads;
    for (auto& own : found) {
        threads.emplace_back([&plan_table, &own, this] {
            for (std::size_t bytes = 1; bytes <= 1 << 20; bytes *= 2) {
                own.insert(&entry(plan_table, operation_of(Collective::bcast, bytes)));
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(found.front().size(), 21U);
    for (const auto& own : found) {
        EXPECT_EQ(own, found.front());
    }
}

}  // namespace
}  // namespace plan_table_test
