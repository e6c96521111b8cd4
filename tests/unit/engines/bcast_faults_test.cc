#include <gtest/gtest.h>

#include <algorithm>

#include "algorithms/engines/bcast_tree.h"
#include "bcast_runs.h"
#include "random_shapes.h"

namespace bcast_faults_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;

constexpr int injected = 4242;

/// Every rank ended by itself: the failed one with its own code, all others with 0 or because a peer gave
/// up.
void expect_contained(const RunReport& run, int failed, const std::string& what) {
    EXPECT_FALSE(run.deadlock) << what << "\n" << run.text();
    EXPECT_EQ(run.text(), "") << what;
    EXPECT_EQ(run.codes[failed], injected) << what;
    for (std::size_t rank = 0; rank < run.codes.size(); ++rank) {
        EXPECT_EQ(run.abandons[rank], run.codes[rank] == 0 ? 0 : 1) << what << " rank " << rank;
        if (static_cast<int>(rank) != failed) {
            EXPECT_TRUE(run.codes[rank] == 0 || run.codes[rank] == code_peer_aborted)
                << what << run.codes[rank];
        }
    }
}

TEST(BcastFaults, EveryCallOfEveryRankMayFail) {
    int failures = 0;
    for (std::uint64_t seed = 1; seed <= 12; ++seed) {
        Random random(seed);
        BcastCase bcast;
        bcast.hierarchy = random_hierarchy(random, {12, 4});
        bcast.bytes = seed % 3 == 0 ? 9 : 200;
        bcast.plan = random_tree_plan(random, bcast.hierarchy, bcast.bytes);
        bcast.root = random.between(0, bcast.hierarchy.ranks() - 1);
        FabricOptions options;
        options.seed = seed;
        options.eager_bytes = seed % 2 == 0 ? 1000 : 0;
        const RunReport whole = run_tree(bcast, options);
        ASSERT_EQ(whole.text(), "");
        for (int rank = 0; rank < bcast.hierarchy.ranks(); ++rank) {
            const int step = std::max(1, whole.operations[rank] / 6);
            for (int operation = 1; operation <= whole.operations[rank]; operation += step) {
                options.failure = {rank, operation, injected};
                const RunReport run = run_tree(bcast, options);
                // Fewer waits may do in another interleaving: then the failure does not happen.
                if (run.operations[rank] < operation) {
                    continue;
                }
                ++failures;
                expect_contained(run, rank,
                                 describe(bcast) + " rank " + std::to_string(rank) + " operation " +
                                     std::to_string(operation));
            }
        }
    }
    EXPECT_GT(failures, 200);
}

TEST(BcastFaults, BufferErrorsComeBack) {
    for (const std::size_t segment : {std::size_t{0}, std::size_t{16}}) {
        for (int rank = 0; rank < 8; ++rank) {
            const strata::topology::Hierarchy hierarchy = regular_hierarchy({2, 4});
            const BcastCase bcast{hierarchy, uniform_plan(hierarchy, {Algorithm::binomial, 0, {}}, segment),
                                  2, 100};
            const RunReport run =
                run_engine(bcast, {}, [&](int self, Transport& transport, PackedBuffer& buffer) {
                    if (self == rank) {
                        static_cast<CheckedBuffer&>(buffer).fail(1, injected);
                    }
                    return run_tree(tree_links(hierarchy, bcast.plan, 2, self), transport, buffer, 2);
                });
            expect_contained(run, rank, "rank " + std::to_string(rank));
        }
    }
}

/// The root succeeds (all its sends are buffered); a rank below it fails: its subtree ends, and no rank
/// hangs.
TEST(BcastFaults, ADeadSubtreeDoesNotHang) {
    const strata::topology::Hierarchy hierarchy = regular_hierarchy({16});
    const BcastCase bcast{hierarchy, uniform_plan(hierarchy, {Algorithm::pipeline, 0, {}}, 16), 0, 320};
    FabricOptions options;
    options.eager_bytes = 1000;
    options.failure = {3, 3, injected};
    const RunReport run = run_tree(bcast, options);
    expect_contained(run, 3, "chain");
    EXPECT_EQ(run.codes[0], 0);
    EXPECT_EQ(run.codes[1], 0);
    for (int rank = 4; rank < 16; ++rank) {
        EXPECT_EQ(run.codes[rank], code_peer_aborted);
    }
}

}  // namespace
}  // namespace bcast_faults_test
