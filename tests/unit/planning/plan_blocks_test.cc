// make_plan for Allgather, Gather, Scatter and their v-variants: facts that must hold for any constants.
#include <gtest/gtest.h>

#include <algorithm>

#include "algorithms/openmpi_cost/tuned.h"
#include "algorithms/planning/make_plan.h"
#include "plans.h"
#include "robust_choice_oracle.h"

namespace plan_blocks_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;

constexpr std::size_t sizes[] = {0, 16, 1000, 8 * kib, 64 * kib, mib, 4 * mib, 64 * mib};

Hierarchy halves() { return make_hierarchy(node_level, {{numa_level, blocks(16, 8)}}, 16); }

Plan planned(const Hierarchy& hierarchy, const LinkTable& links, const Operation& operation,
             const Overrides& overrides = {}) {
    return make_plan(hierarchy, links, overrides, operation);
}

TEST(PlanAllgather, LargeBlocksBetweenNodesAvoidTheStar) {
    for (const int nodes : {4, 8, 16}) {
        for (const std::size_t bytes : {4 * mib, 64 * mib}) {
            const Hierarchy hierarchy = nodes_below_switch(nodes, 4);
            const Plan plan =
                planned(hierarchy, LinkTable{}, {Collective::allgather, bytes}, overriding(Engine::tree));
            // Of four the binomial tree is a chain too.
            if (nodes > 4) {
                EXPECT_EQ(plan.at(leaf_switch).method.algorithm, Algorithm::pipeline) << nodes;
            }
            EXPECT_NE(plan.at(leaf_switch).method.algorithm, Algorithm::linear) << nodes;
            EXPECT_GT(plan.at(leaf_switch).segment_bytes, 0U);
            const double star = planned(hierarchy, LinkTable{}, {Collective::allgather, bytes},
                                        overriding(Engine::tree, "switch=linear"))
                                    .predicted_us;
            EXPECT_LT(plan.predicted_us, star / 1.5);
        }
    }
}

TEST(PlanAllgather, ShortBlocksTakeShortPaths) {
    for (const int nodes : {8, 16}) {
        const Hierarchy hierarchy = nodes_below_switch(nodes, 4);
        const Plan plan = planned(hierarchy, two_sites(50), {Collective::allgather, 64});
        EXPECT_NE(plan.at(leaf_switch).method.algorithm, Algorithm::pipeline);
        for (const LevelPlan& level : plan.levels) EXPECT_EQ(level.segment_bytes, 0U);
    }
}

TEST(PlanAllgather, BlocksBetweenShortAndLongAreExchanged) {
    const Hierarchy hierarchy = nodes_below_switch(8, 2);
    const auto plan = [&](std::size_t bytes, const Overrides& overrides = overriding(Engine::tree)) {
        return planned(hierarchy, round_links(), {Collective::allgather, bytes}, overrides);
    };
    for (const std::size_t bytes : {std::size_t{16}, 64 * kib, 256 * kib, 512 * kib}) {
        EXPECT_TRUE(exchanges_on_top(plan(bytes))) << bytes;
    }
    EXPECT_FALSE(exchanges_on_top(plan(mib))) << "a ring does as well";
    EXPECT_FALSE(exchanges_on_top(plan(64 * kib, overriding(Engine::tree, "switch=binomial"))));
    EXPECT_EQ(plan(64 * kib, overriding(Engine::tree, "", "8k")).levels.front().segment_bytes, 8 * kib);
    EXPECT_FALSE(exchanges_on_top(plan(256 * kib, overriding(Engine::ring))));
    Operation rails{Collective::allgather, 256 * kib};
    rails.rails = 2;
    EXPECT_EQ(planned(hierarchy, round_links(), rails, overriding(Engine::rails)).engine, Engine::rails);
}

/// Traffic in both directions is segmented as in trees: whole messages in both directions block each other.
TEST(PlanAllgather, LongExchangesAreCut) {
    LinkTable links = two_sites(50);
    links.set_eager_limits(65536, 4096);
    const Plan plan = planned(nodes_below_switch(8, 2), links, {Collective::allgather, 256 * kib},
                              overriding(Engine::tree, "switch=recursive_doubling"));
    EXPECT_GT(plan.levels.front().segment_bytes, 0U);
    EXPECT_LE(plan.levels.front().segment_bytes, 16 * kib);
}

