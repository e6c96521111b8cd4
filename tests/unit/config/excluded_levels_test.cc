// The word skip in parameters and rules: the levels it applies to, its precedence, and how it is reported.
#include <gtest/gtest.h>

#include <algorithm>

#include "algorithms/config/rules.h"
#include "algorithms/cost/model.h"
#include "algorithms/planning/make_plan.h"
#include "algorithms/report/plan_listing.h"
#include "plans.h"

namespace excluded_levels_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;

constexpr LevelKey high_switch{LevelKind::switch_, 2};
constexpr LevelKey package_level{LevelKind::package, 0};
constexpr LevelKey numa_level{LevelKind::numa, 0};

/// Two of everything: switches of three heights, nodes, packages, NUMA domains; 64 ranks.
Hierarchy deep() {
    return make_hierarchy(high_switch,
                          {{top_switch, blocks(64, 32)},
                           {leaf_switch, blocks(64, 16)},
                           {node_level, blocks(64, 8)},
                           {package_level, blocks(64, 4)},
                           {numa_level, blocks(64, 2)}},
                          64);
}

Plan planned(const Overrides& overrides, Operation operation = {Collective::bcast, 4096, 5}) {
    return make_plan(deep(), LinkTable{}, overrides, operation);
}

Plan planned(Engine engine, const char* methods) { return planned(overriding(engine, methods)); }

/// `methods` and every other level's name, so that the model has nothing to skip.
std::string and_the_rest_linear(std::string methods) {
    for (const LevelKey level : deep().levels()) {
        const std::string name = strata::topology::name_of(level);
        if (methods.find(name + "=") == std::string::npos) methods += "," + name + "=linear";
    }
    return methods;
}

bool tells(const Plan& plan, const char* text) { return plan.reason.find(text) != std::string::npos; }

TEST(ExcludedLevel, AnyLevelButTheTopmostAndThatOfNodes) {
    for (const auto& [level, key] : {std::pair{"switch1", top_switch},
                                     {"switch0", leaf_switch},
                                     {"package", package_level},
                                     {"numa", numa_level}}) {
        const std::string words = and_the_rest_linear(std::string(level) + "=skip");
        for (const Engine engine : {Engine::automatic, Engine::tree}) {
            const Plan plan = planned(engine, words.c_str());
            if (engine == Engine::automatic && plan.engine == Engine::forward) continue;
            EXPECT_EQ(plan.skipped, std::vector{key});
            ASSERT_EQ(plan.skipped_sources.size(), 1U);
            EXPECT_EQ(plan.skipped_sources.front().origin, Origin::parameter);
            EXPECT_EQ(plan.levels.size(), deep().levels().size() - 1);
            EXPECT_EQ(plan.sources.size(), plan.levels.size());
            EXPECT_DOUBLE_EQ(plan.predicted_us,
                             tree_cost_us(deep(), LinkTable{}, plan, {Collective::bcast, 4096, 5}));
            EXPECT_FALSE(tells(plan, "skip"));
        }
    }
    for (const auto& [words, why] :
         {std::pair{"switch2=skip", "; skip ignored for switch2, the topmost level"},
          {"node=skip", "; skip ignored for node, which separates nodes"}}) {
        const Plan plan = planned(Engine::tree, and_the_rest_linear(words).c_str());
        EXPECT_TRUE(plan.skipped.empty());
        EXPECT_EQ(plan.levels.size(), deep().levels().size());
        EXPECT_TRUE(tells(plan, why)) << plan.reason;
    }
    const Plan plan = planned(Engine::tree, "switch=skip,numa=skip,package=linear,node=linear");
    EXPECT_EQ(plan.skipped, (std::vector{top_switch, leaf_switch, numa_level}));
    EXPECT_TRUE(tells(plan, "switch2, the topmost level")) << plan.reason;
}

