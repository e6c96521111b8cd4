// make_plan for trees over several network cards.
#include <gtest/gtest.h>

#include "algorithms/planning/make_plan.h"
#include "plans.h"

namespace plan_lanes_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;

constexpr Collective with_lanes[] = {Collective::bcast, Collective::allreduce, Collective::allgather,
                                     Collective::allgatherv};

Plan planned(Operation operation, const Overrides& overrides) {
    return make_plan(sites_of_nodes(2, 2, 4), two_sites(2000), overrides, operation);
}

Operation operation_of(Collective collective, std::size_t bytes, int lanes) {
    Operation operation{collective, bytes};
    operation.lanes = lanes;
    return operation;
}

TEST(PlanLanes, AreTheTreesOfTheTreeEngine) {
    for (const Collective collective : with_lanes) {
        for (const std::size_t bytes : {64 * kib, mib, 16 * mib}) {
            const Operation operation = operation_of(collective, bytes, 3);
            const Plan plan = planned(operation, overriding(Engine::lanes));
            EXPECT_EQ(plan.engine, Engine::lanes);
            EXPECT_EQ(plan.lanes, 3);
            EXPECT_EQ(plan.reason, "set by the user");
            EXPECT_EQ(plan.levels, planned(operation, overriding(Engine::tree)).levels);
        }
    }
}

/// The model does not know what lanes gain: only the user chooses them.
TEST(PlanLanes, AreNeverChosenAutomatically) {
    for (const Collective collective : with_lanes) {
        const Plan plan = planned(operation_of(collective, 16 * mib, 4), {});
        EXPECT_EQ(plan.engine, Engine::tree);
        EXPECT_EQ(plan.lanes, 1);
    }
}

TEST(PlanLanes, OneTreeWhereThereAreNoCardsForMore) {
    for (const Collective collective : with_lanes) {
        const Plan plan = planned(operation_of(collective, mib, 1), overriding(Engine::lanes));
        EXPECT_EQ(plan.engine, Engine::tree);
        EXPECT_EQ(plan.lanes, 1);
        EXPECT_NE(plan.reason.find("several cards"), std::string::npos) << plan.reason;
    }
}

TEST(PlanLanes, OneTreeWhereAnOrderMustBeKept) {
    Operation operation = operation_of(Collective::allreduce, mib, 2);
    operation.rank_order = true;
    EXPECT_EQ(planned(operation, overriding(Engine::lanes)).engine, Engine::tree);
    operation.rank_order = false;
    operation.reproducible = true;
    EXPECT_EQ(planned(operation, overriding(Engine::lanes)).engine, Engine::tree);
    operation = operation_of(Collective::bcast, mib, 2);
    operation.reproducible = true;
    EXPECT_EQ(planned(operation, overriding(Engine::lanes)).engine, Engine::lanes);
}

TEST(PlanLanes, ShortVectorsAreStillExchanged) {
    const Plan plan = planned(operation_of(Collective::allreduce, 8, 2), overriding(Engine::lanes));
    EXPECT_TRUE(exchanges_on_top(plan));
    EXPECT_EQ(plan.engine, Engine::tree);
    EXPECT_NE(plan.reason.find("exchanged"), std::string::npos);
}

/// Halves, and blocks in rounds, are compared with one tree only.
TEST(PlanLanes, NoExchangeOfPartsTakesTheirPlace) {
    const Hierarchy nodes = nodes_below_switch(8, 2);
    for (const Collective collective : {Collective::allreduce, Collective::allgather}) {
        const Operation operation = operation_of(collective, 64 * kib, 2);
        EXPECT_TRUE(exchanges_on_top(make_plan(nodes, {}, overriding(Engine::tree), operation)));
        const Plan plan = make_plan(nodes, {}, overriding(Engine::lanes), operation);
        EXPECT_EQ(plan.engine, Engine::lanes) << plan.reason;
    }
}

TEST(PlanLanes, OthersHaveNone) {
    for (const Collective collective : {Collective::reduce, Collective::barrier, Collective::gather}) {
        EXPECT_NE(check(overriding(Engine::lanes), collective).find("has no engine 'lanes'"),
                  std::string::npos);
    }
    EXPECT_NE(check(overriding(Engine::lanes, "node=sm"), Collective::bcast).find("takes tree shapes only"),
              std::string::npos);
}

}  // namespace
}  // namespace plan_lanes_test
