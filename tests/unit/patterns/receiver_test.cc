// Gather and Reduce to a root far from its node's NIC, and Bcast from it: a NIC-local rank receives the
// messages from other nodes, or sends those to them.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>

#include "algorithms/patterns/tree.h"
#include "bcast_runs.h"
#include "block_oracle.h"
#include "block_runs.h"
#include "random_shapes.h"
#include "reduce_oracle.h"
#include "reduce_runs.h"
#include "skipped_levels.h"

namespace receiver_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;
using strata::topology::Group;
using strata::topology::Hierarchy;
using strata::topology::LevelKind;

/// `nodes` nodes of two packages with two ranks each; the second package is near the NIC.
Hierarchy nic_at_second_package(int nodes) {
    Hierarchy hierarchy = regular_hierarchy({nodes, 2, 2});
    for (Group& group : hierarchy.groups) {
        const bool inside = group.parent >= 0;
        group.level = {inside ? group.depth == 1 ? LevelKind::node : LevelKind::package : LevelKind::cluster,
                       0};
        if (group.depth < 2) group.leader = group.members.front() + 2;
    }
    for (int rank = 0; rank < hierarchy.ranks(); ++rank) {
        hierarchy.receivers.push_back(rank % 4 < 2 ? rank / 4 * 4 + 2 : rank);
    }
    EXPECT_EQ(strata::topology::validate(hierarchy), "");
    return hierarchy;
}

/// Leaders of the widest groups inside nodes receive for a random part of the others.
void draw_receivers(Random& random, Hierarchy& hierarchy) {
    hierarchy.receivers.clear();
    for (int rank = 0; rank < hierarchy.ranks(); ++rank) {
        const int node = hierarchy.widest_in_node(rank);
        hierarchy.receivers.push_back(node >= 0 && random.percent(80) ? hierarchy.groups[node].leader : rank);
    }
}

BlockCase gather(const Hierarchy& hierarchy, int root, bool nic_local) {
    BlockCase run;
    run.hierarchy = hierarchy;
    run.plan = uniform_plan(hierarchy, {Algorithm::linear, 0, {}}, 0);
    run.plan.nic_local = nic_local;
    run.flow = ChunkDirection::to_root;
    run.root = root;
    for (int rank = 0; rank < hierarchy.ranks(); ++rank) run.bytes.push_back(1U << rank);
    return run;
}

std::vector<std::string> check(const BlockCase& run, const RunReport& report, int receiver) {
    return check_block_bytes(run.hierarchy, run.flow, run.root, run.bytes, segments_by_group(run),
                             report.messages, receiver);
}

using Edges = std::map<std::pair<int, int>, std::vector<std::size_t>>;

Edges edges_of(const RunReport& report) {
    Edges edges;
    for (const SentMessage& message : report.messages) {
        edges[{message.from, message.to}].push_back(message.bytes);
    }
    return edges;
}

TEST(Receiver, EveryMessageOfAFarRoot) {
    // Blocks are powers of two: a message's size identifies its blocks.
    const BlockCase run = gather(nic_at_second_package(3), 0, true);
    const RunReport report = run_blocks(run, {});
    EXPECT_EQ(report.text(), "");
    const Edges inside_others{{{5, 4}, {1U << 5}}, {{4, 6}, {3U << 4}},  {{7, 6}, {1U << 7}},
                              {{9, 8}, {1U << 9}}, {{8, 10}, {3U << 8}}, {{11, 10}, {1U << 11}}};
    Edges near{{{6, 2}, {15U << 4}},
               {{10, 2}, {15U << 8}},
               {{3, 2}, {1U << 3}},
               {{1, 0}, {1U << 1}},
               {{2, 0}, {(3U << 2) + (255U << 4)}}};
    near.insert(inside_others.begin(), inside_others.end());
    EXPECT_EQ(edges_of(report), near);
    EXPECT_EQ(check(run, report, 2), std::vector<std::string>{});

    Edges far{{{6, 0}, {15U << 4}},
              {{10, 0}, {15U << 8}},
              {{3, 2}, {1U << 3}},
              {{1, 0}, {1U << 1}},
              {{2, 0}, {3U << 2}}};
    far.insert(inside_others.begin(), inside_others.end());
    EXPECT_EQ(edges_of(run_blocks(gather(run.hierarchy, 0, false), {})), far);
    // A NIC-local root receives itself, for any plan.
    EXPECT_EQ(edges_of(run_blocks(gather(run.hierarchy, 3, true), {})),
              edges_of(run_blocks(gather(run.hierarchy, 3, false), {})));
}

