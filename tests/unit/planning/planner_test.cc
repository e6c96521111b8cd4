// Operations that share a plan, and the effect of parameters, rules and earlier failures.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/openmpi_cost/forward_cost.h"
#include "algorithms/planning/make_plan.h"
#include "algorithms/planning/planner.h"
#include "plans.h"

namespace planner_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;

Operation operation_of(Collective collective, std::size_t bytes, int root = 0) {
    Operation operation;
    operation.collective = collective;
    operation.bytes = bytes;
    operation.root = root;
    return operation;
}

PlanSettings with_rules(const std::string& list) {
    PlanSettings settings;
    settings.rules_file = "r.json";
    settings.rules = parse_rules("{\"version\": 1, \"rules\": [\n" + list + "]}", "r.json");
    return settings;
}

class PlannerTest : public ::testing::Test {
protected:
    Planner planner(bool keep_levels = false) const { return {hierarchy, settings, keep_levels}; }

    Hierarchy hierarchy = sites_of_nodes(2, 2, 4);
    PlanSettings settings;
};

using PlanClasses = PlannerTest;

TEST_F(PlanClasses, PowersOfTwoStandForThemselves) {
    const Planner all = planner();
    for (std::size_t bytes = 1; bytes != 0; bytes <<= 1U) {
        EXPECT_EQ(all.class_of(operation_of(Collective::bcast, bytes)).representative.bytes, bytes);
    }
}

TEST_F(PlanClasses, AreFourPerPowerOfTwoAndPlannedForTheirSmallestSize) {
    const Planner all = planner();
    std::set<std::uint64_t> keys;
    for (std::size_t bytes = 4096; bytes < 8192; ++bytes) {
        const PlanClass found = all.class_of(operation_of(Collective::bcast, bytes));
        EXPECT_EQ(found.representative.bytes, bytes / 1024 * 1024);
        keys.insert(found.key);
    }
    EXPECT_EQ(keys.size(), 4U);
}

TEST_F(PlanClasses, EndWhereRulesBeginToHold) {
    settings = with_rules(R"({"bytes": {"from": 5000, "below": 5100}, "engine": "forward"})");
    const Planner all = planner();
    const auto class_of = [&](std::size_t bytes) {
        return all.class_of(operation_of(Collective::bcast, bytes));
    };
    EXPECT_EQ(class_of(4999).representative.bytes, 4096U);
    EXPECT_EQ(class_of(5000).representative.bytes, 5000U);
    EXPECT_EQ(class_of(5099).key, class_of(5000).key);
    EXPECT_EQ(class_of(5100).representative.bytes, 5100U);
    EXPECT_EQ(class_of(5120).key, class_of(5121).key);
    EXPECT_EQ(class_of(5121).representative.bytes, 5120U);
}

TEST_F(PlanClasses, AreOfOneCollectiveOrderAndWayOfCarryingOut) {
    const Planner all = planner();
    std::set<std::uint64_t> keys;
    for (int op = 0; op < collective_count; ++op) {
        for (const bool rank_order : {false, true}) {
            Operation operation = operation_of(static_cast<Collective>(op), 1024);
            operation.rank_order = rank_order;
            for (const ByLevels by_levels : {ByLevels::maybe, ByLevels::never, ByLevels::given_up}) {
                keys.insert(all.class_of(operation, by_levels).key);
            }
        }
    }
    EXPECT_EQ(keys.size(), 6U * collective_count);
}

TEST_F(PlanClasses, KeepRootsApartWhereThereAreFew) {
    for (const int ranks : {8, Planner::most_roots_apart}) {
        hierarchy = sites_of_nodes(2, 2, ranks / 4);
        const Planner all = planner();
        for (int root = 0; root < ranks; ++root) {
            const PlanClass found = all.class_of(operation_of(Collective::reduce, 8, root));
            EXPECT_EQ(found.representative.root, root);
            EXPECT_TRUE(found.representative.other_roots.empty());
        }
    }
}

TEST_F(PlanClasses, HaveTheRootsOfEqualSitesInCommonWhereThereAreMany) {
    hierarchy = sites_of_nodes(4, 4, 16);
    const Planner all = planner();
    for (int root = 0; root < hierarchy.ranks(); ++root) {
        const int expected = root == 0 ? 0 : root < 64 ? 1 : 64;
        const PlanClass found = all.class_of(operation_of(Collective::reduce, 8, root));
        EXPECT_EQ(found.representative.root, expected);
        EXPECT_EQ(all.root_class(Collective::reduce, root), expected);
        EXPECT_EQ(found.key, all.class_of(operation_of(Collective::reduce, 8, expected)).key);
    }
}

