// The tables of names, and the link parameters.
#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <string>

#include "algorithms/base/algorithm.h"
#include "algorithms/base/collective.h"
#include "algorithms/base/level_tasks.h"
#include "algorithms/base/link.h"
#include "algorithms/base/plan.h"
#include "make_hierarchy.h"

namespace tables_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;

TEST(AlgorithmTable, EveryNameFindsItsOwnEntry) {
    std::set<std::string_view> names;
    for (const AlgorithmInfo& entry : all_algorithms()) {
        EXPECT_EQ(algorithm_from_name(entry.name), entry.id);
        EXPECT_EQ(info(entry.id).name, entry.name);
        EXPECT_NE(known_algorithm_names().find(entry.name), std::string::npos);
        EXPECT_TRUE(names.insert(entry.name).second) << entry.name;
    }
    EXPECT_EQ(info(Algorithm::component).name, "component");
}

TEST(AlgorithmTable, UnknownNamesAreRefused) {
    for (const char* name : {"", "knomail", "Binomial", "component", "binomial "}) {
        EXPECT_FALSE(algorithm_from_name(name)) << name;
    }
}

TEST(AlgorithmTable, OnlyShapesWithOneParentPerRankSuitTheTreeEngine) {
    for (const Algorithm id : {Algorithm::linear, Algorithm::chain, Algorithm::pipeline, Algorithm::binary,
                               Algorithm::binomial, Algorithm::knomial, Algorithm::in_order_binary,
                               Algorithm::split_binary, Algorithm::double_binary}) {
        EXPECT_TRUE(info(id).tree_shape) << info(id).name;
    }
    for (const Algorithm id :
         {Algorithm::automatic, Algorithm::scatter_allgather, Algorithm::scatter_allgather_ring,
          Algorithm::recursive_doubling, Algorithm::rabenseifner, Algorithm::ring, Algorithm::component}) {
        EXPECT_FALSE(info(id).tree_shape) << info(id).name;
    }
}

/// One tree for each half of a vector; Open MPI has no algorithm of the second name.
TEST(AlgorithmTable, TwoShapesAreDoubleTrees) {
    for (const AlgorithmInfo& entry : all_algorithms()) {
        const bool double_tree = entry.id == Algorithm::split_binary || entry.id == Algorithm::double_binary;
        EXPECT_EQ(entry.double_tree, double_tree) << entry.name;
        EXPECT_TRUE(entry.tree_shape || !entry.double_tree) << entry.name;
    }
    for (int op = 0; op < collective_count; ++op) {
        const CollectiveTasks& tasks = traits_of(static_cast<Collective>(op)).tasks;
        EXPECT_FALSE(info(Algorithm::double_binary).tasks.meets(tasks.topmost) ||
                     info(Algorithm::double_binary).tasks.meets(tasks.below));
    }
}

TEST(AlgorithmTable, OnlyTheBinaryTreesShuffleTheRanks) {
    for (const AlgorithmInfo& entry : all_algorithms()) {
        if (!entry.tree_shape) continue;
        EXPECT_EQ(entry.keeps_rank_order, entry.id != Algorithm::binary && !entry.double_tree) << entry.name;
    }
}

TEST(CollectiveTable, TraitsFitTogether) {
    for (int op = 0; op < collective_count; ++op) {
        const auto collective = static_cast<Collective>(op);
        const CollectiveTraits traits = traits_of(collective);
        EXPECT_TRUE(traits.up || traits.down) << name_of(collective) << " is missing";
        EXPECT_EQ(traits.rooted, !(traits.up && traits.down)) << name_of(collective);
        EXPECT_TRUE(traits.up || !traits.combines) << name_of(collective);
        EXPECT_TRUE(!traits.blocks || !traits.combines) << name_of(collective);
        EXPECT_TRUE(!traits.exchanges || !traits.rooted) << name_of(collective);
        EXPECT_TRUE(traits.sized || (traits.blocks && traits.rooted)) << name_of(collective);
    }
    EXPECT_EQ(name_of(Collective::allgatherv), "allgatherv");
}

TEST(EngineTable, NamesGoBothWays) {
    for (const Engine engine : all_engines()) {
        EXPECT_EQ(engine_from_name(name_of(engine)), engine);
    }
    EXPECT_EQ(engine_from_name("lanes"), Engine::rails);  // its former name
    EXPECT_FALSE(engine_from_name("rings"));
    EXPECT_FALSE(engine_from_name(""));
    EXPECT_EQ(known_engine_names(), "auto, tree, levels, ring, rails, node, forward");
}

