// Rules and choices of double trees: where possible, rejected or ignored.
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <string>

#include "algorithms/base/level_tasks.h"
#include "algorithms/cost/model.h"
#include "algorithms/planning/make_plan.h"
#include "algorithms/report/plan_listing.h"
#include "plans.h"

namespace plan_double_tree_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;

constexpr Collective vectors[] = {Collective::bcast, Collective::reduce, Collective::allreduce};
constexpr Algorithm shapes[] = {Algorithm::double_binary, Algorithm::split_binary};

std::string rule(const char* level, Algorithm algorithm) {
    return std::string(level) + "=" + std::string(info(algorithm).name);
}

std::string checked(Collective collective, const std::string& methods, Engine engine = Engine::automatic) {
    return check(overriding(engine, methods.c_str()), collective);
}

TEST(DoubleTreeCheck, VectorsMayHaveDoubleTrees) {
    for (int op = 0; op < collective_count; ++op) {
        const auto collective = static_cast<Collective>(op);
        const bool vector =
            std::find(std::begin(vectors), std::end(vectors), collective) != std::end(vectors);
        EXPECT_EQ(supports_double_trees(traits_of(collective)), vector) << name_of(collective);
        for (const char* level : {"switch", "node"}) {
            EXPECT_EQ(checked(collective, rule(level, Algorithm::double_binary)).empty(), vector);
            EXPECT_EQ(checked(collective, rule(level, Algorithm::double_binary), Engine::tree).empty(),
                      vector);
            EXPECT_EQ(checked(collective, rule(level, Algorithm::split_binary), Engine::tree).empty(),
                      vector);
        }
        const std::string words = methods_of(collective);
        EXPECT_EQ(words.find("double_binary") != std::string::npos, vector) << words;
        EXPECT_NE(words.find("in_order_binary"), std::string::npos) << words;
    }
    EXPECT_EQ(checked(Collective::allreduce, "node=double_binary", Engine::ring), "");
    EXPECT_EQ(checked(Collective::bcast, "node=double_binary", Engine::forward), "");
}

TEST(DoubleTreeCheck, Refusals) {
    EXPECT_EQ(
        checked(Collective::gather, "switch=double_binary"),
        "'switch=double_binary': no engine of gather can use that; known: auto, linear, chain, pipeline, "
        "binary, binomial, knomial, in_order_binary, linear_sync, skip, or a component");
    EXPECT_EQ(checked(Collective::barrier, "node=double_binary").substr(0, 62),
              "'node=double_binary': no engine of barrier can use that; known");
    EXPECT_EQ(
        checked(Collective::allgather, "node=split_binary", Engine::tree),
        "'node=split_binary' needs the engine 'levels' (or 'auto'): the engine 'tree' takes tree shapes "
        "only");
    EXPECT_EQ(checked(Collective::allgather, "node=split_binary"), "") << "Open MPI's, by levels";
    for (const Algorithm shape : shapes) {
        for (const Collective collective : {Collective::bcast, Collective::allreduce}) {
            EXPECT_EQ(checked(collective, rule("node", shape), Engine::rails),
                      "'" + rule("node", shape) +
                          "' needs the engine 'tree' (or 'auto'): it has two trees, and the engine "
                          "'rails' has one per NIC");
        }
    }
    EXPECT_EQ(
        checked(Collective::bcast, "node=double_binary", Engine::levels),
        "'node=double_binary': the engine 'levels' of bcast has no such algorithm; known: auto, linear, "
        "chain, pipeline, split_binary, binary, binomial, knomial, scatter_allgather, "
        "scatter_allgather_ring, or a component");
    EXPECT_NE(checked(Collective::bcast, "switch=sm,node=double_binary"), "") << "sm needs the engine levels";
    EXPECT_EQ(checked(Collective::bcast, "node=split_binary", Engine::levels), "");
}

