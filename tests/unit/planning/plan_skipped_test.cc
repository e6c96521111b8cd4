// Plans that skip levels, and their predicted times.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <limits>

#include "algorithms/cost/model.h"
#include "algorithms/cost/symmetry_reduction.h"
#include "algorithms/planning/level_search.h"
#include "algorithms/planning/make_plan.h"
#include "plans.h"

namespace plan_skipped_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;

constexpr LevelKey package_level{LevelKind::package, 0};
constexpr LevelKey l3_level{LevelKind::l3, 0};

/// Consecutive ranks: the children of one group of every level, and the ranks of a lowest one.
Hierarchy machine(const std::vector<std::pair<LevelKey, int>>& counts) {
    int ranks = 1;
    for (const auto& [level, count] : counts) ranks *= count;
    std::vector<std::pair<LevelKey, std::vector<int>>> levels;
    int size = ranks;
    for (std::size_t i = 0; i + 1 < counts.size(); ++i) {
        size /= counts[i].second;
        levels.emplace_back(counts[i + 1].first, blocks(ranks, size));
    }
    return make_hierarchy(counts.front().first, levels, ranks);
}

Hierarchy two_nodes() {
    return machine({{leaf_switch, 2}, {node_level, 2}, {package_level, 2}, {numa_level, 2}});
}

Hierarchy servers(int nodes) {
    return machine(
        {{leaf_switch, nodes}, {node_level, 2}, {package_level, 4}, {numa_level, 4}, {l3_level, 2}});
}

/// Inside nodes one hop costs far more than the messages of a longer row.
LinkTable slow_hops() {
    LinkTable links;
    for (const LevelKind kind : {LevelKind::node, LevelKind::package, LevelKind::numa}) {
        links.set({kind, std::nullopt}, {50, 0.5, 5000, 1024 * mib});
    }
    return links;
}

/// All levels of a node like the node, with room for all transfers at once.
LinkTable alike() {
    LinkTable links;
    for (const LevelKind kind : {LevelKind::node, LevelKind::package, LevelKind::numa, LevelKind::l3}) {
        links.set({kind, std::nullopt}, {2, 1, 100, 1024 * mib, 1e15});
    }
    return links;
}

Overrides keeping(Overrides overrides) {
    overrides.keep_levels = true;
    return overrides;
}

Operation of(Collective collective, std::size_t bytes, const Hierarchy& hierarchy, int root = 0) {
    const CollectiveTraits traits = traits_of(collective);
    if (!traits.sized || collective == Collective::barrier) return {collective, 0, root};
    return {collective, traits.blocks ? bytes * hierarchy.stop.size() : bytes, root};
}

constexpr Collective all_sized[] = {Collective::bcast,   Collective::reduce,    Collective::allreduce,
                                    Collective::barrier, Collective::allgather, Collective::gather,
                                    Collective::scatter};

TEST(PlanSkipped, OneHopInsteadOfThree) {
    const Hierarchy nodes = two_nodes();
    const Plan plan =
        make_plan(nodes, slow_hops(), overriding(Engine::tree), of(Collective::bcast, 8, nodes));
    EXPECT_EQ(plan.skipped, (std::vector<LevelKey>{package_level, numa_level}));
    ASSERT_EQ(plan.levels.size(), 2U);
    EXPECT_EQ(plan.at(node_level).method.algorithm, Algorithm::linear);
    EXPECT_THROW(plan.at(numa_level), std::out_of_range);
    const Plan all =
        make_plan(nodes, slow_hops(), keeping(overriding(Engine::tree)), of(Collective::bcast, 8, nodes));
    EXPECT_TRUE(all.skipped.empty());
    EXPECT_EQ(all.levels.size(), 4U);
    EXPECT_LT(plan.predicted_us, all.predicted_us - 90);
    // Eight in a row of 3.5 us at most, one hop of 51 us.
    EXPECT_LT(plan.predicted_us, 24 + 55);
}