TEST_F(PlanClasses, KeepTheRootsOfUnequalSitesApart) {
    // Sites of 3 x 16, 2 x 24, 3 x 16 and 3 x 16 ranks.
    std::vector<int> node = blocks(192, 16);
    for (int rank = 48; rank < 96; ++rank) node[static_cast<std::size_t>(rank)] = rank < 72 ? 3 : 4;
    hierarchy = make_hierarchy(top_switch, {{leaf_switch, blocks(192, 48)}, {node_level, node}}, 192);
    const Planner all = planner();
    for (int root = 1; root < hierarchy.ranks(); ++root) {
        EXPECT_EQ(all.root_class(Collective::bcast, root), root < 48 ? 1 : root < 96 ? 48 : 96);
    }
}

TEST_F(PlanClasses, KeepTheRootsOfUnequalNodesApartWhereThereAreNotMany) {
    // Three sites of nodes with 4, 8 and 4 ranks.
    std::vector<int> node(48);
    for (std::size_t rank = 0; rank < node.size(); ++rank) {
        const int place = static_cast<int>(rank) % 16;
        node[rank] = static_cast<int>(rank) / 16 * 3 + (place < 4 ? 0 : place < 12 ? 1 : 2);
    }
    hierarchy = make_hierarchy(top_switch, {{leaf_switch, blocks(48, 16)}, {node_level, node}}, 48);
    const Planner all = planner();
    const auto classes = [&](int first, int last) {
        std::vector<int> found;
        for (int root = first; root < last; ++root) found.push_back(all.root_class(Collective::bcast, root));
        return std::set<int>(found.begin(), found.end());
    };
    EXPECT_EQ(classes(1, 4), (std::set<int>{1}));
    EXPECT_EQ(classes(4, 12), (std::set<int>{4}));
    EXPECT_EQ(classes(12, 16), (std::set<int>{1}));
    EXPECT_EQ(classes(16, 48), (std::set<int>{16, 20}));
    EXPECT_EQ(all.root_class(Collective::bcast, 36), 20);
}

TEST_F(PlanClasses, AreThoseOfALeaderIfOneIsAmongTheRoots) {
    hierarchy = nodes_below_switch(3, 40);
    hierarchy.groups[2].leader = 57;
    EXPECT_EQ(planner().root_class(Collective::bcast, 41), 57);
    EXPECT_EQ(planner().root_class(Collective::bcast, 3), 1);
}

TEST_F(PlanClasses, OfCollectivesWithoutARootAreOfTheTreesRoot) {
    hierarchy = nodes_below_switch(3, 40);
    hierarchy.groups[0].leader = 90;
    const Planner all = planner();
    EXPECT_EQ(all.class_of(operation_of(Collective::barrier, 0, 90)).representative.root, 90);
    EXPECT_EQ(all.class_of(operation_of(Collective::bcast, 8, 90)).representative.root, 40);
}

TEST_F(PlanClasses, AreFewForAllRootsOfARegularMachine) {
    constexpr int nodes = 64;
    constexpr int per_node = 16;
    for (Hierarchy& machine : std::vector{dealt_out(1, nodes, per_node), sites_of_nodes(8, 8, per_node)}) {
        hierarchy = std::move(machine);
        for (int rank = 0; rank < hierarchy.ranks();
             ++rank) {  // half of each node's ranks are far from the NIC
            const Group& node = hierarchy.groups[hierarchy.stop[rank]];
            const bool near = std::ranges::find(node.members, rank) - node.members.begin() < per_node / 2;
            hierarchy.receivers.push_back(near ? rank : node.leader);
        }
        const Planner all = planner();
        for (const Collective op : {Collective::bcast, Collective::reduce, Collective::gather}) {
            std::set<std::uint64_t> keys;
            for (int root = 0; root < hierarchy.ranks(); ++root) {
                keys.insert(all.class_of(operation_of(op, 65536, root)).key);
            }
            EXPECT_EQ(keys.size(), traits_of(op).up ? 5U : 3U);
        }
    }
}

