// Plans that skip levels: every operation over random shapes and subsets. The expected messages follow from
// the hierarchy without these levels.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "algorithms/patterns/reduction_links.h"
#include "algorithms/patterns/tree.h"
#include "allreduce_ring_oracle.h"
#include "bcast_runs.h"
#include "block_oracle.h"
#include "block_runs.h"
#include "byte_oracle.h"
#include "random_shapes.h"
#include "reduce_oracle.h"
#include "reduce_runs.h"
#include "skipped_levels.h"
#include "windows.h"

namespace skipped_levels_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;
using strata::topology::Group;
using strata::topology::Hierarchy;
using strata::topology::LevelKey;

constexpr std::size_t all_eager = 1U << 30;

FabricOptions varied(std::uint64_t seed) {
    const std::size_t eager_bytes[] = {0, 64, all_eager};
    return options_for(seed, eager_bytes[seed % 3]);
}

/// The same case over the hierarchy without the skipped levels.
template <typename Case>
Case reduced(const Case& whole) {
    Case result = whole;
    result.hierarchy = without(whole.hierarchy, whole.plan.skipped);
    result.plan.skipped.clear();
    return result;
}

std::vector<std::string> bcast_faults(const BcastCase& bcast, const RunReport& run) {
    return check_bcast_bytes(bcast.hierarchy, bcast.root, bcast.bytes, segments_by_group(bcast),
                             run.messages);
}

TEST(SkippedLevels, WhatIsLeftIsAHierarchy) {
    int smaller = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        Random random(seed);
        const Hierarchy whole = random_hierarchy(random);
        Plan plan = random_tree_plan(random, whole, 100);
        skip_some(random, whole, plan);
        const Hierarchy less = without(whole, plan.skipped);
        ASSERT_EQ(strata::topology::validate(less), "") << "seed " << seed;
        smaller += less.groups.size() < whole.groups.size() ? 1 : 0;
        std::vector<LevelKey> left;
        for (const LevelPlan& level : plan.levels) left.push_back(level.level);
        ASSERT_EQ(levels_of(less), left);
    }
    EXPECT_GT(smaller, 150);
}

TEST(SkippedLevels, TheSameParticipants) {
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        Random random(seed);
        const Hierarchy whole = random_hierarchy(random);
        Plan plan = random_tree_plan(random, whole, 100);
        skip_some(random, whole, plan);
        const Hierarchy less = without(whole, plan.skipped);
        const int root = random.between(0, whole.ranks() - 1);
        int next = 0;
        for (int group = 0; group < static_cast<int>(whole.groups.size()); ++group) {
            const int used = used_group(whole, group, plan.skipped);
            ASSERT_TRUE(used == group ||
                        whole.groups[used].members.size() > whole.groups[group].members.size());
            if (used != group) continue;
            std::vector<int> mine = participants(whole, group, root, plan.skipped);
            std::vector<int> theirs = participants(less, next++, root);
            ASSERT_EQ(mine.front(), theirs.front());
            std::sort(mine.begin(), mine.end());
            std::sort(theirs.begin(), theirs.end());
            ASSERT_EQ(mine, theirs) << "seed " << seed << " group " << group;
        }
        ASSERT_EQ(next, static_cast<int>(less.groups.size()));
    }
}

/// A skipped group's participants are neighbours under any leader: shapes rarely cross its boundary.
TEST(SkippedLevels, ParticipantsOfOneGroupStaySideBySide) {
    const Hierarchy whole = dealt_out(3, 4);
    const std::vector<LevelKey> nodes{whole.groups[1].level};
    EXPECT_EQ(participants(whole, 0, 0, nodes), (std::vector<int>{0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11}));
    EXPECT_EQ(participants(whole, 0, 7, nodes), (std::vector<int>{7, 10, 1, 4, 2, 5, 8, 11, 0, 3, 6, 9}));
}

