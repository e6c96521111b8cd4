// Buses shared by all traffic inside a group (LinkParameters::bus_bytes_per_us): sums computed by hand, and
// the models against each other.
#include <gtest/gtest.h>

#include "algorithms/cost/links.h"
#include "algorithms/cost/model.h"
#include "algorithms/openmpi_cost/rounds.h"
#include "algorithms/openmpi_cost/steps.h"
#include "algorithms/patterns/tree.h"
#include "algorithms/planning/make_plan.h"
#include "plans.h"

namespace bus_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;

/// round_links() whose groups of one kind have a bus.
LinkTable with_bus(LevelKind kind, double bytes_per_us) {
    LinkTable links = round_links();
    links.set_some({kind, std::nullopt}, {.bus_bytes_per_us = bytes_per_us});
    return links;
}

double cost_us(const Hierarchy& hierarchy, const LinkTable& links, Algorithm algorithm, std::size_t segment,
               const Operation& operation) {
    return tree_cost_us(hierarchy, links, uniform(hierarchy, algorithm, segment), operation);
}

TEST(BusCost, WhatIsNearlyAlwaysBusyWaitsForOtherThings) {
    EXPECT_DOUBLE_EQ(together(0, 3), 3) << "no bus";
    EXPECT_NEAR(together(1, 1), 1.19, 0.005);
    EXPECT_NEAR(together(1, 0.5), 1.015, 0.001);
}

/// The root copies one after the other, 2 us each; the bus takes 4 for each, from 1 us on.
TEST(BusCost, WholeMessagesAddUp) {
    const Hierarchy node = one_node(4);
    const Operation bcast{Collective::bcast, 200};
    EXPECT_DOUBLE_EQ(cost_us(node, with_bus(LevelKind::node, 50), Algorithm::linear, 0, bcast),
                     1 + 3 * 4 + 2 + 1);
    EXPECT_DOUBLE_EQ(cost_us(node, with_bus(LevelKind::node, 1000), Algorithm::linear, 0, bcast),
                     cost_us(node, round_links(), Algorithm::linear, 0, bcast))
        << "wider than the copies";
}

/// Three copies of every segment of 1000 bytes; the first one makes three hops of 1 + 20 + 2 + 1 us.
TEST(BusCost, SegmentsFollowAtThePaceOfAllCopies) {
    const Hierarchy node = one_node(4);
    const LinkTable links = with_bus(LevelKind::node, 50);
    const double once = 3 * 24.0 + 9 * together(60, 22);  // and of inner ranks two copies
    EXPECT_DOUBLE_EQ(cost_us(node, links, Algorithm::pipeline, 1000, {Collective::bcast, 10000}), once);
    const double combine = 10000 / combined_bytes_per_us;
    EXPECT_NEAR(cost_us(node, links, Algorithm::pipeline, 1000, {Collective::reduce, 10000}), once, combine);
}

/// Both nodes' buses carry the traffic between the nodes; that of the root's node carries one copy more.
TEST(BusCost, WhatLeavesAGroupCrossesItsBus) {
    const Hierarchy nodes = nodes_below_switch(2, 2);
    const std::size_t bytes = 1000000;
    const double us =
        cost_us(nodes, with_bus(LevelKind::node, 12.5), Algorithm::linear, 1000, {Collective::bcast, bytes});
    EXPECT_NEAR(us, bytes * together(2 / 12.5, 1 / 10.0), 2000) << "not the wire's 10 bytes/us";
    const double both = cost_us(nodes, with_bus(LevelKind::node, 12.5), Algorithm::linear, 1000,
                                {Collective::allreduce, bytes});
    EXPECT_NEAR(both, bytes * together(4 / 12.5, 1 / 10.0), 2000) << "up and down share it";
}

TEST(BusCost, BlocksAddUp) {
    const Hierarchy node = one_node(4);
    const Operation gather{Collective::gather, 4000};
    EXPECT_DOUBLE_EQ(cost_us(node, with_bus(LevelKind::node, 50), Algorithm::linear, 0, gather),
                     3000 / 50.0 + 2 + 2 * 1);
    EXPECT_LT(cost_us(node, round_links(), Algorithm::linear, 0, gather), 50);
}

TEST(BusCost, MessagesOfAnyPatternShareIt) {
    const Hierarchy node = one_node(6);
    FlatModel model(node, with_bus(LevelKind::node, 125));
    const double alone = 1 + 10 + 2 + 1;  // 1000 bytes
    EXPECT_DOUBLE_EQ(model.send(0, 1, 1000, 0), alone);
    EXPECT_DOUBLE_EQ(model.send(2, 3, 1000, 0), 16 + 4);
    EXPECT_DOUBLE_EQ(model.send(4, 5, 1000, 0), 24 + 4);
    EXPECT_DOUBLE_EQ(model.send(1, 0, 1000, 100), 100 + alone) << "idle in between";
    model.add_load(0, 1, 1000, 5);
    model.add_load(2, 3, 1000, 5);
    EXPECT_DOUBLE_EQ(model.busiest_us(), 10 * 8);
}

TEST(BusCost, MessagesBetweenGroupsShareThoseOfBoth) {
    const Hierarchy nodes = nodes_below_switch(3, 2);
    FlatModel model(nodes, with_bus(LevelKind::node, 5));
    EXPECT_DOUBLE_EQ(model.send(0, 2, 1000, 0), 5 + 200 + 50 + 5);
    EXPECT_DOUBLE_EQ(model.send(4, 3, 1000, 0), 5 + 400 + 50 + 5) << "the receivers' node";
}