TEST_F(PlanClasses, PartRootsThatAnotherRankReceivesFor) {
    hierarchy = sites_of_nodes(2, 4, 16);
    for (int rank = 0; rank < hierarchy.ranks(); ++rank) {
        hierarchy.receivers.push_back(rank % 16 == 1 ? rank - 1 : rank);
    }
    const Planner all = planner();
    for (int root = 1; root < hierarchy.ranks(); ++root) {
        const bool near = hierarchy.receiver_of(root) == root;
        EXPECT_EQ(all.root_class(Collective::bcast, root), root < 64 ? 2 : 64);
        EXPECT_EQ(all.root_class(Collective::gather, root),
                  near ? (root < 64 ? 2 : 64) : (root < 64 ? 1 : 65));
    }
    settings.links.set_some({LevelKind::cluster, std::nullopt}, {.far_send_share = 0.5});
    settings.links.set_some({LevelKind::switch_, std::nullopt}, {.far_send_share = 0.5});
    const Planner senders = planner();
    EXPECT_EQ(senders.root_class(Collective::bcast, 17), 1) << "another rank sends for it";
    EXPECT_EQ(senders.root_class(Collective::scatter, 17), 2);
}

TEST_F(PlanClasses, NameSomeOfTheirOtherRoots) {
    hierarchy = nodes_below_switch(3, 40);
    const Planner all = planner();
    const auto others = [&](Collective op, int root) {
        const auto found = all.class_of(operation_of(op, 8, root)).representative.other_roots;
        return std::vector<int>(found.begin(), found.end());
    };
    EXPECT_TRUE(others(Collective::bcast, 0).empty());
    EXPECT_EQ(others(Collective::bcast, 3), (std::vector<int>{13, 26, 39}));
    EXPECT_EQ(others(Collective::gather, 79), (std::vector<int>{66, 92, 119}));
}

using PlannerReports = PlannerTest;

TEST_F(PlannerReports, WhatTheModelSaysWithoutWishes) {
    settings.links = two_sites(1000);
    const Planner all = planner();
    for (const std::size_t bytes : {8U, 65536U, 1048576U}) {
        const Operation operation = operation_of(Collective::allreduce, bytes);
        EXPECT_TRUE(same(all.make_plan(operation), make_plan(hierarchy, settings.links, {}, operation)));
    }
    EXPECT_TRUE(all.is_open(Collective::allreduce));
    EXPECT_FALSE(settings.may_want(Engine::tree, hierarchy.ranks()));
}

/// A binomial tree over the ranks of two sites crosses the long link once on every path from rank 0, and
/// twice on some paths from the last one.
TEST_F(PlannerReports, WhatForwardTakesFromThisVeryRoot) {
    settings.links = two_sites(2000);
    const Planner all = planner();
    const auto plan_for = [&](int root) {
        return all.make_plan(all.class_of(operation_of(Collective::bcast, 128, root)).representative);
    };
    EXPECT_EQ(plan_for(0).engine, Engine::forward);
    EXPECT_EQ(plan_for(15).engine, Engine::tree);
    EXPECT_GT(plan_for(15).forward_us, 1.5 * plan_for(0).forward_us);
}

TEST_F(PlannerReports, WhatForwardTakesInTheMeanOverAClass) {
    hierarchy = sites_of_nodes(2, 4, 16);
    settings.links = two_sites(2000);
    const Planner all = planner();
    const PlanClass found = all.class_of(operation_of(Collective::bcast, 128, 127));
    double sum = 0;
    for (const int root : {64, 85, 106, 127}) {
        sum += forward_cost_us(hierarchy, settings.links, operation_of(Collective::bcast, 128, root));
    }
    EXPECT_DOUBLE_EQ(all.make_plan(found.representative).forward_us, sum / 4);
    EXPECT_NE(sum / 4, forward_cost_us(hierarchy, settings.links, operation_of(Collective::bcast, 128, 64)));
}

TEST_F(PlannerReports, WhatParametersAndRulesSay) {
    settings = with_rules(R"({"collective": "bcast", "engine": "forward"})");
    settings.overrides[static_cast<std::size_t>(Collective::reduce)] = overriding(Engine::tree);
    const Planner all = planner();
    EXPECT_EQ(all.make_plan(operation_of(Collective::bcast, 1 << 20)).engine, Engine::forward);
    EXPECT_EQ(all.make_plan(operation_of(Collective::reduce, 8)).engine, Engine::tree);
    EXPECT_FALSE(all.is_open(Collective::bcast));
    EXPECT_FALSE(all.is_open(Collective::reduce));
    EXPECT_TRUE(all.is_open(Collective::barrier));
    EXPECT_TRUE(settings.may_want(Engine::tree, hierarchy.ranks()));
    EXPECT_TRUE(settings.may_want(Engine::forward, hierarchy.ranks()));
    EXPECT_FALSE(settings.may_want(Engine::rails, hierarchy.ranks()));
}

