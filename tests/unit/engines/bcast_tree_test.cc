#include "algorithms/engines/bcast_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>

#include "bcast_runs.h"
#include "byte_oracle.h"
#include "random_shapes.h"
#include "windows.h"

namespace bcast_tree_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;

constexpr std::size_t all_eager = 1U << 30;

BcastCase random_case(Random& random, std::size_t bytes, const ShapeLimits& limits = {}) {
    BcastCase bcast;
    bcast.hierarchy = random_hierarchy(random, limits);
    bcast.plan = random_tree_plan(random, bcast.hierarchy, bytes);
    bcast.root = random.between(0, bcast.hierarchy.ranks() - 1);
    bcast.bytes = bytes;
    return bcast;
}

void expect_good(const BcastCase& bcast, const RunReport& run) {
    EXPECT_EQ(run.text(), "") << describe(bcast);
    EXPECT_EQ(run.codes, std::vector<int>(run.codes.size(), 0)) << describe(bcast);
    EXPECT_EQ(run.abandons, std::vector<int>(run.codes.size(), 0)) << describe(bcast);
    EXPECT_EQ(window_faults(bcast.hierarchy, bcast.plan, Cut::by_level, run), "") << describe(bcast);
}

TEST(BcastTree, ByteOracleOverRandomShapes) {
    std::set<int> sizes;
    for (std::uint64_t seed = 1; seed <= 320; ++seed) {
        Random random(seed);
        const BcastCase bcast =
            random_case(random, random.below(3) == 0 ? random.below(20) : random.below(3000));
        sizes.insert(bcast.hierarchy.ranks());
        const std::size_t eager_bytes[] = {0, 64, all_eager};
        const RunReport run = run_tree(bcast, options_for(seed, eager_bytes[seed % 3]));
        expect_good(bcast, run);
        const std::vector<std::string> faults = check_bcast_bytes(bcast.hierarchy, bcast.root, bcast.bytes,
                                                                  segments_by_group(bcast), run.messages);
        EXPECT_TRUE(faults.empty()) << faults.front() << "\nseed " << seed << ": " << describe(bcast);
        if (HasFailure()) {
            return;
        }
    }
    EXPECT_GT(sizes.size(), 40U);
}

TEST(BcastTree, SizesAroundTheSegment) {
    constexpr std::size_t segment = 48;
    const strata::topology::Hierarchy hierarchy = regular_hierarchy({2, 2, 4});
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, segment - 1, segment, segment + 1,
                                    2 * segment - 1, 2 * segment, 10 * segment + 5}) {
        for (int root = 0; root < hierarchy.ranks(); root += 3) {
            for (const std::size_t eager : {std::size_t{0}, all_eager}) {
                for (const Algorithm algorithm :
                     {Algorithm::binomial, Algorithm::pipeline, Algorithm::linear}) {
                    BcastCase bcast{hierarchy, uniform_plan(hierarchy, {algorithm, 0, {}}, segment), root,
                                    bytes};
                    const RunReport run = run_tree(bcast, options_for(bytes + 1, eager));
                    expect_good(bcast, run);
                    EXPECT_EQ(run.messages.size(), (bytes + segment - 1) / segment * 15);
                }
            }
        }
    }
}

TEST(BcastTree, EveryLevelItsOwnSegment) {
    const strata::topology::Hierarchy hierarchy = regular_hierarchy({2, 3, 4});
    BcastCase bcast{hierarchy, uniform_plan(hierarchy, {Algorithm::binomial, 0, {}}, 0), 17, 1000};
    for (const std::vector<std::size_t>& segments :
         {std::vector<std::size_t>{100, 33, 7}, {7, 100, 33}, {33, 7, 0}, {0, 90, 1000}, {999, 1000, 1001}}) {
        for (std::size_t level = 0; level < 3; ++level) {
            bcast.plan.levels[level].segment_bytes = segments[level];
        }
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
            const RunReport run = run_tree(bcast, options_for(seed, 0));
            expect_good(bcast, run);
            EXPECT_TRUE(check_bcast_bytes(hierarchy, bcast.root, bcast.bytes, segments, {}).size() > 1);
            EXPECT_TRUE(
                check_bcast_bytes(hierarchy, bcast.root, bcast.bytes, segments_by_group(bcast), run.messages)
                    .empty());
        }
    }
}

TEST(BcastTree, EveryRankCountAndWindow) {
    for (const int ranks : {1, 2, 3, 4, 7, 8, 11, 16}) {
        const strata::topology::Hierarchy hierarchy = regular_hierarchy({ranks});
        for (const int window : {0, 1, 2, 7, 100}) {
            BcastCase bcast{hierarchy, uniform_plan(hierarchy, {Algorithm::binary, 0, {}}, 10), ranks / 2,
                            205};
            bcast.plan.window = window;
            const RunReport run = run_tree(bcast, options_for(5, 0));
            bcast.plan.window = std::max(1, window);
            expect_good(bcast, run);
        }
    }
}

TEST(BcastTree, MoreChildrenThanTheScratchMemoryHolds) {
    const strata::topology::Hierarchy hierarchy = regular_hierarchy({64});
    for (const std::size_t segment : {std::size_t{0}, std::size_t{10}}) {
        BcastCase bcast{hierarchy, uniform_plan(hierarchy, {Algorithm::linear, 0, {}}, segment), 1, 100};
        bcast.plan.window = 10;
        expect_good(bcast, run_tree(bcast, options_for(3, 0)));
    }
}