/// Reduce-scatter + allgather among all ranks combines everywhere at once; with shared processors, or guessed
/// links inside nodes, the gain is unknown.
TEST(PlanSkipped, ReduceScatterAllgatherAmongAllRanks) {
    const Hierarchy nodes = nodes_below_switch(8, 8);
    LinkTable links;
    links.set({LevelKind::switch_, std::nullopt}, {3, 0.4, 1500, 4096});
    const Operation vector{Collective::allreduce, 32768, 0};
    EXPECT_TRUE(make_plan(nodes, links, {}, vector).skipped.empty());
    links.set({LevelKind::node, std::nullopt}, {0.5, 0.4, 3000, 4096});
    const Plan plan = make_plan(nodes, links, {}, vector);
    ASSERT_EQ(plan.engine, Engine::tree);
    EXPECT_EQ(plan.skipped, std::vector{node_level});
    EXPECT_EQ(plan.levels.front().method.algorithm, Algorithm::rabenseifner);
    EXPECT_DOUBLE_EQ(plan.predicted_us, tree_cost_us(nodes, links, plan, vector));
    Hierarchy oversubscribed = nodes;
    oversubscribed.oversubscription = 2;
    EXPECT_TRUE(make_plan(oversubscribed, links, {}, vector).skipped.empty());
    EXPECT_TRUE(
        make_plan(nodes, links, overriding(Engine::automatic, "node=linear"), vector).skipped.empty());
    for (bool Operation::*order : {&Operation::rank_order, &Operation::reproducible}) {
        Operation ordered = vector;
        ordered.*order = true;
        EXPECT_TRUE(make_plan(nodes, links, {}, ordered).skipped.empty());
    }
}

/// A leader sends everything twice, into its node and to the next leader; in a chain of all ranks no rank
/// does, and in two trees of all ranks, one for each half, each rank sends as much as in a chain.
TEST(PlanSkipped, AChainOrTwoTreesOfAllRanks) {
    Hierarchy nodes = nodes_below_switch(4, 8);
    // Another rank could receive for the root; in a chain the root's neighbour is on its node anyway.
    nodes.receivers.resize(32);
    std::iota(nodes.receivers.begin(), nodes.receivers.end(), 0);
    nodes.receivers[1] = 0;
    LinkTable links;
    links.set({LevelKind::switch_, std::nullopt}, {3, 0.4, 1500, 4096});
    links.set_some({LevelKind::switch_, std::nullopt}, {.far_share = 0.3});
    const auto plan = [&](Collective collective, std::size_t bytes) {
        return make_plan(nodes, links, {}, {collective, bytes, 1});
    };
    EXPECT_TRUE(plan(Collective::bcast, 16 * mib).skipped.empty());
    links.set({LevelKind::node, std::nullopt}, {0.5, 0.4, 1800, 4096});
    links.set_some({LevelKind::node, std::nullopt}, {.offloaded = true});
    for (const Collective collective : {Collective::bcast, Collective::reduce}) {
        const Plan chain = plan(collective, 16 * mib);
        ASSERT_EQ(chain.engine, Engine::tree) << chain.reason;
        EXPECT_EQ(chain.skipped, std::vector{node_level});
        EXPECT_EQ(chain.levels.front().method.algorithm, Algorithm::pipeline);
        EXPECT_GT(chain.levels.front().segment_bytes, 0U);
        EXPECT_FALSE(chain.nic_local);
        EXPECT_DOUBLE_EQ(chain.predicted_us, tree_cost_us(nodes, links, chain, {collective, 16 * mib, 1}));
        // Not many times as many segments as ranks: the chain would never be full.
        const Plan trees = plan(collective, 65536);
        EXPECT_EQ(trees.skipped, std::vector{node_level}) << trees.reason;
        EXPECT_EQ(trees.levels.front().method.algorithm, Algorithm::double_binary);
        EXPECT_TRUE(has_double_tree(trees));
        EXPECT_DOUBLE_EQ(trees.predicted_us, tree_cost_us(nodes, links, trees, {collective, 65536, 1}));
        EXPECT_TRUE(plan(collective, 8191).skipped.empty()) << "less than two short segments";
    }
}

/// Inside one node a ring also uses all inner levels, if processors do not copy.
TEST(PlanSkipped, ARingInsideANode) {
    const Hierarchy node = make_hierarchy(node_level, {{numa_level, blocks(32, 8)}}, 32);
    LinkTable links;
    links.set({LevelKind::node, std::nullopt}, {1, 0.2, 6000, 4096});
    links.set({LevelKind::numa, std::nullopt}, {0.25, 0.2, 5000, 4096});
    for (const LevelKind kind : {LevelKind::node, LevelKind::numa})
        links.set_some({kind, std::nullopt}, {.offloaded = true});
    const Plan plan = make_plan(node, links, {}, {Collective::allreduce, 16 * mib});
    EXPECT_EQ(plan.engine, Engine::ring) << plan.reason;
    EXPECT_EQ(plan.skipped, std::vector{numa_level});
}