TEST(SkippedLevels, Bcast) {
    int shows = 0;
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        Random random(seed);
        BcastCase bcast;
        bcast.hierarchy = random_hierarchy(random);
        bcast.bytes = random.below(3000);
        bcast.plan = random_tree_plan(random, bcast.hierarchy, bcast.bytes);
        skip_some(random, bcast.hierarchy, bcast.plan);
        bcast.root = random.between(0, bcast.hierarchy.ranks() - 1);
        const RunReport run = run_tree(bcast, varied(seed));
        const BcastCase less = reduced(bcast);
        ASSERT_EQ(run.text(), "") << describe(less);
        ASSERT_EQ(run.codes, std::vector<int>(run.codes.size(), 0)) << describe(less);
        ASSERT_EQ(bcast_faults(less, run), std::vector<std::string>{}) << "seed " << seed;
        BcastCase all = less;  // the levels are really skipped: messages enter groups several times
        all.hierarchy = bcast.hierarchy;
        for (const LevelKey level : bcast.plan.skipped) all.plan.levels.push_back({level, {}, 0});
        shows += bcast_faults(all, run).empty() ? 0 : 1;
    }
    EXPECT_GT(shows, 50);
}

TEST(SkippedLevels, GatherScatterAllgather) {
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
        Random random(seed);
        BlockCase run;
        run.hierarchy = random_hierarchy(random, {seed % 8 == 0 ? 48 : 20, 6});
        run.bytes = random_block_bytes(random, run.hierarchy.ranks(), 150);
        const std::size_t scale = random.percent(50) ? run.total() : run.total() / run.bytes.size();
        run.plan = random_tree_plan(random, run.hierarchy, scale);
        skip_some(random, run.hierarchy, run.plan);
        run.root = random.between(0, run.hierarchy.ranks() - 1);
        run.flow = static_cast<ChunkDirection>(seed % 3);
        run.placement = static_cast<BlockPlacement>(random.below(3));
        const RunReport report = run_blocks(run, varied(seed));
        const BlockCase less = reduced(run);
        ASSERT_EQ(report.text(), "") << describe(less);
        ASSERT_EQ(check_block_bytes(less.hierarchy, less.flow, less.root, less.bytes, segments_by_group(less),
                                    report.messages),
                  std::vector<std::string>{})
            << "seed " << seed << ": " << describe(less);
    }
}

/// Rings through the participants of skipped groups. The shape defines their order, so that the ring oracle
/// does not apply: checks contents, and that every rank receives every block once.
TEST(SkippedLevels, AllgatherWithRings) {
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        Random random(seed);
        BlockCase run;
        run.hierarchy = random_hierarchy(random, {24, 6});
        run.bytes = random_block_bytes(random, run.hierarchy.ranks(), 150);
        run.plan = random_ring_plan(random, run.hierarchy, run.total());
        run.plan.window = random.between(1, 4);
        skip_some(random, run.hierarchy, run.plan);
        run.root = random.between(0, run.hierarchy.ranks() - 1);
        const RunReport report = run_blocks(run, varied(seed));
        ASSERT_EQ(report.text(), "") << "seed " << seed << ": " << describe(reduced(run));
        std::vector<std::size_t> received(run.bytes.size(), 0);
        for (const SentMessage& message : report.messages) {
            received[static_cast<std::size_t>(message.to)] += message.bytes;
        }
        for (std::size_t rank = 0; rank < received.size(); ++rank) {
            ASSERT_EQ(received[rank], run.total() - run.bytes[rank]) << "seed " << seed << " rank " << rank;
        }
    }
}