TEST(PlanTest, AtFindsALevelOrThrows) {
    Plan plan;
    plan.levels.push_back({node_level, {Algorithm::binary, 0, {}}, 7});
    EXPECT_EQ(plan.at(node_level).segment_bytes, 7U);
    EXPECT_THROW(plan.at(leaf_switch), std::out_of_range);
}

TEST(LinkTableTest, WiderLevelsAreNeverFaster) {
    const LinkTable links;
    double latency = 0;
    double bandwidth = 1e9;
    for (const LevelKey level : {LevelKey{LevelKind::l3, 0}, numa_level, node_level, leaf_switch, top_switch,
                                 LevelKey{LevelKind::switch_, 2}}) {
        EXPECT_GE(links.at(level).latency_us, latency) << name_of(level);
        EXPECT_LE(links.at(level).bytes_per_us, bandwidth) << name_of(level);
        latency = links.at(level).latency_us;
        bandwidth = links.at(level).bytes_per_us;
    }
}

TEST(LinkTableTest, EveryKindHasUsableDefaults) {
    const LinkTable links;
    for (int kind = 0; kind < strata::topology::level_kind_count; ++kind) {
        const LinkParameters link = links.at({static_cast<LevelKind>(kind), 0});
        EXPECT_GT(link.latency_us, 0);
        EXPECT_GT(link.overhead_us, 0);
        EXPECT_GT(link.bytes_per_us, 0);
        EXPECT_EQ(link.eager_bytes, kind < static_cast<int>(LevelKind::node) ? 65536U : 4096U);
    }
}

TEST(LinkTableTest, EagerLimitsAreOverridden) {
    LinkTable links;
    links.set_eager_limits(12288, 32768);
    EXPECT_EQ(links.at(top_switch).eager_bytes, 12288U);
    EXPECT_EQ(links.at({LevelKind::cluster, 0}).eager_bytes, 12288U);
    EXPECT_EQ(links.at(node_level).eager_bytes, 32768U);
    EXPECT_EQ(links.at(numa_level).eager_bytes, 32768U);
    links.set_eager_limits(0, 0);
    EXPECT_EQ(links.at(top_switch).eager_bytes, 65536U);
    EXPECT_EQ(links.at(node_level).eager_bytes, 4096U);
}

TEST(LinkTableTest, TheLatestMatchingSettingHolds) {
    LinkTable links;
    links.set({LevelKind::switch_, std::nullopt}, {100, 2, 30, 0});
    EXPECT_EQ(links.at(leaf_switch).latency_us, 100);
    EXPECT_EQ(links.at(top_switch).latency_us, 100);
    EXPECT_EQ(links.at(top_switch).eager_bytes, 65536U) << "0 keeps the limit in force";
    links.set({LevelKind::switch_, 1}, {2000, 2, 25, 1024});
    EXPECT_EQ(links.at(top_switch).latency_us, 2000);
    EXPECT_EQ(links.at(leaf_switch).latency_us, 100);
    links.set_eager_limits(500, 0);
    EXPECT_EQ(links.at(top_switch).eager_bytes, 1024U);
    EXPECT_EQ(links.at(leaf_switch).eager_bytes, 500U);
}

TEST(LinkTableTest, SomeValuesLeaveTheOthers) {
    LinkTable links;
    const LinkParameters before = links.at(leaf_switch);
    links.set_some({LevelKind::switch_, std::nullopt}, {.latency_us = 100, .eager_bytes = 2048});
    links.set_some({LevelKind::switch_, 0}, {.latency_us = 200});
    EXPECT_EQ(links.at(top_switch).latency_us, 100);
    EXPECT_EQ(links.at(leaf_switch).latency_us, 200);
    EXPECT_EQ(links.at(leaf_switch).eager_bytes, 2048U);
    EXPECT_EQ(links.at(leaf_switch).bytes_per_us, before.bytes_per_us);
    links.set({LevelKind::switch_, std::nullopt}, {1, 1, 1, 0});
    EXPECT_EQ(links.at(leaf_switch).eager_bytes, 65536U)
        << "0 is the limit in force, whatever was set before";
}

}  // namespace
}  // namespace tables_test