/// A rule is ignored where the user's engine cannot follow it.
TEST(DoubleTreeCheck, AStrongerEngineLeavesThemOut) {
    const Overrides weaker = overriding(Engine::automatic, "switch=double_binary,node=linear");
    for (const Engine engine : {Engine::rails, Engine::levels}) {
        const Overrides merged = merge(overriding(engine), weaker, Collective::bcast);
        EXPECT_EQ(check(merged, Collective::bcast), "");
        ASSERT_EQ(merged.methods.size(), 1U);
        EXPECT_EQ(merged.methods.front().method.algorithm, Algorithm::linear);
    }
    EXPECT_EQ(merge(overriding(Engine::tree), weaker, Collective::bcast).methods.size(), 2U);
}

TEST(PlanDoubleTree, RulesOnAllOrSomeLevels) {
    const Hierarchy sites = sites_of_nodes(2, 3, 4);
    for (const Collective collective : vectors) {
        for (const Algorithm shape : shapes) {
            for (const char* level : {"switch1", "switch0", "node"}) {
                const Operation operation{collective, 256 * kib};
                const Plan plan = make_plan(sites, round_links(),
                                            overriding(Engine::tree, rule(level, shape).c_str()), operation);
                EXPECT_EQ(plan.engine, Engine::tree);
                EXPECT_TRUE(has_double_tree(plan) || exchanges_on_top(plan)) << plan.reason;
                int found = 0;
                for (const LevelPlan& one : plan.levels) found += one.method.algorithm == shape ? 1 : 0;
                EXPECT_EQ(found, 1) << level;
                EXPECT_EQ(plan.reason.find("for the topmost level"), std::string::npos) << plan.reason;
                EXPECT_DOUBLE_EQ(plan.predicted_us, tree_cost_us(sites, round_links(), plan, operation));
            }
            const std::string all = rule("switch", shape) + "," + rule("node", shape);
            const Plan plan =
                make_plan(sites, round_links(), overriding(Engine::tree, all.c_str()), {collective, mib});
            EXPECT_TRUE(has_double_tree(plan));
            EXPECT_TRUE(plan.skipped.empty());
            for (const LevelPlan& one : plan.levels) EXPECT_EQ(one.method.algorithm, shape);
        }
    }
}

/// All ranks in two trees: the levels that divide nodes may go, as below a ring.
TEST(PlanDoubleTree, AmongAllRanks) {
    const Hierarchy nodes = nodes_below_switch(4, 4);
    for (const Collective collective : vectors) {
        const auto plan = [&](const char* methods) {
            return make_plan(nodes, round_links(), overriding(Engine::tree, methods), {collective, mib});
        };
        const Plan all = plan("switch=double_binary,node=skip");
        EXPECT_EQ(all.skipped, std::vector{node_level}) << all.reason;
        EXPECT_TRUE(has_double_tree(all));
        const Plan split = plan("switch=split_binary,node=skip");
        EXPECT_TRUE(split.skipped.empty());
        EXPECT_NE(split.reason.find("skip ignored for node, which separates nodes"), std::string::npos)
            << split.reason;
    }
}

/// Operations with a required order: never combined along a double tree.
TEST(PlanDoubleTree, NotWhereAnOrderIsKept) {
    const Hierarchy nodes = nodes_below_switch(4, 4);
    for (const Collective collective : {Collective::reduce, Collective::allreduce}) {
        for (const Algorithm shape : shapes) {
            const Overrides overrides =
                overriding(Engine::tree, (rule("switch", shape) + "," + rule("node", shape)).c_str());
            Operation operation{collective, mib};
            EXPECT_TRUE(has_double_tree(make_plan(nodes, round_links(), overrides, operation)));
            operation.rank_order = true;
            const Plan ranks = make_plan(nodes, round_links(), overrides, operation);
            EXPECT_FALSE(has_double_tree(ranks));
            EXPECT_EQ(ranks.levels.front().method.algorithm, Algorithm::binomial);
            operation.rank_order = false;
            operation.reproducible = true;
            const Plan fixed = make_plan(nodes, round_links(), overrides, operation);
            EXPECT_FALSE(has_double_tree(fixed));
            EXPECT_NE(fixed.reason.find(std::string(info(shape).name) + " has no fixed order"),
                      std::string::npos)
                << fixed.reason;
        }
    }
    Operation bcast{Collective::bcast, mib};
    bcast.reproducible = true;
    EXPECT_TRUE(has_double_tree(
        make_plan(nodes, round_links(), overriding(Engine::tree, "node=double_binary"), bcast)))
        << "nothing is combined";
}