/// Below a ring, recursive halving or a chain from or to a root; all ranks then take part.
TEST(ExcludedLevel, NodesWhereAllRanksDoAlike) {
    const std::string below = ",switch1=skip,switch0=skip,node=skip,package=skip,numa=skip";
    const auto all = [&](Engine engine, const char* top) {
        return overriding(engine, (top + below).c_str());
    };
    const auto expect_all = [&](const Plan& plan, Algorithm algorithm) {
        ASSERT_EQ(plan.levels.size(), 1U) << plan.reason;
        EXPECT_EQ(plan.levels.front().method.algorithm, algorithm);
        EXPECT_EQ(plan.skipped.size(), deep().levels().size() - 1);
        EXPECT_FALSE(tells(plan, "skip")) << plan.reason;
    };
    const Operation reduced{Collective::allreduce, 65536, 0};
    expect_all(planned(all(Engine::tree, "switch2=rabenseifner"), reduced), Algorithm::rabenseifner);
    for (const Operation& operation : {reduced, Operation{Collective::allgather, 65536, 0}})
        expect_all(planned(all(Engine::ring, "switch2=ring"), operation), Algorithm::ring);
    for (const Collective collective : {Collective::bcast, Collective::reduce})
        expect_all(planned(all(Engine::tree, "switch2=pipeline"), {collective, 65536, 0}),
                   Algorithm::pipeline);
    const auto keeps_nodes = [](const Overrides& overrides, const Operation& operation) {
        const std::vector<LevelKey> skipped = planned(overrides, operation).skipped;
        return std::find(skipped.begin(), skipped.end(), node_level) == skipped.end();
    };
    for (bool Operation::*order : {&Operation::rank_order, &Operation::reproducible}) {
        Operation ordered = reduced;
        ordered.*order = true;
        EXPECT_TRUE(keeps_nodes(all(Engine::tree, "switch2=rabenseifner"), ordered));
        EXPECT_TRUE(keeps_nodes(all(Engine::ring, "switch2=ring"), ordered));
        ordered.collective = Collective::reduce;
        EXPECT_TRUE(keeps_nodes(all(Engine::tree, "switch2=pipeline"), ordered));
    }
    for (const char* top : {"switch2=recursive_doubling", "switch2=linear,switch2=rabenseifner"})
        EXPECT_TRUE(keeps_nodes(all(Engine::tree, top), reduced));
    EXPECT_TRUE(keeps_nodes(all(Engine::tree, "switch2=binomial"), {Collective::bcast, 65536, 0}));
    for (const Collective collective : {Collective::allreduce, Collective::gather, Collective::barrier})
        EXPECT_TRUE(keeps_nodes(all(Engine::tree, "switch2=pipeline"), {collective, 65536, 0}));
    // Otherwise ranks would take part in trees of switches.
    for (const char* some : {"switch2=rabenseifner,node=skip", "switch2=rabenseifner,switch0=skip,node=skip"})
        EXPECT_TRUE(keeps_nodes(overriding(Engine::tree, some), reduced));
    // The topmost level cannot be skipped: the next word applies.
    expect_all(planned(all(Engine::tree, "switch2=rabenseifner"), reduced), Algorithm::rabenseifner);
    EXPECT_FALSE(keeps_nodes(all(Engine::tree, "switch2=skip,switch2=rabenseifner"), reduced));
}

/// A package that is the only object of a node represents the node.
TEST(ExcludedLevel, ARepresentativeOfANodeStays) {
    const Hierarchy mixed = make_hierarchy(
        leaf_switch, {{node_level, {0, 0, 0, 0, -1, -1}}, {package_level, {0, 0, 1, 1, 2, 2}}}, 6);
    const Plan plan =
        make_plan(mixed, LinkTable{}, overriding(Engine::tree, "package=skip"), {Collective::bcast, 64, 0});
    EXPECT_TRUE(plan.skipped.empty());
    EXPECT_TRUE(tells(plan, "skip ignored for package, which separates nodes")) << plan.reason;
}

