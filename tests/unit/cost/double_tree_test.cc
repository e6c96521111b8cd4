// Predicted costs of double trees: sums computed by hand, and comparisons with other
// shapes.
#include <gtest/gtest.h>

#include "algorithms/cost/links.h"
#include "algorithms/cost/model.h"
#include "plans.h"

namespace double_tree_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;

double us(const Hierarchy& hierarchy, const Plan& plan, std::size_t bytes, int root = 0,
          Collective collective = Collective::bcast) {
    return tree_cost_us(hierarchy, round_links(), plan, {collective, bytes, root});
}

/// One rank per node, below one switch.
Hierarchy lone_nodes(int nodes) { return make_hierarchy(leaf_switch, {}, nodes); }

/// 0 -> 1;  1 -> 2 3  and  0 -> 3;  3 -> 2 1.
TEST(DoubleTreeCost, OneMessageEach) {
    const Hierarchy node = one_node(4);
    const double hop = 1 + 1 + 2 + 1;  // overhead, copy of 100 bytes, latency, overhead
    EXPECT_DOUBLE_EQ(us(node, uniform(node, Algorithm::double_binary, 0), 200), hop + (1 + 1) + hop);
    EXPECT_DOUBLE_EQ(us(node, uniform(node, Algorithm::double_binary, 0), 199), hop + (1 + 1) + hop)
        << "the longer half counts";
    EXPECT_DOUBLE_EQ(us(one_node(2), uniform(node, Algorithm::double_binary, 0), 200), hop);
}

/// Segments of 1000 bytes, five in each half. An inner rank's processor copies every half that it receives
/// once and that of its tree twice more, in 10 + 1 us each; of the first tree rank 3 has the first segment
/// after a hop of 14 us, the segment for rank 2, and another hop.
TEST(DoubleTreeCost, BothLoadTheProcessor) {
    const Hierarchy node = one_node(4);
    EXPECT_DOUBLE_EQ(us(node, uniform(node, Algorithm::double_binary, 1000), 10000),
                     14 + 11 + 14 + 4 * (4 * 11));
}

/// 0 -> 1;  1 -> 3 2  and  0 -> 2 3;  2 -> 1.
TEST(DoubleTreeCost, SplitBinary) {
    const Hierarchy node = one_node(4);
    const double hop = 1 + 1 + 2 + 1;
    EXPECT_DOUBLE_EQ(us(node, uniform(node, Algorithm::split_binary, 0), 200), hop + (1 + 1) + hop);
}

/// Below an exchange on the topmost level there is one binary tree.
TEST(DoubleTreeCost, OneTreeBelowAnExchange) {
    const Hierarchy nodes = nodes_below_switch(4, 7);
    for (const Algorithm top : {Algorithm::recursive_doubling, Algorithm::rabenseifner}) {
        for (const Algorithm below : {Algorithm::double_binary, Algorithm::split_binary}) {
            Plan plan = uniform(nodes, below, 0);
            plan.levels.front().method = {top, 0, {}};
            Plan one = uniform(nodes, Algorithm::binary, 0);
            one.levels.front().method = plan.levels.front().method;
            EXPECT_EQ(us(nodes, plan, 30000, 0, Collective::allreduce),
                      us(nodes, one, 30000, 0, Collective::allreduce));
        }
    }
}

/// A long vector leaves every node once, as in a chain, where a binary tree sends it twice; a middle one is
/// there long before the chain's last rank has it.
TEST(DoubleTreeCost, OnceOverEveryNic) {
    const Hierarchy nodes = lone_nodes(64);
    const auto cost = [&](Algorithm algorithm, std::size_t bytes) {
        return us(nodes, uniform(nodes, algorithm, 4096), bytes);
    };
    const double limit = 64 * mib / 10.0;
    EXPECT_GT(cost(Algorithm::double_binary, 64 * mib), limit);
    EXPECT_LT(cost(Algorithm::double_binary, 64 * mib), 1.05 * limit);
    EXPECT_GT(cost(Algorithm::binary, 64 * mib), 1.95 * limit);
    for (const std::size_t bytes : {64 * kib, 256 * kib}) {
        EXPECT_LT(cost(Algorithm::double_binary, bytes), 0.75 * cost(Algorithm::pipeline, bytes));
        EXPECT_LT(cost(Algorithm::double_binary, bytes), cost(Algorithm::binary, bytes));
    }
    EXPECT_GT(cost(Algorithm::double_binary, 8), cost(Algorithm::binomial, 8)) << "latency counts";
}

