// Predicted costs of exchanges on the topmost level: sums computed by hand, and the same messages one by
// one.
#include <gtest/gtest.h>

#include <bit>

#include "algorithms/cost/links.h"
#include "algorithms/cost/model.h"
#include "algorithms/openmpi_cost/steps.h"
#include "algorithms/patterns/reduction_links.h"
#include "plans.h"

namespace rounds_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;

double combine(double bytes) { return bytes / combined_bytes_per_us; }
/// A message between nodes of round_links(), without contention.
double message(double bytes) { return 5 + bytes / 10 + 50 + 5; }

/// One rank per node, `method` on the topmost level; `alone`: leaf switches are skipped.
Plan exchanging(const Hierarchy& hierarchy, Algorithm method, bool alone = false) {
    Plan plan = uniform(hierarchy, Algorithm::linear, 0);
    plan.levels.front().method = {method, 0, {}};
    if (alone) {
        std::erase_if(plan.levels, [](const LevelPlan& level) { return level.level == leaf_switch; });
        plan.skipped.push_back(leaf_switch);
    }
    return plan;
}

double cost_us(const Hierarchy& hierarchy, Algorithm method, std::size_t bytes, bool alone = false,
               const LinkTable& links = round_links()) {
    return tree_cost_us(hierarchy, links, exchanging(hierarchy, method, alone),
                        {Collective::allreduce, bytes});
}

TEST(HalvingCost, ByHand) {
    const auto between = [](int nodes, std::size_t bytes) {
        return cost_us(nodes_below_switch(nodes, 1), Algorithm::rabenseifner, bytes);
    };
    EXPECT_NEAR(between(2, 8000), message(8000) + combine(8000), 1e-6);
    EXPECT_NEAR(between(4, 8000), 3 * message(4000) + 2 * combine(4000), 1e-6);
    EXPECT_NEAR(between(8, 8000), 2 * message(4000) + combine(4000) + 3 * message(2000) + 2 * combine(2000),
                1e-6);
    // Three pair up with one each before and after.
    EXPECT_NEAR(between(7, 8000), 2 * message(8000) + combine(8000) + between(4, 8000), 1e-6);
}

/// Eight nodes on two sites: distances of one and two stay on a site, then four pairs share its uplink.
TEST(RoundsCost, PairsShareAnUplink) {
    const Hierarchy sites = sites_of_nodes(2, 4, 1);
    const auto shared = [](double bytes) { return 3 * std::max(5.0, bytes / 10) + message(bytes); };
    EXPECT_NEAR(cost_us(sites, Algorithm::recursive_doubling, 8000, true),
                2 * message(8000) + shared(8000) + 3 * combine(8000), 1e-6);
    EXPECT_NEAR(cost_us(sites, Algorithm::recursive_doubling, 1, true),
                2 * message(1) + shared(1) + 3 * combine(1), 1e-6);
    EXPECT_NEAR(cost_us(sites, Algorithm::rabenseifner, 8000, true),
                2 * message(4000) + 2 * message(2000) + shared(2000) + combine(4000) + 2 * combine(2000),
                1e-6);
}

/// One node of three on each site has a proxy on its site: their messages never meet; those of each site's
/// other two share the uplink.
TEST(RoundsCost, PairsBelowTheirSwitch) {
    const Hierarchy sites = sites_of_nodes(2, 3, 1);
    EXPECT_NEAR(
        cost_us(sites, Algorithm::rabenseifner, 8000, true),
        2 * message(8000) + combine(8000) + 2 * message(4000) + message(4000) + 400 + 2 * combine(4000),
        1e-6);
    // In rank order the third node of one site and the first of the other make a pair: before, after, and
    // in both rounds messages cross the uplink, each alone.
    EXPECT_NEAR(cost_us(sites, Algorithm::recursive_doubling, 8000, true),
                4 * message(8000) + 3 * combine(8000), 1e-6);
}