/// On links where the model skips packages and NUMA domains: levels with another word stay, the model
/// decides the rest.
TEST(ExcludedLevel, TheRestIsAsBefore) {
    LinkTable links;
    for (const LevelKind kind : {LevelKind::node, LevelKind::package, LevelKind::numa}) {
        links.set({kind, std::nullopt}, {50, 0.5, 5000, 1024 * mib});
    }
    const auto plan = [&](const char* methods) {
        return make_plan(deep(), links, overriding(Engine::tree, methods), {Collective::bcast, 8, 0});
    };
    EXPECT_EQ(plan("").skipped, (std::vector{package_level, numa_level}));
    const Plan some = plan("switch0=skip,package=linear");
    EXPECT_EQ(some.skipped, (std::vector{leaf_switch, numa_level}));
    EXPECT_EQ(some.skipped_sources, (std::vector{Source{Origin::parameter, 0}, Source{}}));
    EXPECT_EQ(plan("numa=skip").skipped, (std::vector{package_level, numa_level}));
    EXPECT_EQ(plan("numa=skip,package=linear").skipped, (std::vector{numa_level}));
    Overrides listed = overriding(Engine::tree, "numa=skip");
    listed.keep_levels = true;
    EXPECT_EQ(make_plan(deep(), links, listed, {Collective::bcast, 8, 0}).skipped, std::vector{numa_level});
}

TEST(ExcludedLevel, TheFirstRuleDecides) {
    const auto skipped = [](const char* words) {
        return planned(Engine::tree, and_the_rest_linear(words).c_str()).skipped;
    };
    EXPECT_EQ(skipped("numa=skip,numa=linear"), std::vector{numa_level});
    EXPECT_EQ(skipped("numa=linear,numa=skip"), std::vector<LevelKey>{});
    EXPECT_EQ(skipped("switch0=linear,switch=skip"), std::vector{top_switch});
    const Plan plan = planned(Engine::tree, "node=skip,node=chain:2");
    EXPECT_EQ(plan.at(node_level).method, (LevelMethod{Algorithm::chain, 2, {}}));
    const Plan exchanged = planned(overriding(Engine::tree, "switch0=recursive_doubling,switch0=skip"),
                                   {Collective::barrier, 0, 0});
    EXPECT_NE(std::find(exchanged.skipped.begin(), exchanged.skipped.end(), leaf_switch),
              exchanged.skipped.end());
}

TEST(ExcludedLevel, NotWhereAnOrderIsKept) {
    for (const Collective collective : {Collective::reduce, Collective::allreduce}) {
        Operation operation{collective, mib, 0};
        const Overrides words = overriding(Engine::tree, "numa=skip,switch0=skip");
        EXPECT_FALSE(planned(words, operation).skipped.empty());
        for (bool Operation::*order : {&Operation::rank_order, &Operation::reproducible}) {
            Operation ordered = operation;
            ordered.*order = true;
            const Plan plan = planned(words, ordered);
            EXPECT_TRUE(plan.skipped.empty());
            EXPECT_EQ(plan.levels.size(), deep().levels().size());
            EXPECT_TRUE(tells(plan, "; skip ignored: the reduction keeps an order")) << plan.reason;
        }
    }
}

TEST(ExcludedLevel, EnginesThatUseAllLevelsHaveNone) {
    const auto conflict = [](Engine engine, const char* words) {
        return check(overriding(engine, words), Collective::allgather);
    };
    for (const Engine engine : {Engine::automatic, Engine::tree, Engine::ring, Engine::forward}) {
        EXPECT_EQ(conflict(engine, "numa=skip"), "");
    }
    for (const Engine engine : {Engine::rails, Engine::levels}) {
        EXPECT_EQ(conflict(engine, "numa=skip"),
                  "'numa=skip' needs the engine 'tree' or 'ring' (or 'auto'): the engine '" +
                      std::string(name_of(engine)) + "' uses all levels");
    }
    EXPECT_NE(conflict(Engine::automatic, "node=tuned,numa=skip").find("'numa=skip'"), std::string::npos);
    EXPECT_THROW(parse_level_methods("numa=skip:2"), std::invalid_argument);
    EXPECT_NE(methods_of(Collective::bcast).find("skip"), std::string::npos);
    EXPECT_EQ(planned(Engine::forward, "numa=skip").engine, Engine::forward);
}

