// The presets of mca-params/: they parse, and plans made with their links match their comments. These are
// predictions, not measurements: a changed preset that contradicts its comments fails here.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "algorithms/config/rules.h"
#include "algorithms/planning/make_plan.h"
#include "plans.h"

namespace presets_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;

Rules preset(const std::string& name) {
    const std::string path = STRATA_PRESETS + name + ".json";
    return parse_rules(strata::topology::read_text_file(path), path);
}

/// The plugin's usage: the eager limits of btl/tcp and btl/vader below the preset's values.
LinkTable links_of(const Rules& rules) {
    LinkTable links;
    links.set_eager_limits(64 * kib, 4 * kib);
    set_links(links, rules.links);
    return links;
}

Operation operation_of(Collective collective, std::size_t bytes) {
    Operation operation;
    operation.collective = collective;
    operation.bytes = bytes;
    return operation;
}

Plan plan(const Rules& rules, const Hierarchy& hierarchy, Collective collective, std::size_t bytes) {
    const Operation operation = operation_of(collective, bytes);
    const Resolved resolved =
        resolve({}, rules_for(rules, collective, hierarchy.ranks()), hierarchy, operation);
    EXPECT_TRUE(resolved.ignored_values.empty());
    return make_plan(hierarchy, links_of(rules), resolved.overrides, operation);
}

Algorithm shape(const Plan& plan, LevelKey level) { return plan.at(level).method.algorithm; }

/// Everything that is longer than a segment.
constexpr std::size_t huge = 16 * mib;
/// Four leaf switches with 16 nodes of 8 ranks.
Hierarchy fat_tree() { return sites_of_nodes(4, 16, 8); }
/// Without a network: 64 nodes of 8 ranks.
Hierarchy unknown_network() {
    return make_hierarchy({LevelKind::cluster, 0}, {{node_level, blocks(512, 8)}}, 512);
}

TEST(Presets, LinksAreSlowerTheWiderTheLevel) {
    for (const char* name : {"ethernet-cluster", "infiniband-cluster", "fat-numa-node", "wan-grid"}) {
        const LinkTable links = links_of(preset(name));
        const std::vector<LevelKey> levels = {top_switch, leaf_switch, node_level, numa_level};
        for (std::size_t i = 1; i < levels.size(); ++i) {
            const LinkParameters wide = links.at(levels[i - 1]);
            const LinkParameters narrow = links.at(levels[i]);
            EXPECT_GE(wide.latency_us, narrow.latency_us) << name;
            EXPECT_GE(wide.overhead_us, narrow.overhead_us) << name;
            if (levels[i] == leaf_switch) {
                EXPECT_LE(wide.bytes_per_us, narrow.bytes_per_us) << name;
            }
        }
    }
}

TEST(EthernetCluster, LongMessagesGoFromLeafToLeafInAChainAndFanOutBelow) {
    const Rules rules = preset("ethernet-cluster");
    for (const std::size_t bytes : {64 * kib, mib, huge}) {
        const Plan made = plan(rules, fat_tree(), Collective::bcast, bytes);
        EXPECT_EQ(made.engine, Engine::tree);
        EXPECT_EQ(shape(made, top_switch), Algorithm::pipeline) << bytes;
        EXPECT_EQ(shape(made, leaf_switch), Algorithm::binary) << bytes;
    }
}

TEST(EthernetCluster, SegmentsBetweenNodesNeedNoHandshake) {
    const Rules rules = preset("ethernet-cluster");
    for (const Hierarchy& hierarchy : {fat_tree(), unknown_network()}) {
        for (const Collective op : {Collective::bcast, Collective::reduce, Collective::allgather}) {
            const Plan made = plan(rules, hierarchy, op, huge);
            const std::size_t segment = made.levels.front().segment_bytes;
            EXPECT_TRUE(0 < segment && segment < 64 * kib) << name_of(op) << ' ' << segment;
        }
    }
}

TEST(InfinibandCluster, SegmentsAreLongerThanThoseOfTcp) {
    const Rules rules = preset("infiniband-cluster");
    for (const Hierarchy& hierarchy : {fat_tree(), unknown_network()}) {
        const LevelKey top = hierarchy.levels().front();
        EXPECT_EQ(plan(rules, hierarchy, Collective::bcast, huge).at(top).segment_bytes, 240 * kib);
        EXPECT_EQ(plan(rules, hierarchy, Collective::reduce, huge).at(top).segment_bytes, 64 * kib);
        EXPECT_EQ(plan({}, hierarchy, Collective::reduce, huge).at(top).segment_bytes, 16 * kib);
    }
}

