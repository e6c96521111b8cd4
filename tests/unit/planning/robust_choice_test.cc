// The robust choice between nodes, whose links may differ from the table of links.
#include <gtest/gtest.h>

#include "algorithms/cost/link_range.h"
#include "algorithms/cost/model.h"
#include "algorithms/planning/make_plan.h"
#include "robust_choice_oracle.h"

namespace robust_choice_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;

Plan planned(const Hierarchy& hierarchy, const LinkTable& links, const Operation& operation) {
    return make_plan(hierarchy, links, {}, operation);
}

TEST(LinkRange, GuessedLinksMayBeNarrowerOrLonger) {
    const LinkTable guessed;
    auto all = possible_links(sites_of_nodes(2, 2, 4), guessed).tables;
    ASSERT_EQ(all.size(), 6U);
    EXPECT_EQ(all[0].at(top_switch).bytes_per_us, guessed.at(top_switch).bytes_per_us);
    for (const LevelKey level : {top_switch, leaf_switch}) {
        EXPECT_EQ(all[1].at(level).bytes_per_us, guessed.at(level).bytes_per_us / 8);
        EXPECT_EQ(all[1].at(level).latency_us, guessed.at(level).latency_us);
        EXPECT_EQ(all[1].at(level).eager_bytes, guessed.at(level).eager_bytes);
    }
    EXPECT_EQ(all[2].at(top_switch).bytes_per_us, guessed.at(top_switch).bytes_per_us / 8);
    EXPECT_EQ(all[2].at(leaf_switch).bytes_per_us, guessed.at(leaf_switch).bytes_per_us);
    EXPECT_EQ(possible_links(sites_of_nodes(2, 2, 4), guessed).wide, 3U);
    EXPECT_EQ(all[3].at(top_switch).bytes_per_us, guessed.at(leaf_switch).bytes_per_us);
    EXPECT_EQ(all[3].at(top_switch).parallel, 16) << "no rank waits for another's messages";
    EXPECT_EQ(all[3].at(top_switch).latency_us, guessed.at(top_switch).latency_us);
    EXPECT_EQ(all[3].at(leaf_switch).bytes_per_us, guessed.at(leaf_switch).bytes_per_us);
    EXPECT_EQ(all[4].at(top_switch).latency_us, guessed.at(top_switch).latency_us * 50);
    EXPECT_EQ(all[4].at(leaf_switch).latency_us, guessed.at(leaf_switch).latency_us);
    for (const LevelKey level : {top_switch, leaf_switch, node_level}) {
        EXPECT_EQ(all[5].at(level).overhead_us, 4 * guessed.at(level).overhead_us);
        EXPECT_EQ(all[5].at(level).latency_us, guessed.at(level).latency_us);
        EXPECT_EQ(all[5].at(level).bytes_per_us, guessed.at(level).bytes_per_us);
    }
    all.pop_back();
    for (const LinkTable& table : all) {
        EXPECT_EQ(table.at(node_level).overhead_us, guessed.at(node_level).overhead_us);
        EXPECT_EQ(table.at(node_level).latency_us, guessed.at(node_level).latency_us);
        EXPECT_EQ(table.at(node_level).bytes_per_us, guessed.at(node_level).bytes_per_us);
    }
    EXPECT_EQ(possible_links(nodes_below_switch(2, 4), guessed).tables.size(), 4U)
        << "one level above the nodes";
    EXPECT_EQ(possible_links(one_node(4), guessed).tables.size(), 1U);
}

TEST(LinkRange, GivenLinksAreWhatTheyAre) {
    LinkTable links;
    links.set({LevelKind::switch_, std::nullopt}, {50, 5, 10, 0});
    ASSERT_EQ(possible_links(sites_of_nodes(2, 2, 4), links).tables.size(), 2U) << "the nodes' own ones";
    EXPECT_EQ(possible_links(sites_of_nodes(2, 2, 4), links).tables[1].at(top_switch).overhead_us, 5);
    links.set({LevelKind::node, std::nullopt}, {1, 1, 1000, 0});
    EXPECT_EQ(possible_links(sites_of_nodes(2, 2, 4), links).tables.size(), 1U);
    LinkTable width;
    width.set_some({LevelKind::switch_, 1}, {.bytes_per_us = 25});
    const auto all = possible_links(sites_of_nodes(2, 2, 4), width).tables;
    ASSERT_EQ(all.size(), 4U) << "narrower leaf switches, a longer way between them, busy processors";
    EXPECT_FALSE(possible_links(sites_of_nodes(2, 2, 4), width).wide);
    EXPECT_FALSE(possible_links(nodes_below_switch(2, 4), LinkTable{}).wide);
    for (const LinkTable& table : all) EXPECT_EQ(table.at(top_switch).bytes_per_us, 25);
    EXPECT_EQ(width.given(top_switch).bytes_per_us, 25);
    EXPECT_FALSE(width.given(top_switch).latency_us);
    EXPECT_FALSE(width.given(leaf_switch).bytes_per_us);
}