/// No gain means no change, and a gain exceeds the model's error.
TEST(PlanSkipped, OnlyForAGain) {
    int skips = 0;
    int plans = 0;
    for (const Hierarchy& hierarchy : {two_nodes(), servers(1), servers(3), sites_of_nodes(2, 2, 6),
                                       machine({{node_level, 3}, {package_level, 3}, {numa_level, 5}})}) {
        for (const Collective collective : all_sized) {
            for (const std::size_t bytes : {std::size_t{8}, 4 * kib, 256 * kib}) {
                for (const int root : {0, 7}) {
                    for (const Engine engine : {Engine::automatic, Engine::tree}) {
                        const Operation operation = of(collective, bytes, hierarchy, root);
                        const Plan plan = make_plan(hierarchy, LinkTable{}, overriding(engine), operation);
                        const Plan all =
                            make_plan(hierarchy, LinkTable{}, keeping(overriding(engine)), operation);
                        ++plans;
                        if (plan.skipped.empty()) {
                            EXPECT_TRUE(same(plan, all));
                            continue;
                        }
                        ++skips;
                        EXPECT_NE(plan.engine, Engine::forward);
                        const bool inside = std::none_of(
                            plan.skipped.begin(), plan.skipped.end(),
                            [](LevelKey level) { return strata::topology::is_network(level.kind); });
                        if (inside && engine == Engine::tree) {
                            EXPECT_LE(plan.predicted_us, 0.95 * all.predicted_us);
                        }
                        std::vector<LevelKey> both = plan.skipped;
                        for (const LevelPlan& level : plan.levels) both.push_back(level.level);
                        std::vector<LevelKey> levels = hierarchy.levels();
                        std::sort(both.begin(), both.end());
                        std::sort(levels.begin(), levels.end());
                        EXPECT_EQ(both, levels);
                        EXPECT_EQ(plan.sources.size(), plan.levels.size());
                        // Only the robust choice over link scenarios skips switches.
                        EXPECT_TRUE(inside || engine == Engine::automatic);
                        EXPECT_EQ(
                            std::count(plan.skipped.begin(), plan.skipped.end(), hierarchy.levels().front()),
                            0);
                        EXPECT_DOUBLE_EQ(tree_cost_us(hierarchy, LinkTable{}, plan, operation),
                                         plan.predicted_us);
                    }
                }
            }
        }
    }
    EXPECT_GT(skips, plans / 20);
    EXPECT_LT(skips, plans * 3 / 4);
}

TEST(PlanSkipped, NoOrderFollowsFromIt) {
    const Hierarchy nodes = two_nodes();
    for (const Collective collective : {Collective::reduce, Collective::allreduce}) {
        Operation operation = of(collective, mib, nodes);
        const Overrides tree = overriding(Engine::tree);
        EXPECT_FALSE(make_plan(nodes, slow_hops(), tree, operation).skipped.empty());
        operation.rank_order = true;
        EXPECT_TRUE(make_plan(nodes, slow_hops(), tree, operation).skipped.empty());
        EXPECT_TRUE(make_plan(nodes, slow_hops(), {}, operation).skipped.empty());
        operation.rank_order = false;
        operation.reproducible = true;
        EXPECT_TRUE(make_plan(nodes, slow_hops(), tree, operation).skipped.empty());
        EXPECT_TRUE(make_plan(nodes, slow_hops(), {}, operation).skipped.empty());
    }
}

TEST(PlanSkipped, WhatTheUserNamesStays) {
    const Hierarchy nodes = two_nodes();
    const Operation operation = of(Collective::bcast, 8, nodes);
    const auto skipped = [&](const char* methods, const char* sizes) {
        return make_plan(nodes, slow_hops(), overriding(Engine::tree, methods, sizes), operation).skipped;
    };
    EXPECT_EQ(skipped("package=linear", ""), (std::vector<LevelKey>{numa_level}));
    EXPECT_EQ(skipped("", "numa=4k"), (std::vector<LevelKey>{package_level}));
    EXPECT_EQ(skipped("numa=linear", "package=0"), std::vector<LevelKey>{});
    EXPECT_EQ(skipped("numa=auto", "0").size(), 2U) << "neither fixes a level";
    Hierarchy custom = two_nodes();
    for (Group& group : custom.groups) {
        if (group.level != numa_level) continue;
        group.level = {LevelKind::custom, 0};
        group.around = numa_level;
    }
    EXPECT_EQ(make_plan(custom, slow_hops(), overriding(Engine::tree), operation).skipped,
              (std::vector<LevelKey>{package_level}));
}