TEST(InfinibandCluster, TheUplinksAreNoBottleneckThatForcesAChain) {
    const Rules rules = preset("infiniband-cluster");
    for (const std::size_t bytes : {64 * kib, mib, huge}) {
        EXPECT_EQ(shape(plan(rules, fat_tree(), Collective::bcast, bytes), top_switch), Algorithm::binomial)
            << bytes;
    }
}

TEST(WanGrid, ShortMessagesGoToAllSitesAtOnce) {
    const Rules rules = preset("wan-grid");
    const LevelKey cluster{LevelKind::cluster, 0};
    for (const int sites : {8, 16}) {
        const Hierarchy joined = sites_of_nodes(sites, 4, 4);
        const int ranks = joined.ranks();
        const Hierarchy apart = make_hierarchy(
            cluster, {{leaf_switch, blocks(ranks, 16)}, {node_level, blocks(ranks, 4)}}, ranks);
        for (const Collective op :
             {Collective::bcast, Collective::reduce, Collective::allreduce, Collective::allgather}) {
            for (const Hierarchy& hierarchy : {joined, apart}) {
                const Plan made = plan(rules, hierarchy, op, 8);
                EXPECT_EQ(made.engine, Engine::tree) << name_of(op);
                EXPECT_EQ(made.levels.front().method.algorithm, Algorithm::linear)
                    << name_of(op) << " between " << sites << " sites";
            }
        }
    }
}

TEST(WanGrid, AShortAllreduceTakesTwoLatencies) {
    const Rules rules = preset("wan-grid");
    const double latency = links_of(rules).at(top_switch).latency_us;
    const Plan made = plan(rules, sites_of_nodes(8, 4, 4), Collective::allreduce, 8);
    EXPECT_GT(made.predicted_us, 2 * latency);
    EXPECT_LT(made.predicted_us, 2.1 * latency);
}

TEST(WanGrid, LongMessagesCrossTheLinkOfASiteOnce) {
    const Rules rules = preset("wan-grid");
    const double once_us = static_cast<double>(huge) / links_of(rules).at(top_switch).bytes_per_us;
    const Plan made = plan(rules, sites_of_nodes(8, 4, 4), Collective::bcast, huge);
    EXPECT_EQ(shape(made, top_switch), Algorithm::pipeline);
    EXPECT_LT(made.predicted_us, 1.3 * once_us);
    EXPECT_GT(made.forward_us, 4 * once_us);
}

/// A node of 2 to 8 packages; `dealt`: consecutive ranks on different packages, as `--map-by package` does.
struct FatNode {
    int packages, numas, caches, cores;
    int ranks() const { return packages * numas * caches * cores; }
    Hierarchy hierarchy(bool dealt) const {
        const auto places = [&](int block) {
            std::vector<int> colour(static_cast<std::size_t>(ranks()));
            for (int rank = 0; rank < ranks(); ++rank) {
                const int core = dealt ? rank % packages * (ranks() / packages) + rank / packages : rank;
                colour[static_cast<std::size_t>(rank)] = core / block;
            }
            return colour;
        };
        std::vector<std::pair<LevelKey, std::vector<int>>> levels = {
            {{LevelKind::package, 0}, places(numas * caches * cores)}};
        if (numas > 1) levels.push_back({numa_level, places(caches * cores)});
        if (caches > 1) levels.push_back({{LevelKind::l3, 0}, places(cores)});
        return make_hierarchy(node_level, levels, ranks());
    }
};
constexpr FatNode fat_nodes[] = {{2, 1, 3, 8}, {2, 4, 2, 4},  {4, 2, 1, 8},  {8, 1, 1, 8},  {2, 4, 1, 14},
                                 {2, 4, 2, 8}, {4, 1, 1, 28}, {8, 1, 1, 24}, {2, 4, 2, 16}, {2, 8, 1, 16}};
constexpr FatNode too_small{2, 2, 2, 4};