TEST_F(PlannerReports, WhetherComponentsAreAskedFor) {
    const int ranks = hierarchy.ranks();
    EXPECT_FALSE(settings.may_want_components(ranks));
    EXPECT_FALSE(with_rules(R"({"levels": [{"algorithm": "binary"}]})").may_want_components(ranks));
    EXPECT_TRUE(with_rules(R"({"levels": [{"algorithm": "tuned"}]})").may_want_components(ranks));
    EXPECT_TRUE(with_rules(R"({"engine": "levels"})").may_want_components(ranks));
    EXPECT_FALSE(with_rules(R"({"ranks": {"below": 4}, "engine": "levels"})").may_want_components(ranks));
    settings.overrides[0] = overriding(Engine::automatic);
    settings.overrides[0].methods.push_back({{}, {Algorithm::component, 0, "sm"}, {}});
    EXPECT_TRUE(settings.may_want_components(ranks));
}

TEST_F(PlannerReports, WhyARuleIsIgnored) {
    settings = with_rules(R"({"collective": "bcast", "engine": "levels"})");
    settings.overrides[0] = overriding(Engine::automatic);
    settings.rules = parse_rules(R"({"version": 1, "rules": [
        {"collective": "bcast", "engine": "tree"},
        {"collective": "bcast", "levels": [{"level": "node", "algorithm": "tuned"}]}]})",
                                 "r.json");
    const Plan plan = planner().make_plan(operation_of(Collective::bcast, 1 << 20));
    EXPECT_EQ(plan.engine, Engine::tree);
    EXPECT_NE(plan.reason.find("; ignored r.json:3"), std::string::npos) << plan.reason;
}

TEST_F(PlannerReports, NothingByLevelsOnceTheyWereGivenUp) {
    settings = with_rules(R"({"levels": [{"algorithm": "tuned"}]})");
    const Planner all = planner();
    const Operation operation = operation_of(Collective::bcast, 1 << 20);
    EXPECT_EQ(all.make_plan(operation).engine, Engine::levels);
    EXPECT_EQ(all.make_plan(operation, ByLevels::never).engine, Engine::tree);
    EXPECT_NE(all.make_plan(operation, ByLevels::given_up).engine, Engine::levels);
}

/// For blocks this word names components, for vectors a shape of the plugin.
TEST_F(PlannerReports, NoSplitTreeOfBlocksOnceLevelsWereGivenUp) {
    for (const Collective collective : {Collective::allgather, Collective::bcast}) {
        settings.overrides[static_cast<std::size_t>(collective)].methods =
            parse_level_methods("node=split_binary");
    }
    const Planner all = planner();
    const Operation blocks = operation_of(Collective::allgather, 1 << 20);
    EXPECT_EQ(all.make_plan(blocks).engine, Engine::levels);
    EXPECT_EQ(all.make_plan(blocks, ByLevels::never).engine, Engine::tree);
    EXPECT_NE(all.make_plan(blocks, ByLevels::given_up).engine, Engine::levels);
    const Operation vectors = operation_of(Collective::bcast, 1 << 20);
    EXPECT_TRUE(has_double_tree(all.make_plan(vectors)));
    EXPECT_TRUE(has_double_tree(all.make_plan(vectors, ByLevels::never)));
}

TEST_F(PlannerReports, SkipsNoLevelThatTheUserHasListed) {
    hierarchy = make_hierarchy(leaf_switch, {{node_level, blocks(16, 8)}, {numa_level, blocks(16, 2)}}, 16);
    for (const LevelKind kind : {LevelKind::node, LevelKind::numa}) {
        settings.links.set({kind, std::nullopt},
                           {50, 0.5, 5000, 1024 * mib});  // a hop costs far more than messages
    }
    const Operation operation = operation_of(Collective::bcast, 64);
    settings.overrides[static_cast<std::size_t>(Collective::bcast)] = overriding(Engine::tree);
    EXPECT_FALSE(planner(false).make_plan(operation).skipped.empty());
    EXPECT_TRUE(planner(true).make_plan(operation).skipped.empty());
}

}  // namespace
}  // namespace planner_test
