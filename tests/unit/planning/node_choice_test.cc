// Where the node engine is chosen without a request.
#include "algorithms/planning/node_choice.h"

#include <gtest/gtest.h>

#include "algorithms/planning/make_plan.h"
#include "algorithms/planning/planner.h"
#include "plans.h"

namespace node_choice_test {
namespace {

using namespace strata::testing;
using namespace strata::algorithms;

Operation of(Collective collective, std::size_t bytes) {
    Operation operation{collective, bytes, 0};
    operation.on_boards = true;
    return operation;
}

Engine chosen(const Hierarchy& hierarchy, const Operation& operation, const Overrides& overrides = {}) {
    return make_plan(hierarchy, {}, overrides, operation).engine;
}

TEST(NodeChoice, FromTheMeasuredSizesOn) {
    const Hierarchy flat = one_node(4);
    for (const std::size_t bytes : {std::size_t{8}, mib}) {
        EXPECT_EQ(chosen(flat, of(Collective::allreduce, bytes)), Engine::node);
    }
    EXPECT_EQ(chosen(flat, of(Collective::barrier, 0)), Engine::node);
    EXPECT_EQ(chosen(flat, of(Collective::allgather, 8)), Engine::node);
    for (const Collective collective :
         {Collective::bcast, Collective::reduce, Collective::gather, Collective::scatter}) {
        EXPECT_EQ(chosen(flat, of(collective, 1023)), Engine::forward);
        EXPECT_EQ(chosen(flat, of(collective, 1024)), Engine::node);
    }
    EXPECT_EQ(chosen(flat, of(Collective::allgatherv, mib)), Engine::forward) << "not measured";
    const Hierarchy domains = make_hierarchy(node_level, {{{LevelKind::numa, 0}, blocks(16, 8)}}, 16);
    EXPECT_EQ(chosen(domains, of(Collective::bcast, 1024)), Engine::node);
    EXPECT_NE(chosen(domains, of(Collective::gather, 8191)), Engine::node);
    EXPECT_EQ(chosen(domains, of(Collective::gather, 8192)), Engine::node);
    for (const Collective collective : {Collective::reduce, Collective::scatter})
        EXPECT_NE(chosen(domains, of(collective, mib)), Engine::node) << "slower on 16 ranks";
}

TEST(NodeChoice, NotWhereNothingWasMeasured) {
    const Operation operation = of(Collective::allreduce, mib);
    EXPECT_NE(chosen(one_node(17), operation), Engine::node);
    EXPECT_NE(chosen(nodes_below_switch(2, 4), operation), Engine::node);
    Operation without = operation;
    without.on_boards = false;
    EXPECT_NE(chosen(one_node(4), without), Engine::node);
}

TEST(NodeChoice, TheUserComesFirst) {
    Operation operation = of(Collective::allreduce, mib);
    Overrides overrides;
    overrides.engine = Engine::forward;
    EXPECT_EQ(chosen(one_node(4), operation, overrides), Engine::forward);
    overrides.engine = Engine::automatic;
    overrides.methods = parse_level_methods("node=binomial");
    EXPECT_NE(chosen(one_node(4), operation, overrides), Engine::node);
    operation.reproducible = true;
    EXPECT_EQ(chosen(one_node(4), operation), Engine::tree);
}

/// It needs no search, and the ranks without boards keep a plan of their own.
TEST(NodeChoice, LastsFromTheFirstCallOn) {
    const Hierarchy domains = make_hierarchy(node_level, {{{LevelKind::numa, 0}, blocks(8, 4)}}, 8);
    const PlanSettings settings;
    const Planner planner(domains, settings, false);
    Operation operation = of(Collective::bcast, mib);
    const FirstPlan first = planner.first_plan(planner.class_of(operation).representative);
    EXPECT_EQ(first.plan.engine, Engine::node);
    EXPECT_EQ(first.search_after, 0U);
    const std::uint64_t key = planner.class_of(operation).key;
    operation.on_boards = false;
    EXPECT_NE(planner.class_of(operation).key, key);
    EXPECT_NE(planner.first_plan(planner.class_of(operation).representative).plan.engine, Engine::node);
}

}  // namespace
}  // namespace node_choice_test