/// The largest part of the underlying component's time that a tree is predicted to take, over all nodes, in
/// both orders of the ranks, for these sizes.
double worst_ratio(const Rules& rules, Collective collective, std::size_t from, std::size_t below) {
    double worst = 0;
    for (const FatNode& node : fat_nodes) {
        for (const bool dealt : {false, true}) {
            const Hierarchy hierarchy = node.hierarchy(dealt);
            for (std::size_t bytes = from; bytes < below; bytes += bytes / 2 + 1) {
                const Operation operation = operation_of(collective, bytes);
                const Plan tree = make_plan(hierarchy, links_of(rules), overriding(Engine::tree), operation);
                worst = std::max(worst, tree.predicted_us / tree.forward_us);
            }
        }
    }
    return worst;
}

TEST(FatNumaNode, TreesAreTakenWhereTheyGainOnEveryNodeAndInAnyOrder) {
    const Rules rules = preset("fat-numa-node");
    EXPECT_LT(worst_ratio(rules, Collective::reduce, 8 * kib, 4 * mib), 0.85);
    EXPECT_LT(worst_ratio(rules, Collective::gather, 16 * kib, 128 * kib), 0.85);
    EXPECT_LT(worst_ratio(rules, Collective::scatter, 16 * kib, 128 * kib), 0.85);
    for (const FatNode& node : fat_nodes) {
        const Hierarchy hierarchy = node.hierarchy(true);
        for (const Collective op : {Collective::reduce, Collective::gather, Collective::scatter}) {
            EXPECT_EQ(plan(rules, hierarchy, op, 16 * kib).engine, Engine::tree);
            Hierarchy oversubscribed = hierarchy;
            oversubscribed.oversubscription = 64.0 / 48;
            EXPECT_EQ(plan(rules, oversubscribed, op, 16 * kib).engine, Engine::forward);
        }
        EXPECT_EQ(plan(rules, hierarchy, Collective::reduce, 4 * mib).engine, Engine::tree);
    }
}

/// More ranks than cores, none of them bound.
Hierarchy unbound_ranks() {
    Hierarchy hierarchy = one_node(64);
    hierarchy.oversubscription = 64.0 / 48;
    return hierarchy;
}

/// Returns whether the plan uses a tree for any size among ranks without known levels.
bool tree_among(const Hierarchy& hierarchy, const Rules& rules, Collective op) {
    for (const std::size_t bytes : {8 * kib, 16 * kib, 64 * kib, mib}) {
        if (plan(rules, hierarchy, op, bytes).engine != Engine::forward) return true;
    }
    return false;
}

TEST(FatNumaNode, UnboundRanksAreLeftToOpenMpi) {
    const Rules rules = preset("fat-numa-node");
    const Rules by_ranks_alone = parse_rules(
        R"({"version": 1, "rules": [{"collective": ["reduce", "gather", "scatter"],
            "ranks": {"from": 48}, "engine": "tree"}]})",
        "r.json");
    for (const Collective op : {Collective::reduce, Collective::gather, Collective::scatter}) {
        EXPECT_FALSE(tree_among(unbound_ranks(), rules, op)) << name_of(op);
        EXPECT_FALSE(tree_among(one_node(48), rules, op)) << name_of(op);
        EXPECT_TRUE(tree_among(unbound_ranks(), by_ranks_alone, op)) << "what a rule must not do";
    }
}

// Between nodes the network's links cost as much: no rule of a node may override them.
TEST(FatNumaNode, TwoNodesTakeWhatIsPredictedToGain) {
    const Rules rules = preset("fat-numa-node");
    const std::vector<std::pair<LevelKey, std::vector<int>>> inside = {
        {node_level, blocks(96, 48)},
        {{LevelKind::package, 0}, blocks(96, 24)},
        {numa_level, blocks(96, 12)}};
    const Hierarchy nodes = make_hierarchy({LevelKind::cluster, 0}, inside, 96);
    for (const Collective op : {Collective::reduce, Collective::gather, Collective::scatter}) {
        for (const std::size_t bytes : {8 * kib, 16 * kib, 64 * kib, mib}) {
            const Plan made = plan(rules, nodes, op, bytes);
            EXPECT_EQ(made.engine_source.origin, Origin::model) << name_of(op) << ' ' << bytes;
            if (made.engine != Engine::forward) {
                EXPECT_LT(made.predicted_us, made.forward_us) << name_of(op) << ' ' << bytes;
            }
        }
    }
}