TEST(RobustChoice, NoWayTakesLess) {
    LinkTable narrow;
    narrow.set_some({LevelKind::switch_, 1}, {.bytes_per_us = 25});
    for (const Hierarchy& hierarchy :
         {sites_of_nodes(2, 2, 4), dealt_out(2, 2, 4), nodes_below_switch(8, 2), sites_of_nodes(3, 4, 5)}) {
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

TEST(RobustChoice, ShortMessagesSpareTheHopBetweenSwitches) {
    // On a longer or a narrower link, a message to each node costs as much as one to each site, and saves a
    // hop.
    for (const Hierarchy& hierarchy : {sites_of_nodes(2, 3, 4), dealt_out(2, 2, 4)}) {
        for (const Collective collective : {Collective::bcast, Collective::reduce, Collective::gather}) {
            const Plan plan = planned(hierarchy, LinkTable{}, {collective, 8});
            EXPECT_EQ(plan.engine, Engine::tree);
            EXPECT_EQ(plan.skipped, std::vector{leaf_switch}) << name_of(collective);
        }
        Overrides overrides;
        overrides.keep_levels = true;
        // Long ones may have a narrow link there, and cross it no more often than with all levels.
        for (const Collective collective : {Collective::bcast, Collective::reduce, Collective::allgather}) {
            const Operation operation{collective, mib};
            const Plan all = make_plan(hierarchy, two_sites(50), overrides, operation);
            EXPECT_LT(
                tree_cost_us(hierarchy, two_sites(50), planned(hierarchy, LinkTable{}, operation), operation),
                1.1 * all.predicted_us)
                << name_of(collective);
        }
        EXPECT_TRUE(make_plan(hierarchy, LinkTable{}, overrides, {Collective::reduce, 8}).skipped.empty());
        EXPECT_TRUE(make_plan(hierarchy, LinkTable{}, overriding(Engine::automatic, "switch0=linear"),
                              {Collective::reduce, 8})
                        .skipped.empty());
    }
}

TEST(RobustChoice, WhereTheWayIsLongNothingIsSkipped) {
    // The same messages over 2 ms: the cost of a hop between switches is below the model's error.
    for (const Collective collective : {Collective::bcast, Collective::reduce, Collective::gather}) {
        const Plan plan = planned(dealt_out(2, 2, 4), two_sites(2000), {collective, 8});
        EXPECT_TRUE(plan.skipped.empty()) << name_of(collective);
    }
}

TEST(RobustChoice, ALongWayDecidesWherePredictionsAreAlike) {
    // Recursive doubling over sixteen ranks has four rounds; with the sites by the parity of two bits of
    // the rank, two rounds cross from one to the other, where one would do.
    std::vector<int> site(16), node(16);
    for (int rank = 0; rank < 16; ++rank) {
        site[rank] = (rank ^ rank >> 1) & 1;
        node[rank] = 2 * site[rank] + (rank >> 2 & 1);
    }
    const Hierarchy mixed = make_hierarchy(top_switch, {{leaf_switch, site}, {node_level, node}}, 16);
    const Operation barrier{Collective::barrier, 0};
    const Means mean = means(mixed, LinkTable{}, barrier, planned(mixed, LinkTable{}, barrier));
    EXPECT_EQ(planned(mixed, LinkTable{}, barrier).engine, Engine::tree);
    EXPECT_GT(mean.forward, 1.15 * mean.tree) << "a second crossing, should it be far";
}

}  // namespace
}  // namespace robust_choice_test