/// The leaders of two sites of three nodes: the root's NIC carries one vector to the other site and one to
/// its own nodes, one message after the other.
TEST(DoubleTreeCost, OneNicServesOneMessageAfterTheOther) {
    const Hierarchy sites = sites_of_nodes(2, 3, 3);
    const std::size_t bytes = 10000000;
    for (const Collective collective : {Collective::bcast, Collective::reduce}) {
        for (const Algorithm algorithm : {Algorithm::double_binary, Algorithm::split_binary}) {
            const double once = bytes / 10.0;
            EXPECT_GT(us(sites, uniform(sites, algorithm, 4096), bytes, 0, collective), 2 * once);
            EXPECT_LT(us(sites, uniform(sites, algorithm, 4096), bytes, 0, collective), 2.2 * once);
        }
    }
}

/// Nodes of 8 that take part rank by rank: each half enters a node once, and two leave it.
TEST(DoubleTreeCost, OnceOverTheNicsOfSkippedNodes) {
    const Hierarchy nodes = nodes_below_switch(8, 8);
    LinkTable links;
    links.set({LevelKind::node, std::nullopt}, {0.5, 0.1, 10000, 1024 * mib});
    links.set({LevelKind::switch_, std::nullopt}, {5, 1, 10, 1024 * mib});
    Plan plan = uniform(nodes, Algorithm::double_binary, 4096);
    plan.levels.pop_back();
    plan.skipped = {node_level};
    for (const Collective collective : {Collective::bcast, Collective::reduce}) {
        const double us = tree_cost_us(nodes, links, plan, {collective, 16 * mib, 5});
        EXPECT_GT(us, 16 * mib / 10.0);
        EXPECT_LT(us, 1.1 * 16 * mib / 10.0);
    }
}

/// A reduction is the reversed broadcast plus combining; both directions take longer than one.
TEST(DoubleTreeCost, OfReductions) {
    const Hierarchy nodes = nodes_below_switch(6, 5);
    for (const auto& hierarchy : {one_node(2), one_node(11), lone_nodes(16), nodes}) {
        for (const Algorithm algorithm : {Algorithm::double_binary, Algorithm::split_binary}) {
            for (const std::size_t segment : {0, 1000, 60000}) {
                for (const std::size_t bytes : {1, 1000, 100000, 10000000}) {
                    Plan plan = uniform(hierarchy, algorithm, segment);
                    if (plan.levels.size() > 1) {
                        plan.levels.pop_back();
                        plan.skipped = {node_level};
                    }
                    const double bcast = us(hierarchy, plan, bytes);
                    const double reduce = us(hierarchy, plan, bytes, 0, Collective::reduce);
                    EXPECT_GT(reduce, bcast);
                    EXPECT_LT(reduce,
                              bcast + hierarchy.ranks() * static_cast<double>(bytes) / combined_bytes_per_us);
                    const double both = us(hierarchy, plan, bytes, 0, Collective::allreduce);
                    EXPECT_LE(both, 1.001 * (bcast + reduce));
                    EXPECT_GE(both, reduce) << hierarchy.ranks() << ' ' << segment << ' ' << bytes;
                }
            }
        }
    }
}