/// The word applies to the topmost level, with the user's segments.
TEST(PlanAllgather, RecursiveDoublingHoldsForTheTopmostLevelOnly) {
    const Hierarchy sites = sites_of_nodes(2, 2, 4);
    for (const Collective collective : {Collective::allgather, Collective::allgatherv}) {
        const Plan top =
            planned(sites, two_sites(50), {collective, 64 * mib},
                    overriding(Engine::automatic, "switch1=recursive_doubling", "switch1=60000"));
        EXPECT_EQ(top.engine, Engine::tree);
        EXPECT_TRUE(exchanges_on_top(top));
        EXPECT_EQ(top.levels.front().segment_bytes, 60000U);
        const Plan below = planned(sites, two_sites(50), {collective, 64 * kib},
                                   overriding(Engine::tree, "node=recursive_doubling"));
        EXPECT_TRUE(below.reason.ends_with("; recursive_doubling is for the topmost level"));
    }
}

/// All nodes of both sites: blocks cross the uplink once, in the first round.
TEST(PlanAllgather, ExchangesOfNodesAlone) {
    const Hierarchy sites = sites_of_nodes(2, 8, 1);
    int exchanged = 0;
    for (std::size_t bytes = 256; bytes <= mib; bytes *= 4) {
        const Operation operation{Collective::allgather, bytes};
        const Plan plan = planned(sites, two_sites(100), operation);
        expect_least_loss(sites, two_sites(100), operation, plan);
        if (plan.engine != Engine::tree || !exchanges_on_top(plan)) continue;
        ++exchanged;
        EXPECT_EQ(plan.skipped, std::vector{leaf_switch}) << bytes;
    }
    EXPECT_GT(exchanged, 0);
}

TEST(PlanAllgather, ABlockCrossesTheUplinkOnce) {
    const Plan plan = planned(sites_of_nodes(2, 2, 4), two_sites(50), {Collective::allgatherv, 4 * mib});
    const double limit = 2 * mib / 25.0;
    EXPECT_GT(plan.predicted_us, limit);
    EXPECT_LT(plan.predicted_us, 1.1 * limit);
}

TEST(PlanAllgather, LargeBlocksBetweenThreeNodesAndMoreGoInRings) {
    for (const Collective collective : {Collective::allgather, Collective::allgatherv}) {
        for (const int nodes : {3, 4, 8, 16}) {
            for (const std::size_t bytes : {mib, 4 * mib, 64 * mib}) {
                const Hierarchy hierarchy = nodes_below_switch(nodes, 4);
                const Plan plan = planned(hierarchy, LinkTable{}, {collective, bytes});
                expect_least_loss(hierarchy, LinkTable{}, {collective, bytes}, plan);
                // Open MPI's exchange between neighbours is as good for ranks in blocks, in fewer messages.
                if (plan.engine == Engine::forward && nodes >= 8 && bytes == mib) continue;
                EXPECT_EQ(plan.engine, Engine::ring) << nodes << " nodes, " << bytes;
                EXPECT_EQ(plan.at(leaf_switch).method.algorithm, Algorithm::ring);
                EXPECT_TRUE(plan.reason.ends_with("; a ring loads the links less than a tree"));
                const double tree =
                    planned(hierarchy, LinkTable{}, {collective, bytes}, overriding(Engine::tree))
                        .predicted_us;
                EXPECT_LE(plan.predicted_us, 0.95 * tree);
                const double wanted =
                    planned(hierarchy, LinkTable{}, {collective, bytes}, overriding(Engine::ring))
                        .predicted_us;
                EXPECT_LE(plan.predicted_us, wanted * 1.05);
            }
        }
    }
}

TEST(PlanAllgather, ShortBlocksAndPairsKeepTheirTrees) {
    for (const int nodes : {3, 4, 8, 16}) {
        for (const std::size_t bytes : {std::size_t{16}, std::size_t{1000}, 8 * kib}) {
            for (const LinkTable& links : {LinkTable{}, two_sites(50), two_sites(2000)}) {
                const Operation operation{Collective::allgather, bytes};
                const Plan plan = planned(nodes_below_switch(nodes, 4), links, operation);
                expect_least_loss(nodes_below_switch(nodes, 4), links, operation, plan);
                if (bytes < 4 * kib) {
                    EXPECT_NE(plan.engine, Engine::ring) << nodes << " nodes, " << bytes;
                }
            }
        }
    }
    // Two sites of two nodes behind a narrow uplink: nothing is gained by rings inside the nodes.
    for (const std::size_t bytes : sizes) {
        const Plan plan = planned(sites_of_nodes(2, 2, 4), two_sites(50), {Collective::allgather, bytes});
        EXPECT_EQ(plan.engine, Engine::tree) << bytes;
    }
}

