#include <gtest/gtest.h>

#include "algorithms/engines/levels.h"
#include "bcast_runs.h"
#include "byte_oracle.h"
#include "random_shapes.h"

// All ranks run at once, for a race detector.
namespace concurrent_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;

TEST(Concurrent, TreeOverRandomShapes) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        Random random(seed);
        BcastCase bcast;
        bcast.hierarchy = random_hierarchy(random, {24, 5});
        bcast.bytes = random.below(2000);
        bcast.plan = random_tree_plan(random, bcast.hierarchy, bcast.bytes);
        bcast.root = random.between(0, bcast.hierarchy.ranks() - 1);
        FabricOptions options;
        options.schedule = Schedule::concurrent;
        options.eager_bytes = seed % 2 == 0 ? 200 : 0;
        const RunReport run = run_tree(bcast, options);
        ASSERT_EQ(run.text(), "") << describe(bcast);
        ASSERT_EQ(run.codes, std::vector<int>(run.codes.size(), 0));
        EXPECT_TRUE(check_bcast_bytes(bcast.hierarchy, bcast.root, bcast.bytes, segments_by_group(bcast),
                                      run.messages)
                        .empty());
    }
}

TEST(Concurrent, LevelsOverRandomShapes) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        Random random(seed);
        BcastCase bcast;
        bcast.hierarchy = random_hierarchy(random, {24, 5});
        bcast.bytes = random.below(1000);
        bcast.root = random.between(0, bcast.hierarchy.ranks() - 1);
        bcast.plan = uniform_plan(bcast.hierarchy, {Algorithm::linear, 0, {}}, 100);
        FabricOptions options;
        options.schedule = Schedule::concurrent;
        const RunReport run = run_levels(bcast, options, 100, seed % 2 == 0);
        ASSERT_EQ(run.text(), "") << describe(bcast);
        ASSERT_EQ(run.codes, std::vector<int>(run.codes.size(), 0));
    }
}

TEST(Concurrent, FailuresEndEverybody) {
    const strata::topology::Hierarchy hierarchy = regular_hierarchy({2, 2, 3});
    const BcastCase bcast{hierarchy, uniform_plan(hierarchy, {Algorithm::binomial, 0, {}}, 20), 7, 200};
    for (int rank = 0; rank < hierarchy.ranks(); ++rank) {
        for (const int operation : {1, 2, 5}) {
            FabricOptions options;
            options.schedule = Schedule::concurrent;
            options.failure = {rank, operation, 4242};
            const RunReport run = run_tree(bcast, options);
            EXPECT_EQ(run.text(), "");
            EXPECT_EQ(run.codes[rank], 4242);
        }
    }
}

}  // namespace
}  // namespace concurrent_test