TEST(Receiver, SegmentsOfTheLevelWhereBothMeet) {
    BlockCase run = gather(nic_at_second_package(2), 1, true);
    run.bytes.assign(8, 100);
    for (LevelPlan& level : run.plan.levels) {
        level.segment_bytes = level.level.kind == LevelKind::node ? 150 : 40;
    }
    const RunReport report = run_blocks(run, {});
    EXPECT_EQ(report.text(), "");
    const Edges edges = edges_of(report);
    EXPECT_EQ(edges.at({6, 2}), (std::vector<std::size_t>{40, 40, 40, 40, 40, 40, 40, 40, 40, 40}));
    EXPECT_EQ(edges.at({2, 1}), (std::vector<std::size_t>{150, 150, 150, 150}));
    EXPECT_EQ(check(run, report, 2), std::vector<std::string>{});
}

TEST(Receiver, TheOracleFindsAnotherReceiver) {
    const auto mentions = [](const std::vector<std::string>& faults, const char* words) {
        return std::any_of(faults.begin(), faults.end(),
                           [&](const std::string& fault) { return fault.find(words) != std::string::npos; });
    };
    const BlockCase near = gather(nic_at_second_package(3), 0, true);
    EXPECT_TRUE(mentions(check(near, run_blocks(near, {}), 0), "is reached through rank 2 instead of 0"));
    const BlockCase far = gather(near.hierarchy, 0, false);
    EXPECT_TRUE(mentions(check(far, run_blocks(far, {}), 2), "is reached through rank 0 instead of 2"));
}

TEST(Receiver, NextToTheRootInEveryShape) {
    const Hierarchy hierarchy = nic_at_second_package(3);
    Random random(7);
    for (int round = 0; round < 200; ++round) {
        Plan plan = random_tree_plan(random, hierarchy, 100);
        plan.nic_local = true;
        EXPECT_EQ(tree_links(hierarchy, plan, 5, 6).parent.peer, 5);
        for (const TreeLinks::Edge& edge : tree_links(hierarchy, plan, 5, 5).children) {
            EXPECT_EQ(edge.peer / 4, 1) << "the root talks to its own node only";
        }
    }
}

/// Any shapes, roots and sizes: right data, and exactly the bytes that have to cross every boundary, through
/// the receiver where that is another node's.
TEST(Receiver, RandomGathers) {
    int moved = 0;
    for (std::uint64_t seed = 1; seed <= 800; ++seed) {
        Random random(seed);
        BlockCase run;
        run.hierarchy = random_hierarchy(random, {32, 6});
        draw_receivers(random, run.hierarchy);
        ASSERT_EQ(strata::topology::validate(run.hierarchy), "");
        run.plan = random_tree_plan(random, run.hierarchy, 200);
        run.plan.nic_local = true;
        run.plan.window = random.between(1, 4);
        run.flow = ChunkDirection::to_root;
        run.root = random.between(0, run.hierarchy.ranks() - 1);
        run.bytes = random_block_bytes(random, run.hierarchy.ranks(), 200);
        run.placement = static_cast<BlockPlacement>(random.below(3));
        const int receiver = run.hierarchy.receiver_of(run.root);
        const RunReport report = run_blocks(run, {});
        ASSERT_EQ(report.text(), "") << "seed " << seed << ": " << describe(run);
        ASSERT_EQ(check(run, report, receiver), std::vector<std::string>{}) << describe(run);
        moved += receiver != run.root ? 1 : 0;
    }
    EXPECT_GT(moved, 100);
}