/// Where the root is far from its NIC, a plan can also skip all levels but those of whole nodes.
TEST(SkippedLevels, GatherThroughAReceiver) {
    int moved = 0;
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
        Random random(seed);
        BlockCase run;
        run.hierarchy = random_hierarchy(random, {32, 6});
        for (int rank = 0; rank < run.hierarchy.ranks(); ++rank) {
            const int node = run.hierarchy.widest_in_node(rank);
            run.hierarchy.receivers.push_back(node < 0 ? rank : run.hierarchy.groups[node].leader);
        }
        run.plan = random_tree_plan(random, run.hierarchy, 200);
        run.plan.nic_local = true;
        skip_some(random, run.hierarchy, run.plan, true);
        run.flow = ChunkDirection::to_root;
        run.root = random.between(0, run.hierarchy.ranks() - 1);
        run.bytes = random_block_bytes(random, run.hierarchy.ranks(), 200);
        const RunReport report = run_blocks(run, varied(seed));
        const BlockCase less = reduced(run);
        ASSERT_EQ(strata::topology::validate(less.hierarchy), "");
        ASSERT_EQ(report.text(), "") << "seed " << seed << ": " << describe(less);
        const int receiver = run.hierarchy.receiver_of(run.root);
        ASSERT_EQ(check_block_bytes(less.hierarchy, less.flow, less.root, less.bytes, segments_by_group(less),
                                    report.messages, receiver),
                  std::vector<std::string>{})
            << "seed " << seed << ": " << describe(less);
        moved += receiver != run.root && !run.plan.skipped.empty() ? 1 : 0;
    }
    EXPECT_GT(moved, 50);
}

TEST(SkippedLevels, Reduce) {
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        Random random(seed);
        ReduceCase reduce = random_reduction(random, 40, 400);
        skip_some(random, reduce.hierarchy, reduce.plan);
        const ReduceRun run = run_reduce(reduce, varied(seed));
        const ReduceCase less = reduced(reduce);
        ASSERT_EQ(faults_of(less, run), "") << "seed " << seed;
        ASSERT_EQ(check_reduce_bytes(less.hierarchy, less.root, less.bytes(), less.segment_bytes(),
                                     run.report.messages),
                  std::vector<std::string>{})
            << "seed " << seed << ": " << describe(less);
    }
}

TEST(SkippedLevels, AllreduceByTreeAndByExchange) {
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        Random random(seed);
        ReduceCase reduce = random_reduction(random, 40, 400);
        skip_some(random, reduce.hierarchy, reduce.plan);
        const ReduceCase less = reduced(reduce);
        const ReduceRun tree = run_allreduce(reduce, varied(seed));
        ASSERT_EQ(faults_of(less, tree), "") << "seed " << seed;
        ASSERT_EQ(check_allreduce_bytes(less.hierarchy, less.root, less.bytes(), less.segment_bytes(),
                                        tree.report.messages),
                  std::vector<std::string>{})
            << "seed " << seed << ": " << describe(less);
        const ReduceRun exchange = run_exchange(reduce, varied(seed));
        ASSERT_EQ(faults_of(less, exchange), "") << "seed " << seed;
        ASSERT_EQ(
            check_exchange_bytes(less.hierarchy, less.rank_order, less.bytes(), exchange.report.messages,
                                 exchange_core(reduce.hierarchy, reduce.plan, reduce.rank_order)),
            std::vector<std::string>{})
            << "seed " << seed << ": " << describe(less);
    }
}

TEST(SkippedLevels, AllreduceByRing) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        Random random(seed);
        ReduceCase reduce = random_ring_reduction(random, 30, 300, 2);
        skip_some(random, reduce.hierarchy, reduce.plan);
        const ReduceCase less = reduced(reduce);
        const ReduceRun run = run_ring(reduce, varied(seed));
        ASSERT_EQ(faults_of(less, run), "") << "seed " << seed;
        ASSERT_EQ(check_allreduce_ring_bytes(
                      {less.hierarchy, less.elements, bytes_of(less.op),
                       less.plan.levels.front().segment_bytes, most_on_top(less.hierarchy, less.plan)},
                      run.report.messages),
                  std::vector<std::string>{})
            << "seed " << seed << ": " << describe(less);
    }
}

}  // namespace
}  // namespace skipped_levels_test