TEST(DoubleTreeCost, TheSameEveryTimeAndForEveryRootAlike) {
    const Hierarchy nodes = lone_nodes(16);
    const Hierarchy inside = nodes_below_switch(6, 5);
    Plan merged = uniform(inside, Algorithm::double_binary, 4096);
    merged.levels.pop_back();
    merged.skipped = {node_level};
    for (const Collective collective : {Collective::bcast, Collective::reduce, Collective::allreduce}) {
        for (const Algorithm algorithm : {Algorithm::double_binary, Algorithm::split_binary}) {
            const Plan plan = uniform(nodes, algorithm, 4096);
            const double first = us(nodes, plan, 100001, 0, collective);
            for (int root = 1; root < 16; ++root) {
                EXPECT_DOUBLE_EQ(us(nodes, plan, 100001, root, collective), first) << root;
            }
        }
        for (int root = 0; root < 30; ++root) {
            EXPECT_EQ(us(inside, merged, 100001, root, collective),
                      us(inside, merged, 100001, root, collective));
        }
    }
}

/// Three nodes of four ranks, of which the last two are next to the NIC. A narrow path to the others delays
/// trees over all ranks, which enter every node at both ends, but no chain, which enters next to the NIC. If
/// the path from there is narrow as well, both are delayed.
TEST(DoubleTreeCost, PathsToRanksFarFromTheNic) {
    Hierarchy far = make_hierarchy(leaf_switch, {{node_level, blocks(12, 4)}}, 12);
    for (Group& group : far.groups) group.leader = group.members.front() + 2;
    for (int rank = 0; rank < 12; ++rank) far.receivers.push_back(rank % 4 < 2 ? rank / 4 * 4 + 2 : rank);
    Hierarchy near = far;
    near.receivers.clear();
    const auto slower = [&](Collective collective, Algorithm algorithm, double share, double send_share) {
        LinkTable links = round_links();
        links.set_some({leaf_switch.kind, std::nullopt}, {.far_share = share, .far_send_share = send_share});
        Plan plan = uniform(far, algorithm, 4096);
        plan.skipped.push_back(node_level);
        const Operation operation{collective, mib, 0};
        return tree_cost_us(far, links, plan, operation) / tree_cost_us(near, links, plan, operation);
    };
    for (const Collective collective : {Collective::bcast, Collective::reduce, Collective::allreduce}) {
        EXPECT_EQ(slower(collective, Algorithm::double_binary, 0, 0), 1) << name_of(collective);
        const double slightly = slower(collective, Algorithm::double_binary, 0.01, 0.01);
        EXPECT_GE(slightly, 1) << name_of(collective);
        EXPECT_LT(slightly, 1.02) << name_of(collective);
        EXPECT_GT(slower(collective, Algorithm::double_binary, 4, 0), 1.3) << name_of(collective);
        EXPECT_EQ(slower(collective, Algorithm::pipeline, 4, 0), 1) << name_of(collective);
        EXPECT_GT(slower(collective, Algorithm::double_binary, 0, 4), 1.3) << name_of(collective);
        EXPECT_GT(slower(collective, Algorithm::pipeline, 0, 4), 1.3) << name_of(collective);
    }
}

/// A rank that stops above the nodes is near: it has no node whose NIC could be far.
TEST(DoubleTreeCost, RanksWithoutANodeAreNear) {
    Hierarchy far = make_hierarchy(leaf_switch, {{node_level, {0, 0, 0, 0, 1, 1, 1, 1, -1}}}, 9);
    far.receivers = {2, 2, 2, 3, 6, 6, 6, 7, 8};
    for (Group& group : far.groups) group.leader = group.members.front() + 2;
    Plan plan = uniform(far, Algorithm::double_binary, 4096);
    plan.skipped.push_back(node_level);
    for (const Collective collective : {Collective::bcast, Collective::reduce, Collective::allreduce}) {
        const double us = tree_cost_us(far, round_links(), plan, {collective, mib, 8});
        EXPECT_GT(us, mib / 10.0) << name_of(collective);
        EXPECT_LT(us, 10 * mib / 10.0) << name_of(collective);
    }
}

}  // namespace
}  // namespace double_tree_test
