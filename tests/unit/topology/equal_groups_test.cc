#include "topology/equal_groups.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "make_hierarchy.h"

namespace equal_groups_test {
namespace {

using namespace strata::testing;
using strata::topology::equal_groups;

/// Returns the number of classes among the children of the topmost group.
std::size_t classes_below_the_top(const Hierarchy& hierarchy) {
    const std::vector<int> equal = equal_groups(hierarchy);
    std::set<int> classes;
    for (const int child : hierarchy.groups.front().children) classes.insert(equal[child]);
    return classes.size();
}

TEST(EqualGroups, AreOfOneLevelAndSize) {
    const Hierarchy hierarchy = sites_of_nodes(3, 4, 5);
    const std::vector<int> equal = equal_groups(hierarchy);
    EXPECT_EQ(std::set<int>(equal.begin(), equal.end()).size(), 3U);  // top, sites, nodes
    for (std::size_t a = 0; a < equal.size(); ++a) {
        for (std::size_t b = 0; b < equal.size(); ++b) {
            EXPECT_EQ(equal[a] == equal[b], hierarchy.groups[a].level == hierarchy.groups[b].level);
        }
    }
}

TEST(EqualGroups, DoNotDependOnTheNumberingOfRanks) {
    EXPECT_EQ(classes_below_the_top(dealt_out(3, 4, 5)), 1U);
    // Three nodes below each switch, of 2, 1 and 2 or of 1, 2 and 2 ranks.
    const Hierarchy hierarchy = make_hierarchy(
        top_switch,
        {{leaf_switch, {0, 0, 0, 0, 0, 1, 1, 1, 1, 1}}, {node_level, {0, 0, 1, 2, 2, 4, 4, 3, 5, 5}}}, 10);
    EXPECT_EQ(classes_below_the_top(hierarchy), 1U);
}

TEST(EqualGroups, DifferInSizesBelow) {
    const Hierarchy hierarchy = make_hierarchy(
        top_switch, {{leaf_switch, {0, 0, 0, 0, 1, 1, 1, 1}}, {node_level, {0, 0, 1, 1, 2, 2, 2, 3}}}, 8);
    EXPECT_EQ(classes_below_the_top(hierarchy), 2U);
}

TEST(EqualGroups, DifferInThePlaceOfTheLeader) {
    Hierarchy hierarchy = make_hierarchy(
        top_switch, {{leaf_switch, {0, 0, 0, 1, 1, 1}}, {node_level, {0, 0, -1, 1, 1, -1}}}, 6);
    EXPECT_EQ(classes_below_the_top(hierarchy), 1U);
    hierarchy.groups[2].leader = 5;
    EXPECT_EQ(classes_below_the_top(hierarchy), 2U);
}

TEST(EqualGroups, DifferInReceivers) {
    Hierarchy hierarchy = nodes_below_switch(3, 4);
    hierarchy.receivers = {0, 0, 0, 0, 4, 4, 4, 4, 8, 8, 10, 11};
    EXPECT_EQ(classes_below_the_top(hierarchy), 2U);
    hierarchy.receivers = {0, 0, 2, 3, 4, 4, 6, 7, 9, 9, 10, 11};  // as many, but not the third leader
    EXPECT_EQ(classes_below_the_top(hierarchy), 2U);
}

TEST(EqualGroups, DifferInTheLevelAroundThem) {
    Hierarchy hierarchy = nodes_below_switch(2, 4);
    EXPECT_EQ(classes_below_the_top(hierarchy), 1U);
    hierarchy.groups[2].around = numa_level;
    EXPECT_EQ(classes_below_the_top(hierarchy), 2U);
}

}  // namespace
}  // namespace equal_groups_test
