#include "algorithms/patterns/tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "random_shapes.h"

namespace tree_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;
using strata::topology::Group;
using strata::topology::Hierarchy;
using strata::topology::LevelKind;

/// Empty when the links of all ranks form one tree rooted at `root` with equal edges at both ends.
std::string check_links(const std::vector<TreeLinks>& links, int root) {
    const int ranks = static_cast<int>(links.size());
    std::vector<int> parents(links.size(), 0);
    for (int rank = 0; rank < ranks; ++rank) {
        for (const TreeLinks::Edge& edge : links[rank].children) {
            if (edge.peer < 0 || edge.peer >= ranks || edge.peer == rank) {
                return "bad peer";
            }
            ++parents[edge.peer];
            const TreeLinks::Edge& other = links[edge.peer].parent;
            if (other.peer != rank || other.group != edge.group ||
                other.segment_bytes != edge.segment_bytes) {
                return "ends differ between " + std::to_string(rank) + " and " + std::to_string(edge.peer);
            }
        }
    }
    for (int rank = 0; rank < ranks; ++rank) {
        if (parents[rank] != (rank == root ? 0 : 1) || (rank == root) != (links[rank].parent.peer < 0)) {
            return "rank " + std::to_string(rank) + " has " + std::to_string(parents[rank]) + " parents";
        }
        int steps = 0;
        for (int walk = rank; walk != root; walk = links[walk].parent.peer) {
            if (++steps > ranks) {
                return "no way from the root to " + std::to_string(rank);
            }
        }
    }
    return {};
}

std::vector<TreeLinks> all_links(const Hierarchy& hierarchy, const Plan& plan, int root) {
    std::vector<TreeLinks> links;
    for (int rank = 0; rank < hierarchy.ranks(); ++rank) {
        links.push_back(tree_links(hierarchy, plan, root, rank));
    }
    return links;
}

TEST(Tree, EdgesBetweenNodesHoldMoreMessages) {
    const Hierarchy hierarchy = regular_hierarchy({2, 2});
    Plan plan = uniform_plan(hierarchy, {Algorithm::linear, 0, {}}, 1000);
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{9001}, std::size_t{1} << 30}) {
        plan.network_window_bytes = bytes;
        const int expected = bytes == 0 ? 4 : bytes == 9001 ? 10 : 256;
        for (const TreeLinks& links : all_links(hierarchy, plan, 0)) {
            for (const TreeLinks::Edge& edge : links.children) {
                EXPECT_EQ(edge.window, is_network(hierarchy.groups[edge.group]) ? expected : 0) << bytes;
            }
        }
    }
    plan.network_window_bytes = 9001;
    for (LevelPlan& level : plan.levels) level.segment_bytes = 0;
    EXPECT_EQ(tree_links(hierarchy, plan, 0, 0).children.front().window, 4) << "whole messages";
}

TEST(RandomShapes, KeepThePromisesOfAHierarchy) {
    int deepest = 0;
    int mixed_stops = 0;
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
        Random random(seed);
        const Hierarchy hierarchy = random_hierarchy(random);
        EXPECT_EQ(strata::topology::validate(hierarchy), "") << "seed " << seed;
        for (const Group& group : hierarchy.groups) {
            deepest = std::max(deepest, group.depth + 1);
            mixed_stops += !group.children.empty() && !group.direct.empty() ? 1 : 0;
        }
    }
    EXPECT_EQ(deepest, 6);
    EXPECT_GT(mixed_stops, 50);
    EXPECT_EQ(strata::topology::validate(regular_hierarchy({2, 3, 4})), "");
}

TEST(Participants, TheRootStandsInEverywhere) {
    const Hierarchy hierarchy = regular_hierarchy({2, 2, 3});  // sites, nodes, 3 ranks each
    EXPECT_EQ(participants(hierarchy, 0, 0), (std::vector<int>{0, 6}));
    EXPECT_EQ(participants(hierarchy, 0, 10), (std::vector<int>{10, 0}));
    EXPECT_EQ(participants(hierarchy, 0, 4), (std::vector<int>{4, 6}));
    EXPECT_EQ(participants(hierarchy, hierarchy.groups[hierarchy.stop[9]].parent, 10),
              (std::vector<int>{10, 6}));
    EXPECT_EQ(participants(hierarchy, hierarchy.stop[9], 10), (std::vector<int>{10, 11, 9}));
    EXPECT_EQ(participants(hierarchy, hierarchy.stop[3], 10), (std::vector<int>{3, 4, 5}));
}