TEST(Receiver, PartialResultsOfAReduce) {
    ReduceCase reduce;
    reduce.hierarchy = nic_at_second_package(3);
    reduce.plan = uniform_plan(reduce.hierarchy, {Algorithm::linear, 0, {}}, 0);
    reduce.plan.nic_local = true;
    reduce.root = 0;
    reduce.elements = 50;
    const ReduceRun run = run_reduce(reduce, {});
    EXPECT_EQ(faults_of(reduce, run), "");
    std::map<int, int> sent_to;
    for (const SentMessage& message : run.report.messages) sent_to[message.from] = message.to;
    EXPECT_EQ(run.report.messages.size(), 11U);
    EXPECT_EQ(
        sent_to,
        (std::map<int, int>{
            {1, 0}, {2, 0}, {3, 2}, {4, 6}, {5, 4}, {6, 2}, {7, 6}, {8, 10}, {9, 8}, {10, 2}, {11, 10}}));
}

TEST(Receiver, RandomReductions) {
    int moved = 0;
    for (std::uint64_t seed = 1; seed <= 800; ++seed) {
        Random random(seed);
        ReduceCase reduce = random_reduction(random, 32, 300);
        draw_receivers(random, reduce.hierarchy);
        reduce.plan.nic_local = !reduce.rank_order;
        const ReduceRun run = run_reduce(reduce, {});
        ASSERT_EQ(faults_of(reduce, run), "") << "seed " << seed << ": " << describe(reduce);
        ASSERT_EQ(check_reduce_bytes(reduce.hierarchy, reduce.root, reduce.bytes(), reduce.segment_bytes(),
                                     run.report.messages),
                  std::vector<std::string>{});
        const int receiver = reduce.hierarchy.receiver_of(reduce.root);
        if (!reduce.plan.nic_local || receiver == reduce.root) continue;
        ++moved;
        const Group& node = reduce.hierarchy.groups[reduce.hierarchy.widest_in_node(reduce.root)];
        for (const SentMessage& message : run.report.messages) {
            const auto inside = [&](int rank) {
                return std::binary_search(node.members.begin(), node.members.end(), rank);
            };
            if (inside(message.to) && !inside(message.from)) {
                ASSERT_EQ(message.to, receiver) << describe(reduce);
            }
        }
    }
    EXPECT_GT(moved, 50);
}

/// Every rank gets each byte once, those of other nodes through the process next to the root's NIC.
TEST(Receiver, RandomBroadcasts) {
    int moved = 0;
    for (std::uint64_t seed = 1; seed <= 800; ++seed) {
        Random random(seed);
        BcastCase bcast;
        bcast.hierarchy = random_hierarchy(random, {32, 6});
        draw_receivers(random, bcast.hierarchy);
        bcast.bytes = random.below(3000);
        bcast.plan = random_tree_plan(random, bcast.hierarchy, bcast.bytes);
        bcast.plan.nic_local = true;
        if (seed % 2 == 0) skip_some(random, bcast.hierarchy, bcast.plan);
        bcast.root = random.between(0, bcast.hierarchy.ranks() - 1);
        const RunReport run = run_tree(bcast, {});
        ASSERT_EQ(run.text(), "") << "seed " << seed;
        std::map<int, std::size_t> received;
        const int node = bcast.hierarchy.widest_in_node(bcast.root);
        // Without a level for the node, its other parts send to other nodes as well.
        const bool alone = node >= 0 && used_group(bcast.hierarchy, node, bcast.plan.skipped) == node;
        const int receiver = alone ? bcast.hierarchy.receiver_of(bcast.root) : bcast.root;
        for (const SentMessage& message : run.messages) {
            received[message.to] += message.bytes;
            if (receiver == bcast.root || !bcast.hierarchy.contains(node, message.from)) continue;
            if (!bcast.hierarchy.contains(node, message.to)) {
                ASSERT_EQ(message.from, receiver) << "seed " << seed;
            }
        }
        for (int rank = 0; rank < bcast.hierarchy.ranks(); ++rank) {
            ASSERT_EQ(received[rank], rank == bcast.root ? 0 : bcast.bytes) << "seed " << seed;
        }
        moved += receiver != bcast.root ? 1 : 0;
    }
    EXPECT_GT(moved, 100);
}

}  // namespace
}  // namespace receiver_test