TEST(PlanSkipped, OnlyTreesAndRingsOfOurOwnChoice) {
    const Hierarchy nodes = two_nodes();
    for (const Engine engine : {Engine::levels, Engine::rails, Engine::ring, Engine::forward}) {
        Operation operation = of(Collective::allreduce, 64 * kib, nodes);
        operation.rails = 2;
        const Plan plan = make_plan(nodes, slow_hops(), overriding(engine), operation);
        EXPECT_TRUE(plan.skipped.empty());
        EXPECT_EQ(plan.levels.size(), 4U);
    }
    const Plan delegated = make_plan(nodes, slow_hops(), overriding(Engine::automatic, "node=sm"),
                                     of(Collective::bcast, 8, nodes));
    EXPECT_EQ(delegated.engine, Engine::levels);
    EXPECT_TRUE(delegated.skipped.empty());
}

TEST(PlanSkipped, SwitchesOnlyTogetherAndNeverTheTopmost) {
    const Hierarchy sites = sites_of_nodes(3, 3, 2);
    EXPECT_TRUE(skippable_levels(sites, {}).empty());
    EXPECT_EQ(skippable_levels(two_nodes(), {}), (std::vector<LevelKey>{package_level, numa_level}));
    EXPECT_TRUE(skippable_levels(one_node(4), {}).empty());
    EXPECT_EQ(skippable_network(sites, {}), std::vector{leaf_switch});
    EXPECT_TRUE(skippable_network(two_nodes(), {}).empty());
    EXPECT_TRUE(skippable_network(one_node(4), {}).empty());
    EXPECT_TRUE(skippable_network(sites, keeping({})).empty());
    EXPECT_TRUE(skippable_network(sites, overriding(Engine::automatic, "switch0=linear")).empty());
    // A tree that the user requests has all switches.
    const Operation barrier = of(Collective::barrier, 0, sites);
    EXPECT_TRUE(make_plan(sites, LinkTable{}, overriding(Engine::tree), barrier).skipped.empty());
}

/// A hierarchy without the levels that resemble the node, and without contention, is one flat node.
TEST(SkippedCost, LevelsThatAreAlikeCostNothing) {
    const Hierarchy whole = machine({{node_level, 2}, {package_level, 2}, {numa_level, 4}, {l3_level, 2}});
    const Hierarchy flat = one_node(whole.ranks());
    for (const Collective collective : all_sized) {
        for (const std::size_t bytes : {std::size_t{8}, 40 * kib}) {
            for (const Algorithm algorithm :
                 {Algorithm::linear, Algorithm::pipeline, Algorithm::binary, Algorithm::binomial}) {
                for (const std::size_t segment : {std::size_t{0}, 4 * kib}) {
                    const Operation operation = of(collective, bytes, whole, 5);
                    Plan plan = uniform(flat, algorithm, segment);
                    const double us = tree_cost_us(flat, alike(), plan, operation);
                    plan.skipped = {package_level, numa_level, l3_level};
                    EXPECT_NEAR(tree_cost_us(whole, alike(), plan, operation), us, 1e-9 * us)
                        << name_of(collective) << ' ' << bytes << ' ' << static_cast<int>(algorithm);
                }
            }
        }
    }
}

/// Two packages of two: the root sends to one neighbour at 1 us + 10 us and to two ranks of the other
/// package, whose connection carries one message at a time.
TEST(SkippedCost, MessagesMeetWhereTheirEndsDo) {
    LinkTable links;
    links.set({LevelKind::node, std::nullopt}, {100, 2, 10, 1024 * mib, 1});
    links.set({LevelKind::package, std::nullopt}, {10, 1, 100, 1024 * mib, 1});
    const Hierarchy hierarchy = make_hierarchy(node_level, {{package_level, blocks(4, 2)}}, 4);
    Plan plan = uniform(one_node(4), Algorithm::linear, 0);
    plan.skipped = {package_level};
    // To rank 1: 1 + 10 + 10 + 1 = 22. To rank 2: the processor is free at 11; 11 + 2 + 100 + 100 + 2. To
    // rank 3: it is free at 113, and so is the connection; 113 + 2 + 100 + 100 + 2.
    EXPECT_NEAR(tree_cost_us(hierarchy, links, plan, {Collective::bcast, 1000, 0}), 317, 0.01);
    // A chain crosses once.
    plan.levels.front().method = {Algorithm::pipeline, 0, {}};
    EXPECT_NEAR(tree_cost_us(hierarchy, links, plan, {Collective::bcast, 1000, 0}), 22 + 204 + 22, 0.01);
    // A processor without time per byte: the connection makes rank 3 wait.
    links.set({LevelKind::node, std::nullopt}, {100, 2, 1e6, 1024 * mib, 1e-5});
    plan.levels.front().method = {Algorithm::linear, 0, {}};
    const double one = 11 + 2 + 100 + 100 + 2;
    EXPECT_NEAR(tree_cost_us(hierarchy, links, plan, {Collective::bcast, 1000, 0}), one + 100, 0.1);
}