/// A switch that lets a quarter of its nodes' traffic through at once. Of the separate messages the first
/// to arrive begin the next round while the others are in flight.
TEST(BusCost, RoundsAgreeWithTheMessagesOneByOne) {
    const LinkTable links = with_bus(LevelKind::switch_, 20);
    const Hierarchy nodes = nodes_below_switch(8, 1);
    for (const std::size_t bytes : {8, 4096, 1000000}) {
        MessageSchedule schedule(8);
        FlatRounds rounds(nodes);
        FlatRounds::Time time;
        FlatModel all(nodes, links);
        for (int distance = 1; distance < 8; distance *= 2) {
            for (int rank = 0; rank < 8; ++rank) {
                const int peer = rank ^ distance;
                schedule.steps[static_cast<std::size_t>(rank)].push_back({peer, bytes, peer, bytes});
            }
            rounds.add(time, all, {RoundCounts::Pattern::other, distance}, bytes, bytes,
                       [&](int rank) { return rank ^ distance; });
        }
        FlatModel single(nodes, links);
        const double one_by_one = latest(run_schedule(single, schedule));
        EXPECT_NEAR(time.us(), one_by_one, 0.03 * one_by_one) << bytes;
        EXPECT_GE(one_by_one, 3 * 8 * static_cast<double>(bytes) / 20);
        const double exchanged =
            cost_us(nodes, links, Algorithm::recursive_doubling, 0, {Collective::allreduce, bytes});
        EXPECT_NEAR(exchanged, one_by_one, 0.03 * one_by_one) << bytes;
    }
}

/// Engines move the bytes: an inner rank of a chain takes a segment in while it passes the last one on, 10 us
/// each, and the root of a star still sends one after the other.
TEST(OffloadedCost, RanksSendAndReceiveAtTheSameTime) {
    const Hierarchy node = one_node(4);
    LinkTable links = round_links();
    links.set_some({LevelKind::node, std::nullopt}, {.offloaded = true});
    const Operation bcast{Collective::bcast, 10000};
    EXPECT_DOUBLE_EQ(cost_us(node, links, Algorithm::pipeline, 1000, bcast), 3 * 14 + 9 * 10);
    EXPECT_DOUBLE_EQ(cost_us(node, links, Algorithm::linear, 0, bcast), 1 + 3 * 100 + 2 + 1);
    FlatModel model(node, links);
    MessageSchedule schedule(2);
    EXPECT_DOUBLE_EQ(model.work_us(0, 1, 1000), 1) << "no copy";
    EXPECT_DOUBLE_EQ(model.transmit(0, 1, 1000, 0), 14);
    EXPECT_DOUBLE_EQ(model.transmit(0, 2, 1000, 1), 10 + 14) << "the rank's way out is taken";
    EXPECT_DOUBLE_EQ(model.transmit(3, 0, 1000, 0), 14) << "the way in is free";
}

/// Connections that carry two transfers at once, to domains of one rank each: a root that sends four
/// transfers gains nothing from that; one rank in each of two domains with a neighbour gains.
TEST(ParallelCost, AProcessAloneHasOneTransferAtATime) {
    LinkTable links;
    links.set({LevelKind::node, std::nullopt}, {0, 0, 1000, 1 << 20});
    links.set_some({LevelKind::node, std::nullopt}, {.parallel = 2, .offloaded = true});
    constexpr std::size_t bytes = 64000;
    const auto us = [&](int ranks, int in_each) {
        const Hierarchy node = make_hierarchy(node_level, {{numa_level, blocks(ranks, in_each)}}, ranks);
        LinkTable all = links;
        all.set({LevelKind::numa, std::nullopt}, {0, 0, 1e9, 1 << 20});
        return cost_us(node, all, Algorithm::linear, 0, {Collective::bcast, bytes});
    };
    EXPECT_NEAR(us(4, 1), 3 * 64, 1);
    EXPECT_NEAR(us(8, 2), 2 * 64, 1);  // the third transfer starts half a transfer after the second
}

/// Inside a node a tree must gain 15 % where the table may have forgotten a bus, 8 % where it has one,
/// however wide.
TEST(PlanBus, LeavesLessToDoubt) {
    const Hierarchy node = make_hierarchy(node_level, {{numa_level, blocks(32, 8)}}, 32);
    LinkTable links;
    links.set({LevelKind::node, std::nullopt}, {1, 0.2, 6000, 4096});
    links.set({LevelKind::numa, std::nullopt}, {0.25, 0.2, 5000, 4096});
    LinkTable wide = links;
    wide.set_some({LevelKind::numa, std::nullopt}, {.bus_bytes_per_us = 1e12});
    int more = 0;
    for (std::size_t bytes = 8; bytes <= mib; bytes += bytes / 4 + 8) {
        for (const Collective collective : {Collective::reduce, Collective::allreduce}) {
            const Plan doubtful = make_plan(node, links, {}, {collective, bytes});
            const Plan plan = make_plan(node, wide, {}, {collective, bytes});
            if (doubtful.engine != Engine::forward) {
                EXPECT_LE(doubtful.predicted_us, 0.85 * doubtful.forward_us);
            }
            if (plan.engine != Engine::forward) {
                EXPECT_LE(plan.predicted_us, 0.92 * plan.forward_us);
                more += doubtful.engine == Engine::forward ? 1 : 0;
            }
        }
    }
    EXPECT_GT(more, 0);
}

}  // namespace
}  // namespace bus_test