/// The messages of the places, as a schedule for all links.
MessageSchedule schedule_of(const Hierarchy& hierarchy, const Plan& plan, std::size_t bytes) {
    MessageSchedule schedule(hierarchy.ranks());
    const auto places = halving_places(hierarchy, plan);
    const auto trade = [&](std::size_t distance, std::size_t size, bool combines) {
        for (std::size_t place = 0; place < places.size(); ++place) {
            const int peer = places[place ^ distance].rank;
            schedule.steps[places[place].rank].push_back(
                {.to = peer, .bytes = size, .from = peer, .combined = combines ? size : 0});
        }
    };
    for (const HalvingPlace& place : places) {
        if (place.partner < 0) continue;
        schedule.send(place.partner, place.rank, bytes);
        schedule.receive(place.rank, place.partner, bytes);
    }
    std::size_t distance = 1;
    std::size_t size = bytes;
    for (; 2 * distance < places.size(); distance *= 2) trade(distance, size /= 2, true);
    trade(distance, size, true);
    for (distance /= 2; distance > 0; distance /= 2, size *= 2) trade(distance, size, false);
    for (const HalvingPlace& place : places) {
        if (place.partner < 0) continue;
        schedule.send(place.rank, place.partner, bytes);
        schedule.receive(place.partner, place.rank);
    }
    return schedule;
}

/// In rounds, or message by message: equal except for ranks that need not wait for a round's last message
/// and then meet messages of another round.
TEST(RoundsCost, AgreesWithTheMessagesOneByOne) {
    const LinkTable eager = round_links();
    LinkTable uplinks = two_sites(60);
    uplinks.set_eager_limits(65536, 4096);
    for (const LinkTable& links : {eager, uplinks}) {
        for (const auto& [sites, nodes] :
             {std::pair(1, 8), {2, 4}, {2, 3}, {4, 4}, {3, 5}, {7, 2}, {1, 13}}) {
            const Hierarchy hierarchy =
                sites == 1 ? nodes_below_switch(nodes, 1) : sites_of_nodes(sites, nodes, 1);
            for (const std::size_t bytes : {512, 4096, 32768, 262144}) {
                const double rounds = cost_us(hierarchy, Algorithm::rabenseifner, bytes, sites > 1, links);
                FlatModel model(hierarchy, links);
                const Plan plan = exchanging(hierarchy, Algorithm::rabenseifner, sites > 1);
                const double single = latest(run_schedule(model, schedule_of(hierarchy, plan, bytes)));
                const bool alike = sites == 1 && nodes == 8;
                EXPECT_GE(rounds, single * (alike ? 0.999 : 0.8)) << sites << ' ' << nodes << ' ' << bytes;
                EXPECT_LE(rounds, single * (alike ? 1.001 : 1.2)) << sites << ' ' << nodes << ' ' << bytes;
            }
        }
    }
}

/// Among all ranks, with no level left below the topmost one: inside nodes processors move the bytes, between
/// them those of one node share its NIC, which starts over for every round.
TEST(RoundsCost, AmongAllRanks) {
    for (const auto& [nodes, per_node] : {std::pair(2, 2), {4, 4}, {8, 2}, {3, 4}, {4, 6}}) {
        const Hierarchy hierarchy = nodes_below_switch(nodes, per_node);
        Plan plan = uniform(hierarchy, Algorithm::rabenseifner, 0);
        plan.levels.pop_back();
        plan.skipped.push_back(node_level);
        for (const std::size_t bytes : {4096, 32768, 262144}) {
            const double rounds =
                tree_cost_us(hierarchy, round_links(), plan, {Collective::allreduce, bytes});
            FlatModel model(hierarchy, round_links());
            const double single = latest(run_schedule(model, schedule_of(hierarchy, plan, bytes)));
            EXPECT_GE(rounds, single * 0.8) << nodes << ' ' << per_node << ' ' << bytes;
            EXPECT_LE(rounds, single * 1.3) << nodes << ' ' << per_node << ' ' << bytes;
        }
    }
}