TEST(ReduceToFewNodes, AFewOfTheNodesWithAllThatIsInThem) {
    const Hierarchy whole = machine({{top_switch, 4}, {leaf_switch, 5}, {node_level, 2}, {numa_level, 3}});
    for (const int root : {0, 7, 119}) {
        const ReducedMachine few = reduce_to_few_nodes(whole, root);
        EXPECT_EQ(validate(few.hierarchy), "");
        EXPECT_EQ(few.hierarchy.ranks(), 2 * 2 * 6);
        EXPECT_EQ(few.hierarchy.levels(), whole.levels());
        EXPECT_EQ(few.hierarchy.groups[few.hierarchy.stop[few.root]].members.size(), 3U);
    }
    // Unequal nodes, and ranks between them: the root's and the largest other one.
    std::vector<int> node(20, 0);
    for (int rank = 0; rank < 20; ++rank) node[rank] = rank < 2 ? 0 : rank < 5 ? 1 : rank < 12 ? 2 : -1;
    const Hierarchy unequal = make_hierarchy(leaf_switch, {{node_level, node}}, 20);
    for (const auto& [root, ranks, number] : {std::tuple(1, 9, 1), {3, 10, 1}, {7, 10, 5}, {15, 8, 7}}) {
        const ReducedMachine few = reduce_to_few_nodes(unequal, root);
        EXPECT_EQ(validate(few.hierarchy), "");
        EXPECT_EQ(few.hierarchy.ranks(), ranks) << root;
        EXPECT_EQ(few.root, number);
    }
    EXPECT_EQ(reduce_to_few_nodes(one_node(6), 4).hierarchy.ranks(), 6);
    const Hierarchy apart = make_hierarchy(leaf_switch, {{node_level, {0, 0, -1, -1, -1}}}, 5);
    for (int root = 0; root < 5; ++root) EXPECT_EQ(validate(reduce_to_few_nodes(apart, root).hierarchy), "");
    EXPECT_EQ(reduce_to_few_nodes(apart, 0).hierarchy.ranks(), 3);
}

/// Sites behind a relay of 2 ms and 200 Mbit/s, and behind a WAN: where latency is high, the level is flat.
TEST(PlanLatency, FlatOverSlowLinks) {
    for (const double latency_us : {2000.0, 50000.0}) {
        for (const int sites : {3, 8, 20}) {
            const Hierarchy hierarchy = sites_of_nodes(sites, 2, 2);
            for (const Collective collective : {Collective::bcast, Collective::reduce, Collective::gather}) {
                for (const std::size_t bytes : {std::size_t{8}, 2 * kib}) {
                    const Plan plan = make_plan(hierarchy, two_sites(latency_us), overriding(Engine::tree),
                                                of(collective, bytes, hierarchy, 3));
                    EXPECT_EQ(plan.at(top_switch).method.algorithm, Algorithm::linear)
                        << name_of(collective) << ' ' << latency_us << ' ' << sites;
                    const Operation operation = of(collective, bytes, hierarchy, 3);
                    const double wire_us = static_cast<double>(operation.bytes) / 25;
                    EXPECT_LT(plan.predicted_us, 1.6 * latency_us + 1000 + wire_us);
                }
            }
        }
    }
}

/// Very many behind slow links: as few hops as their number allows.
TEST(PlanLatency, TwoHopsToThousands) {
    LinkTable links;
    links.set({LevelKind::switch_, 0}, {200, 4, 1000, 0});
    const auto chosen = [&](int nodes) {
        const Hierarchy hierarchy = nodes_below_switch(nodes, 2);
        return make_plan(hierarchy, links, overriding(Engine::tree, "", "0"), {Collective::bcast, 8, 0});
    };
    EXPECT_EQ(chosen(16).at(leaf_switch).method.algorithm, Algorithm::linear);
    const Plan plan = chosen(1024);
    EXPECT_EQ(plan.at(leaf_switch).method, (LevelMethod{Algorithm::knomial, 32, {}}));
    EXPECT_LT(plan.predicted_us, 2 * 208 + 62 * 4 + 20);
}

}  // namespace
}  // namespace plan_skipped_test
