// The two trees of double_binary over random hierarchies, roots and skipped levels.
#include "algorithms/patterns/double_binary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "double_binary_checks.h"
#include "rail_runs.h"
#include "random_shapes.h"
#include "skipped_levels.h"

namespace double_binary_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;
using strata::topology::Group;
using strata::topology::Hierarchy;
using strata::topology::LevelKey;
using strata::topology::LevelKind;

TwoTrees random_trees(Random& random) {
    TwoTrees made;
    made.hierarchy =
        random.percent(30) ? random_nic_job(random).hierarchy : random_hierarchy(random, {48, 6});
    Plan plan = random_tree_plan(random, made.hierarchy, 100);
    skip_some(random, made.hierarchy, plan);
    made.skipped = plan.skipped;
    made.root = random.between(0, made.hierarchy.ranks() - 1);
    do {
        made.group = static_cast<int>(random.below(made.hierarchy.groups.size()));
    } while (used_group(made.hierarchy, made.group, made.skipped) != made.group);
    if (random.percent(70)) made.group = 0;
    made.grow();
    return made;
}

/// Nodes of `counts` nested groups that take part rank by rank.
TwoTrees regular_trees(const std::vector<int>& counts, int root) {
    constexpr LevelKind kinds[] = {LevelKind::cluster, LevelKind::node, LevelKind::package, LevelKind::numa};
    TwoTrees made;
    made.hierarchy = regular_hierarchy(counts);
    for (Group& group : made.hierarchy.groups) group.level = {kinds[group.depth], 0};
    for (const LevelKey level : levels_of(made.hierarchy)) {
        if (level.kind != LevelKind::cluster) made.skipped.push_back(level);
    }
    made.root = root;
    made.grow();
    return made;
}

TEST(DoubleBinary, Documented) {
    const TwoTrees made = regular_trees({3, 3}, 0);
    EXPECT_EQ(drawing(made.links[0]), "0 -> 1;  1 -> 3 2;  3 -> 6 4;  4 -> 5;  6 -> 7 8");
    EXPECT_EQ(drawing(made.links[1]), "0 -> 2;  2 -> 8 1;  5 -> 4 3;  7 -> 6;  8 -> 5 7");
}

/// Without inner levels: an inner rank of one tree is a leaf of the other.
TEST(DoubleBinary, OneGroup) {
    const TwoTrees made = regular_trees({6}, 2);
    EXPECT_EQ(drawing(made.links[0]), "2 -> 3;  3 -> 4 5;  4 -> 0 1");
    EXPECT_EQ(drawing(made.links[1]), "0 -> 4 3;  1 -> 0 5;  2 -> 1");
}

TEST(DoubleBinary, TreesOverTheParticipants) {
    for (std::uint64_t seed = 1; seed <= 1500; ++seed) {
        Random random(seed);
        const TwoTrees made = random_trees(random);
        ASSERT_EQ(spanning_faults(made), "") << made.words() << " seed " << seed;
        ASSERT_EQ(entering_faults(made), "") << made.words() << " seed " << seed;
        ASSERT_EQ(leaving_faults(made), "") << made.words() << " seed " << seed;
    }
}

TEST(DoubleBinary, EveryRankFindsItsOwnPlace) {
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        Random random(seed);
        const TwoTrees made = random_trees(random);
        ASSERT_EQ(own_place_faults(made), "") << made.words() << " seed " << seed;
    }
}

/// The first tree enters each of three nodes at its second package, which comes first in topology order
/// because it is next to the NIC.
TEST(DoubleBinary, FollowsTheTopologyOrder) {
    TwoTrees made = regular_trees({3, 2, 2}, 0);
    for (int rank = 0; rank < 12; ++rank) made.hierarchy.topology_order.push_back(rank ^ 2);
    made.hierarchy.topology_order_nodes = {0, 4, 8};
    EXPECT_EQ(strata::topology::validate(made.hierarchy), "");
    made.grow();
    EXPECT_EQ(spanning_faults(made), "");
    for (const int node : {1, 2}) {
        const int near = 4 * node + 2;
        const int far = 4 * node + 1;
        EXPECT_EQ(made.links[0][static_cast<std::size_t>(near)].parent / 4, node - 1) << made.words();
        EXPECT_NE(made.links[1][static_cast<std::size_t>(far)].parent / 4, node) << made.words();
    }
}

/// The current depth, some two to three times the logarithm.
TEST(DoubleBinary, DepthOfLargeMachines) {
    struct Machine {
        std::vector<int> counts;
        int most;
    };
    for (const auto& [counts, most] : {Machine{{1024}, 10},
                                       {{16, 24}, 12},
                                       {{1000, 4}, 21},
                                       {{10, 2, 2, 6}, 16},
                                       {{64, 2, 4, 8}, 31},
                                       {{256, 2, 8}, 28}}) {
        for (const int root : {0, 7, 100, 201}) {
            const TwoTrees made = regular_trees(counts, root);
            for (const auto& tree : made.links) EXPECT_LE(depth_of(tree), most) << made.hierarchy.ranks();
        }
    }
}

TEST(DoubleBinary, WholeVectorsHaveNone) {
    const TwoTrees made = regular_trees({4}, 0);
    EXPECT_THROW(double_binary_links(made.group_of(), 0, Half::whole), std::invalid_argument);
    EXPECT_THROW(double_binary_tree(made.group_of(), Half::whole), std::invalid_argument);
}

/// Moves a rank below another one in the tree of one half.
void move(TwoTrees& made, std::size_t half, int rank, int parent) {
    auto& tree = made.links[half];
    RankLinks& own = tree[static_cast<std::size_t>(rank)];
    if (own.parent >= 0) std::erase(tree[static_cast<std::size_t>(own.parent)].children, rank);
    own.parent = parent;
    tree[static_cast<std::size_t>(parent)].children.push_back(rank);
}

TEST(DoubleBinaryChecks, CanFail) {
    const TwoTrees right = regular_trees({3, 3}, 0);
    TwoTrees cycle = right;
    move(cycle, 0, 3, 8);
    EXPECT_NE(spanning_faults(cycle).find("no way"), std::string::npos);
    TwoTrees cut = right;
    cut.links[0][8].parent = -1;
    EXPECT_NE(spanning_faults(cut).find("disagree"), std::string::npos);
    TwoTrees doubled = right;
    doubled.links[1][0].children.push_back(7);
    EXPECT_NE(spanning_faults(doubled).find("two parents"), std::string::npos);
    TwoTrees fewer = right;
    fewer.group = 1;
    EXPECT_NE(spanning_faults(fewer).find("takes part"), std::string::npos);

    TwoTrees twice = right;
    move(twice, 0, 5, 2);
    EXPECT_EQ(spanning_faults(twice), "");
    EXPECT_EQ(entering_faults(twice), "half 0 enters group 2 2 times");
    EXPECT_EQ(leaving_faults(twice), "rank 2 passes on 3 halves");
    TwoTrees busy = right;
    move(busy, 0, 6, 1);
    EXPECT_EQ(entering_faults(busy), "");
    EXPECT_EQ(leaving_faults(busy), "rank 1 passes on 3 halves");
    move(busy, 0, 2, 0);
    move(busy, 1, 2, 1);
    EXPECT_NE(leaving_faults(busy), "");
    EXPECT_NE(own_place_faults(busy), "");
    EXPECT_EQ(own_place_faults(right), "");
    EXPECT_EQ(depth_of(right.links[0]), 4);
}

}  // namespace
}  // namespace double_binary_test