TEST(ExcludedLevel, Rings) {
    const Hierarchy sites = sites_of_nodes(3, 3, 4);
    const Plan plan = make_plan(sites, LinkTable{}, overriding(Engine::ring, "switch0=skip"),
                                {Collective::allgather, mib, 0});
    EXPECT_EQ(plan.engine, Engine::ring);
    EXPECT_EQ(plan.skipped, std::vector{leaf_switch});
    EXPECT_EQ(plan.at(top_switch).method.algorithm, Algorithm::ring);
}

constexpr const char* rules_text = R"({"version": 1, "rules": [
  {"collective": "bcast", "engine": "tree", "levels": [
    {"level": "numa", "group": {"from": 2}, "algorithm": "skip"},
    {"level": "node", "algorithm": "linear"},
    {"level": "node", "algorithm": "skip"}]}]})";

TEST(ExcludedLevel, OfARuleIsReported) {
    const Rules rules = parse_rules(rules_text, "r.json");
    const Operation operation{Collective::bcast, 64, 0};
    const auto fitting = rules_for(rules, Collective::bcast, 64);
    const auto plan_below = [&](const char* parameters) {
        const Overrides stronger = overriding(Engine::automatic, parameters);
        return make_plan(deep(), LinkTable{}, resolve(stronger, fitting, deep(), operation).overrides,
                         operation);
    };
    const Plan plan = plan_below("package=linear");
    EXPECT_EQ(plan.skipped, std::vector{numa_level});
    EXPECT_EQ(plan.skipped_sources, (std::vector{Source{Origin::rules_file, 3}}));
    EXPECT_NE(sources_text(plan, Collective::bcast, "r.json").find("skip of numa from r.json:3"),
              std::string::npos);
    PlanListing listing{64, "r.json", 0, 0, {}, {{Collective::bcast, 64, 64, 0, plan, 0, 0, {}, {plan}}}};
    const std::string text = listing_text(listing);
    EXPECT_NE(text.find("; skips numa"), std::string::npos) << text;
    EXPECT_NE(text.find("skip of numa from r.json:3"), std::string::npos) << text;
    const std::string json = plans_json(listing);
    for (const char* part :
         {R"("skipped":[{"level":"numa","from":{"origin":"rules_file","file":"r.json","line":3}}])",
          R"("skipped":[{"level":"numa"}])", "numa=skip\""}) {
        EXPECT_NE(json.find(part), std::string::npos) << part << json;
    }
    EXPECT_TRUE(plan_below("package=linear,numa=linear").skipped.empty()) << "a parameter outranks it";
    EXPECT_THROW(parse_rules(R"({"version": 1, "rules": [{"collective": "bcast", "engine": "rails",
                             "levels": [{"algorithm": "skip"}]}]})",
                             "r.json"),
                 strata::topology::FileError);
}

TEST(ExcludedLevel, OfAnInfoKeyOrParameterOutranksARule) {
    Overrides stronger = overriding(Engine::automatic, "numa=skip");
    const Overrides weaker = overriding(Engine::rails, "numa=linear,package=skip");
    const Overrides merged = merge(stronger, weaker, Collective::bcast);
    EXPECT_EQ(merged.engine, Engine::automatic) << "rails would use all levels";
    EXPECT_EQ(planned(merged, {Collective::bcast, 64, 0}).engine_source, Source{});
    EXPECT_EQ(merged.methods.size(), 3U);
}

}  // namespace
}  // namespace excluded_levels_test