double blocks_us(const Hierarchy& hierarchy, double bytes, bool alone = false,
                 const LinkTable& links = round_links()) {
    return tree_cost_us(hierarchy, links, exchanging(hierarchy, Algorithm::recursive_doubling, alone),
                        {Collective::allgather, static_cast<std::size_t>(bytes)});
}

TEST(DoublingCost, ByHand) {
    const auto between = [](int nodes, double bytes) {
        return blocks_us(nodes_below_switch(nodes, 1), bytes);
    };
    EXPECT_NEAR(between(2, 8000), message(4000), 1e-6);
    EXPECT_NEAR(between(4, 8000), message(2000) + message(4000), 1e-6);
    EXPECT_NEAR(between(8, 8000), message(1000) + message(2000) + message(4000), 1e-6);
    // Three ranks send to a proxy before the rounds and receive the result at the end.
    EXPECT_NEAR(between(7, 7000), message(1000) + message(2000) + message(4000) + message(6000), 1e-6);
}

/// Two sites of four nodes: all cross the uplink first, when they have nothing but their own.
TEST(DoublingCost, CrossesAnUplinkWhileItIsShort) {
    const Hierarchy sites = sites_of_nodes(2, 4, 1);
    EXPECT_NEAR(blocks_us(sites, 8000, true), 3 * 1000 / 10. + message(1000) + message(2000) + message(4000),
                1e-6);
    EXPECT_NEAR(blocks_us(sites, 8, true), 3 * 5 + message(1) + message(2) + message(4), 1e-6);
}

/// Cut messages cost the processor more, and a round trip for each window of those that are acknowledged.
TEST(DoublingCost, CutMessages) {
    const Hierarchy nodes = nodes_below_switch(4, 1);
    Plan plan = exchanging(nodes, Algorithm::recursive_doubling);
    const auto cut = [&](std::size_t segment) {
        plan.levels.front().segment_bytes = segment;
        return tree_cost_us(nodes, round_links(), plan, {Collective::allgather, 80000});
    };
    EXPECT_NEAR(cut(0), message(20000) + message(40000), 1e-6);
    EXPECT_NEAR(cut(40000), cut(0), 1e-6);
    // Of 5 and 10 messages four are in flight.
    const double round = 5 + 50 + 50 + 4000 / 10.;
    EXPECT_NEAR(cut(4000),
                std::max(message(20000), 5 / 4. * round) + std::max(message(40000), 10 / 4. * round), 1e-6);
    EXPECT_NEAR(cut(100), 200 / 4. * (5 + 50 + 50 + 10) + 400 / 4. * (5 + 50 + 50 + 10), 1e-6);
}

/// Messages cross a far uplink once, in any division: the rounds below do not see it.
TEST(DoublingCost, AFarUplinkIsWaitedForOnce) {
    const Hierarchy sites = sites_of_nodes(2, 4, 1);
    for (const std::size_t segment : {0, 4000}) {
        Plan plan = exchanging(sites, Algorithm::recursive_doubling, true);
        plan.levels.front().segment_bytes = segment;
        const auto us = [&](double latency_us) {
            return tree_cost_us(sites, two_sites(latency_us), plan, {Collective::allgather, 64000});
        };
        EXPECT_NEAR(us(10050) - us(50), 10000, 1e-6) << segment;
    }
}

/// Nodes of two: up and down inside them around the rounds.
TEST(DoublingCost, AroundTheNodes) {
    const double inside = blocks_us(nodes_below_switch(4, 2), 8000) - message(2000) - message(4000);
    const double up = 1 + 1000 / 100. + 2 + 1;
    const double down = 1 + 7000 / 100. + 2 + 1;
    EXPECT_NEAR(inside, up + down, 1e-6);
}