TEST(PlanAllgather, TheRingEngineMakesARingOfWhateverIsOpen) {
    const Hierarchy hierarchy = sites_of_nodes(3, 4, 8);
    const Operation operation{Collective::allgatherv, mib};
    const Plan plan =
        planned(hierarchy, LinkTable{}, operation, overriding(Engine::ring, "node=binomial", "switch0=5000"));
    EXPECT_EQ(plan.engine, Engine::ring);
    EXPECT_EQ(plan.reason, "set by the user");
    EXPECT_EQ(plan.at(top_switch).method.algorithm, Algorithm::ring);
    EXPECT_EQ(plan.at(leaf_switch), (LevelPlan{leaf_switch, {Algorithm::ring, 0, {}}, 5000}));
    EXPECT_EQ(plan.at(node_level).method.algorithm, Algorithm::binomial);
    // Short blocks, one node, two participants, and the word itself.
    for (const std::size_t bytes : sizes) {
        const Plan all = planned(hierarchy, LinkTable{}, {Collective::allgather, bytes},
                                 overriding(Engine::ring, "switch=ring"));
        for (const LevelPlan& level : all.levels) EXPECT_EQ(level.method.algorithm, Algorithm::ring);
        EXPECT_EQ(planned(one_node(5), LinkTable{}, {Collective::allgather, bytes}, overriding(Engine::ring))
                      .at(node_level)
                      .method.algorithm,
                  Algorithm::ring);
        const Plan pairs = planned(nodes_below_switch(2, 2), LinkTable{}, {Collective::allgather, bytes},
                                   overriding(Engine::ring));
        EXPECT_EQ(pairs.engine, Engine::tree);
        EXPECT_EQ(
            pairs.reason,
            "set by the user; a tree: a ring needs three participants on a level without a rule for a tree");
    }
}

TEST(PlanAllgather, TreesOrRingsBetweenNodesOnlyUnlessTheUserSaysSo) {
    for (const Collective collective : {Collective::allgather, Collective::allgatherv}) {
        for (const std::size_t bytes : sizes) {
            const Plan between = planned(nodes_below_switch(4, 4), LinkTable{}, {collective, bytes});
            if (bytes >= 64 * kib) {
                EXPECT_TRUE(between.engine == Engine::tree || between.engine == Engine::ring) << bytes;
            }
            const Plan inside = planned(halves(), LinkTable{}, {collective, bytes});
            EXPECT_EQ(inside.engine, Engine::forward);
            EXPECT_EQ(inside.reason, "no gain known inside a node without link parameters");
            EXPECT_EQ(planned(one_node(4), LinkTable{}, {collective, bytes}).reason, "no hierarchy");
        }
    }
}

TEST(PlanGather, WhatLosesLeastAtWorst) {
    int trees = 0;
    int forwards = 0;
    for (const Hierarchy& hierarchy : {sites_of_nodes(2, 2, 4), sites_of_nodes(4, 4, 8),
                                       nodes_below_switch(4, 8), nodes_below_switch(8, 16)}) {
        for (const std::size_t bytes : sizes) {
            for (const int root : {0, 15}) {
                for (const Collective collective : {Collective::gather, Collective::scatter}) {
                    const Operation operation{collective, bytes, root};
                    const Plan plan = planned(hierarchy, two_sites(2000), operation);
                    EXPECT_EQ(plan.forward_us, forward_cost_us(hierarchy, two_sites(2000), operation));
                    expect_least_loss(hierarchy, two_sites(2000), operation, plan);
                    (plan.engine == Engine::tree ? trees : forwards) += 1;
                }
            }
        }
    }
    EXPECT_GT(trees, 0);
    EXPECT_GT(forwards, 0);
}