/// A binary tree in the order of the ranks can.
TEST(PlanDoubleTree, InOrderBinaryKeepsTheOrder) {
    const Hierarchy nodes = nodes_below_switch(4, 4);
    Operation operation{Collective::reduce, mib};
    operation.rank_order = true;
    const Plan plan =
        make_plan(nodes, round_links(),
                  overriding(Engine::tree, "switch=in_order_binary,node=in_order_binary"), operation);
    EXPECT_EQ(plan.engine, Engine::tree);
    for (const LevelPlan& level : plan.levels) {
        EXPECT_EQ(level.method.algorithm, Algorithm::in_order_binary);
    }
    EXPECT_FALSE(has_double_tree(plan));
    EXPECT_EQ(
        make_plan(nodes, round_links(), overriding(Engine::levels, "node=in_order_binary"), operation).engine,
        Engine::levels)
        << "Open MPI's";
}

TEST(PlanDoubleTree, OneTreeBelowExchangesAndRings) {
    const Hierarchy nodes = nodes_below_switch(4, 4);
    const Operation operation{Collective::allreduce, mib};
    for (const char* top : {"recursive_doubling", "rabenseifner"}) {
        const std::string methods = "switch=" + std::string(top) + ",node=double_binary";
        const Plan plan =
            make_plan(nodes, round_links(), overriding(Engine::tree, methods.c_str()), operation);
        EXPECT_TRUE(exchanges_on_top(plan)) << plan.reason;
        EXPECT_EQ(plan.levels.back().method.algorithm, Algorithm::double_binary);
        EXPECT_FALSE(has_double_tree(plan));
    }
    const Plan ring =
        make_plan(nodes, round_links(), overriding(Engine::ring, "node=double_binary"), operation);
    EXPECT_EQ(ring.engine, Engine::ring) << ring.reason;
    EXPECT_FALSE(has_double_tree(ring));
}

/// The same inputs give the same plan.
TEST(PlanDoubleTree, ChosenAlike) {
    const Hierarchy nodes = nodes_below_switch(8, 8);
    LinkTable links;
    links.set({LevelKind::switch_, std::nullopt}, {3, 0.4, 1500, 4096});
    links.set({LevelKind::node, std::nullopt}, {0.5, 0.4, 1800, 4096});
    links.set_some({LevelKind::node, std::nullopt}, {.offloaded = true});
    int chosen = 0;
    for (const Collective collective : vectors) {
        for (const std::size_t bytes : {4 * kib, 64 * kib, 256 * kib, mib}) {
            for (const int root : {0, 9}) {
                const Plan plan = make_plan(nodes, links, {}, {collective, bytes, root});
                const Plan again = make_plan(nodes, links, {}, {collective, bytes, root});
                EXPECT_EQ(plan.levels, again.levels);
                EXPECT_EQ(plan.predicted_us, again.predicted_us);
                chosen += has_double_tree(plan) ? 1 : 0;
                if (has_double_tree(plan)) {
                    EXPECT_GE(bytes, 8 * kib);
                }
            }
        }
    }
    EXPECT_GT(chosen, 3);
    Hierarchy oversubscribed = nodes;
    oversubscribed.oversubscription = 2;
    EXPECT_FALSE(has_double_tree(make_plan(oversubscribed, links, {}, {Collective::bcast, 256 * kib})));
}

TEST(PlanDoubleTree, TheListingNamesThem) {
    const Hierarchy sites = sites_of_nodes(2, 3, 4);
    PlanListing listing{sites.ranks(), "", 0, 0, {}, {}};
    listing.plans = list_plans(
        sites, {{Collective::bcast}, 0, {mib}},
        [&](const Operation& operation) {
            return make_plan(sites, round_links(),
                             overriding(Engine::tree, "switch1=double_binary,node=split_binary"), operation);
        },
        [](Collective) { return std::vector<std::size_t>{}; });
    for (const std::string& text : {listing_text(listing), listing_members(listing)}) {
        EXPECT_NE(text.find("double_binary"), std::string::npos) << text;
        EXPECT_NE(text.find("split_binary"), std::string::npos) << text;
    }
}

}  // namespace
}  // namespace plan_double_tree_test