TEST(FatNumaNode, ElsewhereATreeWouldGainLessOrLose) {
    const Rules rules = preset("fat-numa-node");
    EXPECT_GT(worst_ratio(rules, Collective::reduce, kib, 2 * kib), 0.85);
    EXPECT_GT(worst_ratio(rules, Collective::gather, mib, 4 * mib), 0.95);
    EXPECT_GT(worst_ratio(rules, Collective::scatter, mib, 4 * mib), 0.95);
    for (const std::size_t bytes : {8 * kib, 64 * kib, mib, huge}) {
        EXPECT_GT(worst_ratio(rules, Collective::allreduce, bytes, bytes + 1), 1) << bytes;
        EXPECT_GT(worst_ratio(rules, Collective::allgather, bytes, bytes + 1), 1) << bytes;
    }
    EXPECT_GT(worst_ratio(rules, Collective::barrier, 0, 1), 1);
}

// The preset gives the links inside nodes, so that the plugin makes the robust choice itself.
TEST(FatNumaNode, WhereNoGainIsPredictedOpenMpiGoesOn) {
    const Rules rules = preset("fat-numa-node");
    const Hierarchy hierarchy = fat_nodes[1].hierarchy(false);
    const auto follows_prediction = [](const Plan& plan) {
        return (plan.engine == Engine::forward) == (plan.predicted_us > 0.85 * plan.forward_us);
    };
    for (const Collective op : {Collective::reduce, Collective::gather, Collective::scatter}) {
        EXPECT_TRUE(follows_prediction(plan(rules, hierarchy, op, 8 * kib - 1))) << name_of(op);
        EXPECT_TRUE(follows_prediction(plan(rules, too_small.hierarchy(false), op, 64 * kib))) << name_of(op);
    }
    for (const Collective op : {Collective::gather, Collective::scatter}) {
        EXPECT_TRUE(follows_prediction(plan(rules, hierarchy, op, mib))) << name_of(op);
    }
    for (const Collective op : {Collective::allreduce, Collective::allgather}) {
        EXPECT_EQ(plan(rules, hierarchy, op, mib).engine, Engine::forward) << name_of(op);
    }
    EXPECT_EQ(plan(rules, hierarchy, Collective::barrier, 0).engine, Engine::forward);
}

TEST(FatNumaNode, AnotherOrderOfTheRanksChangesNothing) {
    const Rules rules = preset("fat-numa-node");
    for (const FatNode& node : fat_nodes) {
        const Plan block = plan(rules, node.hierarchy(false), Collective::bcast, mib);
        const Plan dealt = plan(rules, node.hierarchy(true), Collective::bcast, mib);
        EXPECT_EQ(block.engine, Engine::tree);
        EXPECT_EQ(block.levels, dealt.levels);
        EXPECT_NEAR(block.predicted_us, dealt.predicted_us, 1e-6);
    }
}

TEST(Presets, TablesThatTuneNothingFailTheseTests) {
    const Rules none;
    EXPECT_NE(shape(plan(none, sites_of_nodes(8, 4, 4), Collective::allreduce, 8), top_switch),
              Algorithm::linear);
    EXPECT_NE(shape(plan(none, fat_tree(), Collective::bcast, huge), leaf_switch), Algorithm::binary);
    EXPECT_EQ(plan(none, fat_tree(), Collective::reduce, huge).at(top_switch).segment_bytes, 16 * kib);
    EXPECT_EQ(plan(none, fat_nodes[1].hierarchy(false), Collective::reduce, mib).engine, Engine::forward);
}

TEST(RulesFile, EveryLevelKnowsTheLinesOfItsLinks) {
    const Rules rules = parse_rules(
        "{\"version\": 1, \"links\": [\n"
        "{\"level\": \"switch0\", \"latency_us\": 1},\n"
        "{\"level\": \"node\", \"latency_us\": 1},\n"
        "{\"level\": \"switch\", \"latency_us\": 2},\n"
        "{\"level\": \"switch\", \"latency_us\": 3, \"parallel\": 2},\n"
        "{\"level\": \"cluster\", \"far_share\": 0.5}]}",
        "r.json");
    EXPECT_EQ(link_lines(rules.links, {LevelKind::cluster, 0}), (std::vector{6}));
    EXPECT_EQ(link_lines(rules.links, leaf_switch), (std::vector{2, 5})) << "line 4 adds nothing";
    EXPECT_EQ(link_lines(rules.links, top_switch), (std::vector{4, 5}));
    EXPECT_EQ(link_lines(rules.links, node_level), (std::vector{3}));
    EXPECT_TRUE(link_lines(rules.links, numa_level).empty());
}

}  // namespace
}  // namespace presets_test