TEST(BcastTree, TheWindowIsUsed) {
    const strata::topology::Hierarchy hierarchy = regular_hierarchy({2, 4});
    BcastCase bcast{hierarchy, uniform_plan(hierarchy, {Algorithm::linear, 0, {}}, 10), 0, 500};
    bcast.plan.window = 5;
    const RunReport run = run_tree(bcast, options_for(1, 0));
    for (int child : {1, 2, 3, 4}) {
        EXPECT_EQ(run.in_flight.at({0, child}), 5);
    }
}

/// A child that receives nothing until its siblings are done: their streams must not wait for it.
TEST(BcastTree, ASlowChildDelaysNoOtherRank) {
    const strata::topology::Hierarchy hierarchy = regular_hierarchy({4});
    BcastCase bcast{hierarchy, uniform_plan(hierarchy, {Algorithm::linear, 0, {}}, 10), 0, 400};
    const RunReport run =
        run_engine(bcast, options_for(1, 0), [&](int rank, Transport& transport, PackedBuffer& buffer) {
            std::byte token{};
            if (rank == 1) {
                for (const int sibling : {2, 3}) {
                    if (const int code = transport.recv(&token, 1, sibling); code != 0) {
                        return code;
                    }
                }
            }
            const int code =
                run_tree(tree_links(hierarchy, bcast.plan, 0, rank), transport, buffer, bcast.plan.window);
            return code == 0 && rank >= 2 ? transport.send(&token, 1, 1) : code;
        });
    EXPECT_EQ(run.text(), "");
    EXPECT_EQ(run.codes, std::vector<int>(4, 0));
}

/// The first child expects everything in one message, the second one small segments: these are sent at
/// once. The sender's data continues only when the second child has its first segment.
TEST(BcastTree, ALargeSegmentHoldsUpNoSmallOne) {
    const RunReport run = run_ranks(4, options_for(1, 0), [](int rank, Transport& transport) {
        std::array<std::byte, 100> data{};
        std::byte token{};
        int code = 0;
        if (rank == 1) {
            TreeLinks links;
            links.parent = {0, 0, 10};
            links.children = {{2, 0, 0}, {3, 0, 10}};
            PackedBuffer buffer(data.data(), data.size());
            return run_tree(links, transport, buffer, 4);
        }
        if (rank == 2) {
            return transport.recv(data.data(), data.size(), 1);
        }
        for (std::size_t offset = 0; offset < data.size() && code == 0; offset += 10) {
            code = rank == 0 ? transport.send(&data[offset], 10, 1) : transport.recv(&data[offset], 10, 1);
            if (code == 0 && offset == 0) {
                code = rank == 0 ? transport.recv(&token, 1, 3) : transport.send(&token, 1, 0);
            }
        }
        return code;
    });
    EXPECT_EQ(run.text(), "");
    EXPECT_EQ(run.codes, std::vector<int>(4, 0));
}

/// The second segment is packed only after the first one was given to every child.
TEST(BcastTree, PackingOverlapsSending) {
    const strata::topology::Hierarchy hierarchy = regular_hierarchy({4});
    BcastCase bcast{hierarchy, uniform_plan(hierarchy, {Algorithm::linear, 0, {}}, 10), 0, 100};
    int calls = 0;
    FabricOptions options = options_for(1, 0);
    options.failure = {0, 4, 77};  // begin, then one send per child: the third child's first
    const RunReport run =
        run_engine(bcast, options, [&](int rank, Transport& transport, PackedBuffer& buffer) {
            const int code = run_tree(tree_links(hierarchy, bcast.plan, 0, rank), transport, buffer, 4);
            if (rank == 0) {
                calls = static_cast<CheckedBuffer&>(buffer).calls();
            }
            return code;
        });
    EXPECT_EQ(run.codes[0], 77);
    EXPECT_EQ(calls, 1);
}

TEST(BcastTree, SameSeedSameRun) {
    Random random(99);
    const BcastCase bcast = random_case(random, 2000);
    const RunReport first = run_tree(bcast, options_for(7, 0));
    const RunReport again = run_tree(bcast, options_for(7, 0));
    const RunReport other = run_tree(bcast, options_for(8, 0));
    EXPECT_EQ(first.messages, again.messages);
    EXPECT_NE(first.messages, other.messages);
}

TEST(BcastTree, FewestCallsForOneMessage) {
    const strata::topology::Hierarchy hierarchy = regular_hierarchy({2, 2, 2});
    BcastCase bcast{hierarchy, uniform_plan(hierarchy, {Algorithm::binomial, 0, {}}, 1000), 0, 1000};
    const RunReport run = run_tree(bcast, options_for(1, 0));
    expect_good(bcast, run);
    EXPECT_EQ(run.operations[7], 1);  // a leaf: one blocking receive
    EXPECT_EQ(run.operations[2], 2);  // one child: a blocking receive and a blocking send
    EXPECT_GE(run.operations[4], 5);  // receive, begin, two sends, at least one wait
    EXPECT_LE(run.operations[4], 6);
}

}  // namespace
}  // namespace bcast_tree_test
