// Which way is taken between nodes, whose links may be others than the table of links guesses.
#include <gtest/gtest.h>

#include "../../../algorithms/src/link_range.h"
#include "weighed.h"

namespace {

using namespace strata::algorithms;
using namespace strata::testing;

Plan planned(const Hierarchy& hierarchy, const LinkTable& links, const Operation& operation) {
    return make_plan(hierarchy, links, {}, operation);
}

/// Sixteen ranks dealt out to two sites of two nodes.
Hierarchy dealt_out() {
    std::vector<int> site(16), node(16);
    for (int rank = 0; rank < 16; ++rank) {
        node[rank] = rank % 4;
        site[rank] = node[rank] / 2;
    }
    return make_hierarchy(top_switch, {{leaf_switch, site}, {node_level, node}}, 16);
}

TEST(LinkRange, GuessedLinksMayBeNarrowerOrLonger) {
    const LinkTable guessed;
    const auto all = possible_links(sites_of_nodes(2, 2, 4), guessed);
    ASSERT_EQ(all.size(), 4U);
    EXPECT_EQ(all[0].at(top_switch).bytes_per_us, guessed.at(top_switch).bytes_per_us);
    for (const LevelKey level : {top_switch, leaf_switch}) {
        EXPECT_EQ(all[1].at(level).bytes_per_us, guessed.at(level).bytes_per_us / 8);
        EXPECT_EQ(all[1].at(level).latency_us, guessed.at(level).latency_us);
        EXPECT_EQ(all[1].at(level).eager_bytes, guessed.at(level).eager_bytes);
    }
    EXPECT_EQ(all[2].at(top_switch).bytes_per_us, guessed.at(top_switch).bytes_per_us / 8);
    EXPECT_EQ(all[2].at(leaf_switch).bytes_per_us, guessed.at(leaf_switch).bytes_per_us);
    EXPECT_EQ(all[3].at(top_switch).latency_us, guessed.at(top_switch).latency_us * 50);
    EXPECT_EQ(all[3].at(leaf_switch).latency_us, guessed.at(leaf_switch).latency_us);
    for (const LinkTable& table : all) {
        EXPECT_EQ(table.at(node_level).latency_us, guessed.at(node_level).latency_us);
        EXPECT_EQ(table.at(node_level).bytes_per_us, guessed.at(node_level).bytes_per_us);
    }
    EXPECT_EQ(possible_links(nodes_below_switch(2, 4), guessed).size(), 3U) << "one level above the nodes";
    EXPECT_EQ(possible_links(one_node(4), guessed).size(), 1U);
}

TEST(LinkRange, GivenLinksAreWhatTheyAre) {
    LinkTable links;
    links.set({LevelKind::switch_, std::nullopt}, {50, 5, 10, 0});
    EXPECT_EQ(possible_links(sites_of_nodes(2, 2, 4), links).size(), 1U);
    LinkTable width;
    width.set_some({LevelKind::switch_, 1}, {.bytes_per_us = 25});
    const auto all = possible_links(sites_of_nodes(2, 2, 4), width);
    ASSERT_EQ(all.size(), 3U) << "the leaf switches may be narrower, the way between them longer";
    for (const LinkTable& table : all) EXPECT_EQ(table.at(top_switch).bytes_per_us, 25);
    EXPECT_EQ(width.given(top_switch).bytes_per_us, 25);
    EXPECT_FALSE(width.given(top_switch).latency_us);
    EXPECT_FALSE(width.given(leaf_switch).bytes_per_us);
}

TEST(Regrets, ByHand) {
    EXPECT_TRUE(regrets({}).empty());
    // The second is never best and never far from it; the last one is best once.
    const std::vector<std::vector<double>> us = {{10, 10, 40}, {12, 11, 22}, {20, 30, 20}};
    const std::vector<double> worst = regrets(us);
    EXPECT_DOUBLE_EQ(worst[0], 2);
    EXPECT_DOUBLE_EQ(worst[1], 1.2);
    EXPECT_DOUBLE_EQ(worst[2], 3);
    EXPECT_EQ(regrets(std::vector<std::vector<double>>{{0}, {0}}), (std::vector<double>{1, 1}));
}

TEST(Weighing, NoWayLosesLessAtWorst) {
    LinkTable narrow;
    narrow.set_some({LevelKind::switch_, 1}, {.bytes_per_us = 25});
    for (const Hierarchy& hierarchy :
         {sites_of_nodes(2, 2, 4), dealt_out(), nodes_below_switch(8, 2), sites_of_nodes(3, 4, 5)}) {
        for (const LinkTable& links : {LinkTable{}, narrow, two_sites(2000)}) {
            for (const Collective collective :
                 {Collective::bcast, Collective::reduce, Collective::allreduce, Collective::allgather,
                  Collective::gather, Collective::scatter}) {
                for (std::size_t bytes = 8; bytes <= 4 * mib; bytes *= 8) {
                    const Operation operation{collective, bytes};
                    expect_least_loss(hierarchy, links, operation, planned(hierarchy, links, operation));
                }
            }
        }
    }
}

TEST(Weighing, ShortMessagesOfRanksInBlocksAreForwarded) {
    // One message from the root to everybody: one hop wherever the links are, where a tree has three.
    const Hierarchy blocks = sites_of_nodes(2, 2, 4);
    const Plan plan = planned(blocks, LinkTable{}, {Collective::bcast, 8});
    EXPECT_EQ(plan.engine, Engine::forward);
    EXPECT_EQ(plan.reason, "no gain predicted over the previous component");
    EXPECT_EQ(planned(dealt_out(), LinkTable{}, {Collective::bcast, 8}).engine, Engine::tree);
}

TEST(Weighing, ALongWayDecidesWherePredictionsAreAlike) {
    // Recursive doubling over sixteen ranks has four rounds; with the sites by the parity of two bits of the
    // rank two of them cross from one to the other, where one would do.
    std::vector<int> site(16), node(16);
    for (int rank = 0; rank < 16; ++rank) {
        site[rank] = (rank ^ rank >> 1) & 1;
        node[rank] = 2 * site[rank] + (rank >> 2 & 1);
    }
    const Hierarchy mixed = make_hierarchy(top_switch, {{leaf_switch, site}, {node_level, node}}, 16);
    const Operation barrier{Collective::barrier, 0};
    const Worst worst = at_worst(mixed, LinkTable{}, barrier, planned(mixed, LinkTable{}, barrier));
    EXPECT_EQ(planned(mixed, LinkTable{}, barrier).engine, Engine::tree);
    EXPECT_GT(worst.forward, 1.9) << "a second crossing, should it be far";
}

}  // namespace
