// make_plan for trees over several NICs.
#include <gtest/gtest.h>

#include "algorithms/planning/make_plan.h"
#include "plans.h"

namespace plan_rails_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;

constexpr Collective with_rails[] = {Collective::bcast, Collective::allreduce, Collective::allgather,
                                     Collective::allgatherv};

Plan planned(Operation operation, const Overrides& overrides) {
    return make_plan(sites_of_nodes(2, 2, 4), two_sites(2000), overrides, operation);
}

Operation operation_of(Collective collective, std::size_t bytes, int rails) {
    Operation operation{collective, bytes};
    operation.rails = rails;
    return operation;
}

TEST(PlanRails, AreTheTreesOfTheTreeEngine) {
    for (const Collective collective : with_rails) {
        for (const std::size_t bytes : {64 * kib, mib, 16 * mib}) {
            const Operation operation = operation_of(collective, bytes, 3);
            const Plan plan = planned(operation, overriding(Engine::rails));
            EXPECT_EQ(plan.engine, Engine::rails);
            EXPECT_EQ(plan.rails, 3);
            EXPECT_EQ(plan.reason, "set by the user");
            EXPECT_EQ(plan.levels, planned(operation, overriding(Engine::tree)).levels);
        }
    }
}

/// The model does not predict the gain of rails: only the user chooses them.
TEST(PlanRails, AreNeverChosenAutomatically) {
    for (const Collective collective : with_rails) {
        const Plan plan = planned(operation_of(collective, 16 * mib, 4), {});
        EXPECT_EQ(plan.engine, Engine::tree);
        EXPECT_EQ(plan.rails, 1);
    }
}

TEST(PlanRails, OneTreeWhereThereAreNoNicsForMore) {
    for (const Collective collective : with_rails) {
        const Plan plan = planned(operation_of(collective, mib, 1), overriding(Engine::rails));
        EXPECT_EQ(plan.engine, Engine::tree);
        EXPECT_EQ(plan.rails, 1);
        EXPECT_NE(plan.reason.find("several NICs"), std::string::npos) << plan.reason;
    }
}

TEST(PlanRails, OneTreeWhereAnOrderMustBeKept) {
    Operation operation = operation_of(Collective::allreduce, mib, 2);
    operation.rank_order = true;
    EXPECT_EQ(planned(operation, overriding(Engine::rails)).engine, Engine::tree);
    operation.rank_order = false;
    operation.reproducible = true;
    EXPECT_EQ(planned(operation, overriding(Engine::rails)).engine, Engine::tree);
    operation = operation_of(Collective::bcast, mib, 2);
    operation.reproducible = true;
    EXPECT_EQ(planned(operation, overriding(Engine::rails)).engine, Engine::rails);
}

TEST(PlanRails, ShortVectorsAreStillExchanged) {
    const Plan plan = planned(operation_of(Collective::allreduce, 8, 2), overriding(Engine::rails));
    EXPECT_TRUE(exchanges_on_top(plan));
    EXPECT_EQ(plan.engine, Engine::tree);
    EXPECT_NE(plan.reason.find("exchanged"), std::string::npos);
}

/// Reduce-scatter + allgather, and blocks in rounds, are compared with one tree only.
TEST(PlanRails, NoExchangeOfPartsTakesTheirPlace) {
    const Hierarchy nodes = nodes_below_switch(8, 2);
    for (const Collective collective : {Collective::allreduce, Collective::allgather}) {
        const Operation operation = operation_of(collective, 64 * kib, 2);
        EXPECT_TRUE(exchanges_on_top(make_plan(nodes, {}, overriding(Engine::tree), operation)));
        const Plan plan = make_plan(nodes, {}, overriding(Engine::rails), operation);
        EXPECT_EQ(plan.engine, Engine::rails) << plan.reason;
    }
}

TEST(PlanRails, OthersHaveNone) {
    for (const Collective collective : {Collective::reduce, Collective::barrier, Collective::gather}) {
        EXPECT_NE(check(overriding(Engine::rails), collective).find("has no engine 'rails'"),
                  std::string::npos);
    }
    EXPECT_NE(check(overriding(Engine::rails, "node=sm"), Collective::bcast).find("takes tree shapes only"),
              std::string::npos);
}

}  // namespace
}  // namespace plan_rails_test
