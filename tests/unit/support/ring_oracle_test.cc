// The byte oracle of rings detects injected errors.
#include "ring_oracle.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "block_runs.h"
#include "random_shapes.h"

namespace ring_oracle_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;

/// Ranks 0-2, 3-5, 6-8: a ring of the nodes 0, 3, 6, and one in every node.
BlockCase three_nodes() {
    BlockCase run;
    run.hierarchy = regular_hierarchy({3, 3});
    run.plan = uniform_plan(run.hierarchy, {Algorithm::ring, 0, {}}, 20);
    run.bytes = {11, 12, 13, 14, 15, 16, 17, 18, 19};
    return run;
}

std::vector<std::string> check(const BlockCase& run, const std::vector<SentMessage>& messages) {
    return check_ring_bytes({run.hierarchy, run.root, run.bytes, segments_by_group(run), rings_by_group(run)},
                            messages);
}

bool mentions(const std::vector<std::string>& faults, const std::string& words) {
    return std::any_of(faults.begin(), faults.end(),
                       [&](const std::string& fault) { return fault.find(words) != std::string::npos; });
}

TEST(RingOracle, AcceptsTheRingByHand) {
    const BlockCase run = three_nodes();
    const RunReport report = run_blocks(run, {});
    EXPECT_EQ(report.text(), "");
    EXPECT_EQ(check(run, report.messages), std::vector<std::string>{});
    // Rank 3 sends its node's 45 bytes, then the first node's 36, to rank 6, cut apart.
    std::vector<std::size_t> sizes;
    for (const SentMessage& message : report.messages) {
        if (message.from == 3 && message.to == 6) {
            sizes.push_back(message.bytes);
        }
    }
    EXPECT_EQ(sizes, (std::vector<std::size_t>{20, 20, 5, 20, 16}));
}

TEST(RingOracle, FindsATree) {
    BlockCase run = three_nodes();
    run.plan.levels[0].method = {Algorithm::pipeline, 0, {}};
    const RunReport report = run_blocks(run, {});
    EXPECT_EQ(check(run, report.messages), std::vector<std::string>{});
    run.plan.levels[0].method = {Algorithm::ring, 0, {}};
    const std::vector<std::string> faults = check(run, report.messages);
    EXPECT_TRUE(mentions(faults, "from rank 6 to 0 go 0 bytes in 0 messages instead of 99 bytes in 6"));
    EXPECT_TRUE(mentions(faults, "from rank 3 to 0 go 99 bytes in 5 messages"));
}

TEST(RingOracle, FindsARingWhereATreeShouldBe) {
    BlockCase run = three_nodes();
    const RunReport report = run_blocks(run, {});
    run.plan.levels[1].method = {Algorithm::linear, 0, {}};
    EXPECT_TRUE(mentions(check(run, report.messages), "group 1 is not a tree: 3 edges"));
}

/// Rank 2 also forwards the other nodes' blocks to rank 0: data is right everywhere, but sent twice.
TEST(RingOracle, FindsWhatReturnsToItsLocalRoot) {
    const BlockCase run = three_nodes();
    const RunReport report = run_blocks(run, {}, [&](int rank) {
        BlockRoutes routes = planned_routes(run)(rank);
        auto& streams = rank == 0 ? routes.in : routes.out;
        if (rank == 0 || rank == 2) {
            BlockStream& stream = *std::find_if(streams.begin(), streams.end(),
                                                [&](const auto& s) { return s.peer == 2 - rank; });
            stream.cuts.push_back(stream.runs.size());
            stream.runs.push_back({3, 6});
        }
        return routes;
    });
    EXPECT_EQ(report.text(), "");
    const std::vector<std::string> faults = check(run, report.messages);
    EXPECT_TRUE(mentions(faults, "rank 0 receives 223 bytes instead of 124"));
    EXPECT_TRUE(mentions(faults, "from rank 2 to 0 go 124 bytes"));
}

/// A message over two parts: the same bytes, and with buffered messages no deadlock either.
TEST(RingOracle, FindsAMissingCut) {
    const BlockCase run = three_nodes();
    FabricOptions options;
    options.eager_bytes = 1000;
    const RunReport report = run_blocks(run, options, [&](int rank) {
        BlockRoutes routes = planned_routes(run)(rank);
        for (BlockStream& stream : rank == 3 ? routes.out : routes.in) {
            if ((rank == 3 && stream.peer == 6) || (rank == 6 && stream.peer == 3)) {
                stream.cuts.clear();
            }
        }
        return routes;
    });
    EXPECT_EQ(report.text(), "");
    EXPECT_TRUE(
        mentions(check(run, report.messages),
                 "from rank 3 to 6 go 81 bytes in 5 messages (20 20 20 20 1) instead of 81 bytes in 5 "
                 "messages (20 20 5 20 16)"));
}

TEST(RingOracle, FindsOtherMessages) {
    const BlockCase run = three_nodes();
    const RunReport report = run_blocks(run, {});
    std::vector<SentMessage> messages = report.messages;
    messages.pop_back();
    EXPECT_FALSE(check(run, messages).empty());
    messages = report.messages;
    messages.push_back({1, 4, 5, 0});
    EXPECT_TRUE(mentions(check(run, messages), "from rank 1 to 4 go 5 bytes in 1 messages (5) instead of 0"));
    messages = report.messages;
    messages.front().bytes += 1;
    EXPECT_FALSE(check(run, messages).empty());
    BlockCase other = run;
    other.root = 4;
    EXPECT_FALSE(check(other, report.messages).empty());
    other = run;
    other.plan.levels[1].segment_bytes = 30;
    EXPECT_FALSE(check(other, report.messages).empty());
    other = run;
    other.bytes[6] += 1;
    EXPECT_FALSE(check(other, report.messages).empty());
}

}  // namespace
}  // namespace ring_oracle_test