TEST(PlanGather, ManyShortBlocksGoInFewMessages) {
    // 127 messages at the root, or eight between the nodes, or up to six over a node's boundary in a tree
    // that ignores the nodes.
    std::vector<int> dealt(128);
    for (int rank = 0; rank < 128; ++rank) dealt[rank] = rank % 8;
    const Hierarchy cyclic = make_hierarchy(leaf_switch, {{node_level, dealt}}, 128);
    for (const Collective collective : {Collective::gather, Collective::scatter}) {
        for (const Hierarchy& hierarchy : {nodes_below_switch(8, 16), cyclic}) {
            EXPECT_EQ(planned(hierarchy, LinkTable{}, {collective, 1024}).engine, Engine::tree);
        }
        EXPECT_EQ(planned(nodes_below_switch(8, 16), two_sites(50), {collective, 1024 * mib}).engine,
                  Engine::forward)
            << "the root's link is the limit";
        EXPECT_EQ(planned(halves(), LinkTable{}, {collective, 16}).reason,
                  "no gain known inside a node without link parameters");
    }
}

TEST(PlanGather, UnknownSizesAreForwardedUnlessTheUserSaysSo) {
    for (const Collective collective : {Collective::gatherv, Collective::scatterv}) {
        for (const Hierarchy& hierarchy : {nodes_below_switch(8, 16), halves()}) {
            const Plan plan = planned(hierarchy, LinkTable{}, {collective, 0, 3});
            EXPECT_EQ(plan.engine, Engine::forward);
            EXPECT_EQ(plan.reason, "not every rank knows the sizes");
            EXPECT_EQ(plan.forward_us, 0);
        }
        const auto forced = [&](const Hierarchy& hierarchy, const char* segments) {
            return planned(hierarchy, LinkTable{}, {collective, 0, 3},
                           overriding(Engine::tree, "", segments));
        };
        const Plan plan = forced(nodes_below_switch(8, 16), "node=1000");
        EXPECT_EQ(plan.engine, Engine::tree);
        EXPECT_EQ(plan.at(leaf_switch).segment_bytes, 61440U) << "long streams must flow, without handshakes";
        EXPECT_EQ(plan.at(node_level).segment_bytes, 1000U);
        EXPECT_EQ(forced(halves(), "").at(node_level).segment_bytes, 0U);
    }
}

TEST(PlanBlocks, SegmentsAndMethodsOfTheUserHold) {
    const Overrides wish =
        overriding(Engine::tree, "switch1=pipeline,node=knomial:3", "node=1000,switch0=0,5000");
    for (const Collective collective : {Collective::allgather, Collective::gather, Collective::scatterv}) {
        const Plan plan = planned(sites_of_nodes(3, 4, 8), LinkTable{}, {collective, mib, 3}, wish);
        EXPECT_EQ(plan.reason, "set by the user");
        EXPECT_EQ(plan.at(top_switch), (LevelPlan{top_switch, {Algorithm::pipeline, 0, {}}, 5000}));
        EXPECT_EQ(plan.at(leaf_switch).segment_bytes, 0U);
        EXPECT_EQ(plan.at(node_level), (LevelPlan{node_level, {Algorithm::knomial, 3, {}}, 1000}));
    }
}

TEST(PlanBlocks, PureFunctionOfItsArguments) {
    for (int op = 0; op < collective_count; ++op) {
        if (!traits_of(static_cast<Collective>(op)).blocks) continue;
        for (const std::size_t bytes : sizes) {
            const Operation operation{static_cast<Collective>(op), bytes, 7};
            EXPECT_TRUE(same(planned(sites_of_nodes(2, 3, 5), two_sites(100), operation),
                             planned(sites_of_nodes(2, 3, 5), two_sites(100), operation)));
        }
    }
}

TEST(PlanBlocks, RanksThatStopAboveTheLowestLevelArePlanned) {
    std::vector<int> numa(16, -1);
    for (int rank = 0; rank < 6; ++rank) numa[rank] = rank / 3;
    std::vector<int> node(16, -1);  // rank 15: alone below the switch
    for (int rank = 0; rank < 15; ++rank) node[rank] = rank / 8;
    const Hierarchy mixed = make_hierarchy(leaf_switch, {{node_level, node}, {numa_level, numa}}, 16);
    for (int op = 0; op < collective_count; ++op) {
        for (const int root : {0, 7, 12, 15}) {
            const Operation operation{static_cast<Collective>(op), mib, root};
            const Plan plan = planned(mixed, LinkTable{}, operation, overriding(Engine::tree));
            EXPECT_EQ(plan.levels.size() + plan.skipped.size(), 3U);
            EXPECT_GT(plan.predicted_us, 0);
        }
    }
}

}  // namespace
}  // namespace plan_blocks_test
