// Shared processors: the plugin's own engines would compete for them.
#include <gtest/gtest.h>

#include "algorithms/planning/make_plan.h"
#include "algorithms/report/plan_listing.h"
#include "plans.h"

namespace strata::algorithms {
namespace oversubscription_test {
namespace {

using namespace strata::testing;
using topology::Hierarchy;

Hierarchy oversubscribed(Hierarchy hierarchy, double oversubscription) {
    hierarchy.oversubscription = oversubscription;
    EXPECT_EQ(validate(hierarchy), "");
    return hierarchy;
}

Plan planned(const Hierarchy& hierarchy, const Operation& operation) {
    return make_plan(hierarchy, LinkTable{}, {}, operation);
}

TEST(Oversubscription, BetweenNodesNothingChanges) {
    const Hierarchy nodes = nodes_below_switch(2, 8);
    for (const std::size_t bytes : {8 * kib, 64 * kib}) {
        for (const Collective op : all_collectives()) {
            EXPECT_TRUE(
                same(planned(oversubscribed(nodes, 8), {op, bytes, 0}), planned(nodes, {op, bytes, 0})));
        }
    }
}

TEST(Oversubscription, InsideANodeTheUnderlyingComponentKeepsAllButBcast) {
    const Hierarchy inside = make_hierarchy(node_level, {{numa_level, blocks(16, 8)}}, 16);
    for (const std::size_t bytes : {std::size_t{16}, 8 * kib, 64 * kib, mib}) {
        for (const Collective op : all_collectives()) {
            const Plan shared = planned(oversubscribed(inside, 8), {op, bytes, 0});
            const Plan apart = planned(inside, {op, bytes, 0});
            EXPECT_EQ(shared.engine, apart.engine);
            EXPECT_EQ(shared.levels, apart.levels);
            EXPECT_EQ(shared.predicted_us, apart.predicted_us);
            EXPECT_EQ(shared.forward_us, apart.forward_us);
            EXPECT_TRUE(shared.engine == Engine::forward || op == Collective::bcast);
        }
    }
}

}  // namespace
}  // namespace oversubscription_test
}  // namespace strata::algorithms