TEST(Participants, RanksThatStopAreMergedByLowestMember) {
    Hierarchy
        hierarchy;  // top {0..5}: node {1, 4} led by 4, node {2, 5} led by 2, ranks 0 and 3 stop at the top
    hierarchy.groups = {{{LevelKind::cluster, 0}, 0, -1, 0, {1, 2}, {0, 1, 2, 3, 4, 5}, {0, 3}, 4, {}},
                        {{LevelKind::node, 0}, 1, 0, 1, {}, {1, 4}, {1, 4}, 4, {}},
                        {{LevelKind::node, 0}, 2, 0, 1, {}, {2, 5}, {2, 5}, 2, {}}};
    hierarchy.stop = {0, 1, 2, 0, 1, 2};
    EXPECT_EQ(participants(hierarchy, 0, 4), (std::vector<int>{4, 2, 3, 0}));
    EXPECT_EQ(participants(hierarchy, 0, 5), (std::vector<int>{5, 3, 0, 4}));
    EXPECT_EQ(participants(hierarchy, 0, 3), (std::vector<int>{3, 0, 4, 2}));
    EXPECT_EQ(participants(hierarchy, 1, 3), (std::vector<int>{4, 1}));
    hierarchy.groups[0].leader =
        5;  // leads no child: detected only where the leader counts, below another top
    EXPECT_EQ(participants(hierarchy, 0, 3), (std::vector<int>{3, 0, 4, 2}));
    hierarchy.groups[1].leader = 0;  // not a member
    EXPECT_THROW(participants(hierarchy, 1, 3), std::invalid_argument);
    EXPECT_THROW(participants(hierarchy, 0, 6), std::invalid_argument);
    EXPECT_THROW(participants(hierarchy, 0, -1), std::invalid_argument);
}

TEST(TreeLinks, WidestLevelFirst) {
    const Hierarchy hierarchy = regular_hierarchy({2, 2, 3});
    Plan plan = uniform_plan(hierarchy, {Algorithm::binomial, 0, {}}, 0);
    plan.levels[0].segment_bytes = 100;
    plan.levels[1].segment_bytes = 200;
    plan.levels[2].segment_bytes = 300;
    const TreeLinks root = tree_links(hierarchy, plan, 4, 4);
    std::vector<std::pair<int, std::size_t>> served;
    for (const TreeLinks::Edge& edge : root.children) {
        served.emplace_back(edge.peer, edge.segment_bytes);
    }
    EXPECT_EQ(served, (std::vector<std::pair<int, std::size_t>>{{6, 100}, {0, 200}, {3, 300}, {5, 300}}));
    EXPECT_EQ(root.parent.peer, -1);
    const TreeLinks leader = tree_links(hierarchy, plan, 4, 6);
    EXPECT_EQ(leader.parent.peer, 4);
    EXPECT_EQ(leader.parent.group, 0);
    EXPECT_EQ(leader.parent.segment_bytes, 100U);
    EXPECT_EQ(leader.children.size(), 3U);
}

TEST(TreeLinks, SpanEveryRootOfRandomShapes) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        Random random(seed);
        const Hierarchy hierarchy = random_hierarchy(random);
        const Plan plan = random_tree_plan(random, hierarchy, 1000);
        for (int root = 0; root < hierarchy.ranks(); ++root) {
            ASSERT_EQ(check_links(all_links(hierarchy, plan, root), root), "")
                << "seed " << seed << " root " << root;
        }
    }
}

TEST(TreeLinks, FlatGroupsOfAllSizes) {
    for (const int size : {1, 2, 3, 4, 7, 8, 11, 16}) {
        const Hierarchy hierarchy = regular_hierarchy({size});
        for (int root = 0; root < size; ++root) {
            const Plan plan = uniform_plan(hierarchy, {Algorithm::knomial, 4, {}}, 64);
            EXPECT_EQ(check_links(all_links(hierarchy, plan, root), root), "");
        }
    }
}

TEST(TreeLinks, TheLinkCheckFindsFaults) {
    const Hierarchy hierarchy = regular_hierarchy({2, 4});
    const Plan plan = uniform_plan(hierarchy, {Algorithm::binomial, 0, {}}, 64);
    const std::vector<TreeLinks> good = all_links(hierarchy, plan, 1);
    ASSERT_EQ(check_links(good, 1), "");
    EXPECT_NE(check_links(good, 0), "");
    std::vector<TreeLinks> segments = good;
    segments[1].children.front().segment_bytes = 32;
    EXPECT_NE(check_links(segments, 1), "");
    std::vector<TreeLinks> doubled = good;
    doubled[1].children.push_back(doubled[1].children.front());
    EXPECT_NE(check_links(doubled, 1), "");
}

TEST(TreeLinks, ProgrammingErrors) {
    const Hierarchy hierarchy = regular_hierarchy({2, 2});
    EXPECT_THROW(tree_links(hierarchy, uniform_plan(hierarchy, {}, 0), 0, 0), std::invalid_argument);
    const Plan plan = uniform_plan(hierarchy, {Algorithm::linear, 0, {}}, 0);
    EXPECT_THROW(tree_links(hierarchy, plan, 4, 0), std::invalid_argument);
    EXPECT_THROW(tree_links(hierarchy, plan, 0, 4), std::invalid_argument);
    Plan short_plan = plan;
    short_plan.levels.pop_back();
    EXPECT_THROW(tree_links(hierarchy, short_plan, 0, 0), std::out_of_range);
}

}  // namespace
}  // namespace tree_test