/// The messages between the places, as a schedule for all links.
MessageSchedule doubling_schedule(const Hierarchy& hierarchy, const Plan& plan, std::size_t bytes) {
    MessageSchedule schedule(hierarchy.ranks());
    const std::size_t block = bytes / hierarchy.stop.size();
    const auto places = halving_places(hierarchy, plan);
    std::vector<std::size_t> held;
    for (const HalvingPlace& place : places) {
        held.push_back(place.partner < 0 ? block : 2 * block);
        if (place.partner < 0) continue;
        schedule.send(place.partner, place.rank, block);
        schedule.receive(place.rank, place.partner);
    }
    for (std::size_t distance = places.size() / 2; distance > 0; distance /= 2) {
        const std::vector<std::size_t> before = held;
        for (std::size_t place = 0; place < places.size(); ++place) {
            const int peer = places[place ^ distance].rank;
            schedule.steps[places[place].rank].push_back({.to = peer, .bytes = before[place], .from = peer});
            held[place] += before[place ^ distance];
        }
    }
    for (const HalvingPlace& place : places) {
        if (place.partner < 0) continue;
        schedule.send(place.rank, place.partner, bytes - block);
        schedule.receive(place.partner, place.rank);
    }
    return schedule;
}

/// If some ranks use a proxy, all wait for them in the rounds, and messages count as long as theirs.
TEST(DoublingCost, AgreesWithTheMessagesOneByOne) {
    const LinkTable eager = round_links();
    LinkTable uplinks = two_sites(60);
    uplinks.set_eager_limits(65536, 4096);
    for (const LinkTable& links : {eager, uplinks}) {
        for (const auto& [sites, nodes] :
             {std::pair(1, 8), {2, 4}, {2, 3}, {4, 4}, {3, 5}, {7, 2}, {1, 13}}) {
            const Hierarchy hierarchy =
                sites == 1 ? nodes_below_switch(nodes, 1) : sites_of_nodes(sites, nodes, 1);
            for (const std::size_t block : {64, 1024, 8192}) {
                const std::size_t bytes = block * hierarchy.stop.size();
                const double rounds = blocks_us(hierarchy, static_cast<double>(bytes), sites > 1, links);
                FlatModel model(hierarchy, links);
                const Plan plan = exchanging(hierarchy, Algorithm::recursive_doubling, sites > 1);
                const double single = latest(run_schedule(model, doubling_schedule(hierarchy, plan, bytes)));
                const bool alike = sites == 1 && nodes == 8;
                const double most = alike ? 1.001 : std::has_single_bit(hierarchy.stop.size()) ? 1.2 : 1.4;
                EXPECT_GE(rounds, single * (alike ? 0.999 : 0.8)) << sites << ' ' << nodes << ' ' << bytes;
                EXPECT_LE(rounds, single * most) << sites << ' ' << nodes << ' ' << bytes;
            }
        }
    }
}

/// Every NIC sends all blocks but its own once, a star's middle once per neighbour.
TEST(DoublingCost, LongBlocksLeaveANicOnce) {
    const Hierarchy nodes = nodes_below_switch(8, 1);
    const double once = 1000000 / 10. * 7 / 8;
    EXPECT_NEAR(blocks_us(nodes, 1000000), once, 0.01 * once);
    EXPECT_GT(tree_cost_us(nodes, round_links(), uniform(nodes, Algorithm::linear, 0),
                           {Collective::allgather, 1000000}),
              6 * once);
}

/// A byte of a long vector leaves a node twice, not in every round; for short vectors the rounds count.
TEST(HalvingCost, BetweenShortAndLong) {
    const Hierarchy nodes = nodes_below_switch(16, 1);
    EXPECT_LT(cost_us(nodes, Algorithm::recursive_doubling, 8), cost_us(nodes, Algorithm::rabenseifner, 8));
    EXPECT_GT(cost_us(nodes, Algorithm::recursive_doubling, 1000000),
              1.9 * cost_us(nodes, Algorithm::rabenseifner, 1000000));
}

}  // namespace
}  // namespace rounds_test
