// A broadcast by the levels engine: contents, order of stages, errors.
#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>

#include "algorithms/engines/levels.h"
#include "algorithms/patterns/tree.h"
#include "bcast_runs.h"
#include "byte_oracle.h"
#include "linear_levels.h"
#include "random_shapes.h"

namespace bcast_levels_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;
using Call = LinearLevels::Call;
using Log = std::vector<LinearLevels::Entry>;

TEST(BcastLevels, RandomShapes) {
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        Random random(seed);
        BcastCase bcast;
        bcast.hierarchy = random_hierarchy(random, {40, 6});
        bcast.bytes = random.below(1500);
        bcast.root = random.between(0, bcast.hierarchy.ranks() - 1);
        const std::size_t segment =
            random.percent(30) ? 0 : bcast.bytes / 12 + 1 + random.below(bcast.bytes + 2);
        bcast.plan = uniform_plan(bcast.hierarchy, {Algorithm::linear, 0, {}}, segment);
        FabricOptions options;
        options.seed = seed;
        options.eager_bytes = seed % 2 == 0 ? 2000 : 0;
        const RunReport run = run_levels(bcast, options, segment, random.percent(50));
        ASSERT_EQ(run.text(), "") << describe(bcast);
        ASSERT_EQ(run.codes, std::vector<int>(run.codes.size(), 0)) << describe(bcast);
        const std::vector<std::string> faults = check_bcast_bytes(bcast.hierarchy, bcast.root, bcast.bytes,
                                                                  segments_by_group(bcast), run.messages);
        ASSERT_TRUE(faults.empty()) << faults.front() << "\nseed " << seed << ": " << describe(bcast);
    }
}

TEST(BcastLevels, SizesAroundTheSegment) {
    const strata::topology::Hierarchy hierarchy = regular_hierarchy({2, 2, 2});
    for (const std::size_t bytes : {0U, 1U, 31U, 32U, 33U, 64U, 100U}) {
        for (const bool blocking : {false, true}) {
            const BcastCase bcast{hierarchy, uniform_plan(hierarchy, {Algorithm::linear, 0, {}}, 32), 5,
                                  bytes};
            const RunReport run = run_levels(bcast, {}, 32, blocking);
            EXPECT_EQ(run.text(), "");
            EXPECT_EQ(run.codes, std::vector<int>(8, 0));
            EXPECT_EQ(run.messages.size(), (bytes + 31) / 32 * 7);
        }
    }
}

/// The expected calls of a member of the levels in `mine`: in step t, level l ends segment t-l-1 and starts
/// segment t-l.
Log expected_log(const std::vector<int>& mine, int levels, int segments, std::size_t segment_bytes) {
    Log log;
    for (int step = 0; step < segments + levels; ++step) {
        for (const int level : mine) {
            const int segment = step - level;
            if (segment >= 1 && segment <= segments) {
                log.push_back({Call::finish, level, static_cast<std::size_t>(segment - 1) * segment_bytes});
            }
            if (segment >= 0 && segment < segments) {
                log.push_back({Call::start, level, static_cast<std::size_t>(segment) * segment_bytes});
            }
        }
    }
    return log;
}

TEST(BcastLevels, LevelLCarriesSegmentTMinusL) {
    const strata::topology::Hierarchy hierarchy = regular_hierarchy({2, 2, 2, 2});
    constexpr std::size_t segment = 10;
    for (const int segments : {1, 2, 3, 4, 9}) {
        const BcastCase bcast{hierarchy, uniform_plan(hierarchy, {Algorithm::linear, 0, {}}, segment), 6,
                              segment * static_cast<std::size_t>(segments)};
        std::mutex mutex;
        std::vector<Log> logs(16);
        std::vector<int> most(16);
        const RunReport run =
            run_engine(bcast, {}, [&](int rank, Transport& transport, PackedBuffer& buffer) {
                LinearLevels levels(transport, hierarchy, bcast.root, rank, buffer, false);
                const int code = levels.bcast(segment);
                const std::lock_guard lock(mutex);
                logs[rank] = levels.log();
                most[rank] = levels.most_unfinished();
                return code;
            });
        ASSERT_EQ(run.text(), "");
        EXPECT_EQ(most[6], std::min(4, segments));
        EXPECT_EQ(logs[6], expected_log({0, 1, 2, 3}, 4, segments, segment));  // the root
        EXPECT_EQ(logs[8], expected_log({0, 1, 2, 3}, 4, segments, segment));  // leads the other half
        EXPECT_EQ(logs[12], expected_log({1, 2, 3}, 4, segments, segment));
        EXPECT_EQ(logs[4], expected_log({2, 3}, 4, segments, segment));
        EXPECT_EQ(logs[15], expected_log({3}, 4, segments, segment));
    }
}

TEST(BcastLevels, ErrorsComeBack) {
    const strata::topology::Hierarchy hierarchy = regular_hierarchy({2, 2, 2});
    const BcastCase bcast{hierarchy, uniform_plan(hierarchy, {Algorithm::linear, 0, {}}, 16), 3, 100};
    const RunReport whole = run_levels(bcast, {}, 16, false);
    ASSERT_EQ(whole.text(), "");
    int failures = 0;
    for (int rank = 0; rank < 8; ++rank) {
        for (int operation = 1; operation <= whole.operations[rank]; operation += 2) {
            FabricOptions options;
            options.failure = {rank, operation, 4242};
            const RunReport run = run_levels(bcast, options, 16, false);
            if (run.operations[rank] < operation) {
                continue;
            }
            ++failures;
            EXPECT_EQ(run.text(), "");
            EXPECT_EQ(run.codes[rank], 4242);
        }
    }
    EXPECT_GT(failures, 40);
}

TEST(BcastLevels, BufferErrorsComeBack) {
    const strata::topology::Hierarchy hierarchy = regular_hierarchy({2, 2});
    const BcastCase bcast{hierarchy, uniform_plan(hierarchy, {Algorithm::linear, 0, {}}, 16), 3, 100};
    for (int failed = 0; failed < 4; ++failed) {
        const RunReport run =
            run_engine(bcast, {}, [&](int rank, Transport& transport, PackedBuffer& buffer) {
                if (rank == failed) {
                    static_cast<CheckedBuffer&>(buffer).fail(2, 4242);
                }
                LinearLevels levels(transport, hierarchy, bcast.root, rank, buffer, false);
                const int code = levels.bcast(16);
                return code;
            });
        EXPECT_EQ(run.codes[failed], 4242);
        EXPECT_FALSE(run.deadlock);
    }
}

}  // namespace
}  // namespace bcast_levels_test
