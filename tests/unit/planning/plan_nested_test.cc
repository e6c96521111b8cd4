// Hierarchies in which the topmost level's kind recurs below another level, as hwloc Groups do.
#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "algorithms/config/excluded_levels.h"
#include "algorithms/planning/level_search.h"
#include "algorithms/planning/make_plan.h"
#include "plans.h"

namespace plan_nested_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;

constexpr LevelKey group_level{LevelKind::group, 0};
constexpr LevelKey between{LevelKind::package, 0};

/// 16 ranks of a group: two packages of two groups of four.
Hierarchy groups_in_packages() {
    return make_hierarchy(group_level, {{between, blocks(16, 8)}, {group_level, blocks(16, 4)}}, 16);
}

LinkTable fast_links() {
    LinkTable links;
    for (const LevelKind kind : {LevelKind::node, LevelKind::package, LevelKind::group}) {
        links.set({kind, std::nullopt}, {1, 0.3, 5000, 1024 * mib});
    }
    return links;
}

TEST(NestedGroups, TheTopmostLevelComesFirst) {
    EXPECT_EQ(groups_in_packages().levels(), (std::vector<LevelKey>{group_level, between}));
}

TEST(NestedGroups, TheTopmostLevelStays) {
    EXPECT_TRUE(all_below_the_top(groups_in_packages(), {}).empty()) << "others stay below it";
    EXPECT_EQ(skippable_levels(groups_in_packages(), {}), std::vector<LevelKey>{between});
    Plan plan;
    EXPECT_THROW(set_skipped(plan, groups_in_packages(), {group_level}, {}), std::logic_error);
}

TEST(NestedGroups, NoPlanSkipsTheTopmostLevel) {
    const Hierarchy hierarchy = groups_in_packages();
    for (const Collective collective : {Collective::bcast, Collective::reduce, Collective::allreduce,
                                        Collective::allgather, Collective::gather, Collective::scatter}) {
        for (const std::size_t bytes : {8 * kib, 40 * kib, mib}) {
            for (const int root : {0, 9}) {
                const Operation operation{collective, bytes, root};
                const Plan plan = make_plan(hierarchy, fast_links(), {}, operation);
                EXPECT_EQ(std::count(plan.skipped.begin(), plan.skipped.end(), group_level), 0)
                    << name_of(collective) << " of " << bytes;
            }
        }
    }
}

}  // namespace
}  // namespace plan_nested_test
