#include "block_oracle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "block_runs.h"
#include "random_shapes.h"

namespace block_oracle_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;
using strata::topology::Group;
using strata::topology::Hierarchy;

std::vector<std::string> check(const BlockCase& run, const std::vector<SentMessage>& messages) {
    return check_block_bytes(run.hierarchy, run.flow, run.root, run.bytes, segments_by_group(run), messages);
}

/// Runs the case with the routes of all ranks changed by `damage` before.
template <typename Damage>
RunReport run_damaged(const BlockCase& run, Damage&& damage) {
    std::vector<BlockRoutes> routes;
    for (int rank = 0; rank < run.hierarchy.ranks(); ++rank) {
        routes.push_back(planned_routes(run)(rank));
    }
    damage(routes);
    return run_blocks(run, {}, [&](int rank) { return routes[rank]; });
}

/// Ranks 0-3 and 4-7, whole streams: 0 is joined with 1, 2, 3 and 4, and 4 with 5, 6, 7.
BlockCase two_nodes(ChunkDirection flow) {
    BlockCase run;
    run.hierarchy = regular_hierarchy({2, 4});
    run.plan = uniform_plan(run.hierarchy, {Algorithm::linear, 0, {}}, 0);
    run.flow = flow;
    run.bytes = {11, 12, 13, 14, 15, 16, 17, 18};
    return run;
}

BlockStream& stream(std::vector<BlockStream>& streams, int peer) {
    return *std::find_if(streams.begin(), streams.end(), [peer](const auto& s) { return s.peer == peer; });
}

/// Sets the stream of one edge at both ends.
void set_stream(std::vector<BlockRoutes>& routes, int from, int to, const std::vector<BlockRun>& runs) {
    stream(routes[from].out, to).runs = runs;
    stream(routes[to].in, from).runs = runs;
}

void drop_edge(std::vector<BlockRoutes>& routes, int from, int to) {
    std::erase_if(routes[from].out, [to](const auto& s) { return s.peer == to; });
    std::erase_if(routes[to].in, [from](const auto& s) { return s.peer == from; });
}

void add_edge(std::vector<BlockRoutes>& routes, int from, int to, const std::vector<BlockRun>& runs) {
    routes[from].out.push_back({to, runs, 0});
    routes[to].in.push_back({from, runs, 0});
}

bool mentions(const std::vector<std::string>& faults, const std::string& words) {
    return std::any_of(faults.begin(), faults.end(),
                       [&](const std::string& fault) { return fault.find(words) != std::string::npos; });
}

TEST(BlockOracle, AcceptsTheTree) {
    for (const ChunkDirection flow :
         {ChunkDirection::all, ChunkDirection::to_root, ChunkDirection::from_root}) {
        const BlockCase run = two_nodes(flow);
        const RunReport report = run_blocks(run, {});
        EXPECT_EQ(report.text(), "");
        EXPECT_EQ(check(run, report.messages), std::vector<std::string>{});
        EXPECT_EQ(report.messages.size(), flow == ChunkDirection::all ? 14U : 7U);
    }
}

TEST(BlockOracle, FindsABoundaryThatIsCrossedTwice) {
    // Rank 6 hangs below the root on the other node: all data is right.
    const BlockCase run = two_nodes(ChunkDirection::all);
    const RunReport report = run_damaged(run, [](std::vector<BlockRoutes>& routes) {
        drop_edge(routes, 4, 6);
        drop_edge(routes, 6, 4);
        add_edge(routes, 0, 6, {{0, 6}, {7, 1}});
        add_edge(routes, 6, 0, {{6, 1}});
        set_stream(routes, 0, 4, {{0, 4}, {6, 1}});
        set_stream(routes, 4, 0, {{4, 2}, {7, 1}});
    });
    EXPECT_EQ(report.text(), "");
    const std::vector<std::string> faults = check(run, report.messages);
    EXPECT_TRUE(mentions(faults, "group 2 receives 166 and sends 66 bytes instead of 50 and 66"));
    EXPECT_TRUE(mentions(faults, "group 2 is torn"));
    EXPECT_TRUE(mentions(faults, "group 2 is reached through rank 6 instead of 4"));
}

TEST(BlockOracle, FindsABlockThatIsSentTwice) {
    // Rank 5's block crosses both edges on its way twice: all data is right.
    const BlockCase run = two_nodes(ChunkDirection::to_root);
    const RunReport report = run_damaged(run, [](std::vector<BlockRoutes>& routes) {
        add_edge(routes, 5, 4, {{5, 1}});
        set_stream(routes, 4, 0, {{4, 4}, {5, 1}});
    });
    EXPECT_EQ(report.text(), "");
    const std::vector<std::string> faults = check(run, report.messages);
    EXPECT_TRUE(mentions(faults, "from rank 5 to 4 go 32 bytes in 2 messages instead of 16 in 1"));
    EXPECT_TRUE(mentions(faults, "group 2 receives 0 and sends 82 bytes instead of 0 and 66"));
}

TEST(BlockOracle, FindsADetour) {
    // Rank 6 sends its block to the root's node through rank 1: every node sends the right bytes.
    const BlockCase run = two_nodes(ChunkDirection::to_root);
    const RunReport report = run_damaged(run, [](std::vector<BlockRoutes>& routes) {
        drop_edge(routes, 6, 4);
        add_edge(routes, 6, 1, {{6, 1}});
        set_stream(routes, 4, 0, {{4, 2}, {7, 1}});
        set_stream(routes, 1, 0, {{1, 1}, {6, 1}});
    });
    EXPECT_EQ(report.text(), "");
    const std::vector<std::string> faults = check(run, report.messages);
    EXPECT_TRUE(mentions(faults, "group 2 is torn"));
    EXPECT_TRUE(mentions(faults, "group 1 is reached through rank 1 instead of 0"));
}

TEST(BlockOracle, FindsAMissingBlock) {
    // Rank 6's block never leaves its node.
    const BlockCase run = two_nodes(ChunkDirection::all);
    const RunReport report = run_damaged(run, [](std::vector<BlockRoutes>& routes) {
        set_stream(routes, 4, 0, {{4, 2}, {7, 1}});
        for (const int rank : {1, 2, 3}) {
            std::vector<BlockRun> runs = stream(routes[0].out, rank).runs;
            ASSERT_EQ(runs.back().first + runs.back().count, 8);
            runs.back().count -= 2;
            runs.push_back({7, 1});
            set_stream(routes, 0, rank, runs);
        }
    });
    EXPECT_EQ(report.problems,
              (std::vector<std::string>{
                  "rank 0: byte 0 of block 6 is wrong", "rank 1: byte 0 of block 6 is wrong",
                  "rank 2: byte 0 of block 6 is wrong", "rank 3: byte 0 of block 6 is wrong"}));
    const std::vector<std::string> faults = check(run, report.messages);
    EXPECT_TRUE(mentions(faults, "from rank 4 to 0 go 49 bytes in 1 messages instead of 66 in 1"));
    EXPECT_TRUE(mentions(faults, "group 1 receives 49 and sends 50 bytes instead of 66 and 50"));
}

TEST(BlockOracle, FindsOtherMessages) {
    for (const ChunkDirection flow :
         {ChunkDirection::all, ChunkDirection::to_root, ChunkDirection::from_root}) {
        const BlockCase run = two_nodes(flow);
        const RunReport report = run_blocks(run, {});
        std::vector<SentMessage> messages = report.messages;
        messages.pop_back();
        EXPECT_FALSE(check(run, messages).empty());
        messages = report.messages;
        messages.push_back(messages.back());
        EXPECT_FALSE(check(run, messages).empty());
        messages = report.messages;
        messages.front().bytes += 1;
        EXPECT_FALSE(check(run, messages).empty());
        BlockCase other = run;
        other.plan.levels[0].segment_bytes = 30;
        EXPECT_FALSE(check(other, report.messages).empty());
        other = run;
        other.root = 5;
        EXPECT_FALSE(check(other, report.messages).empty());
        other = run;
        other.bytes[6] += 1;
        EXPECT_FALSE(check(other, report.messages).empty());
    }
}

/// Returns the bytes that pass through a group with linear shapes: the rest of the largest group whose
/// local root its leader is.
std::size_t passing_bytes(const Hierarchy& hierarchy, const BlockCase& run, int index) {
    const auto sum = [&](const Group& group) {
        return std::accumulate(group.members.begin(), group.members.end(), std::size_t{0},
                               [&](std::size_t bytes, int member) { return bytes + run.bytes[member]; });
    };
    const Group* widest = &hierarchy.groups[index];
    for (int above = widest->parent; above >= 0; above = hierarchy.groups[above].parent) {
        const Group& group = hierarchy.groups[above];
        if (group.leader != widest->leader || hierarchy.contains(above, run.root)) {
            break;
        }
        widest = &group;
    }
    return sum(*widest) - sum(hierarchy.groups[index]);
}

/// With linear shapes the groups' members determine every byte of a Gather and a Scatter.
TEST(BlockOracle, LinearShapesToTheByte) {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        Random random(seed);
        BlockCase run;
        run.hierarchy = random_hierarchy(random, {24, 5});
        run.plan = uniform_plan(run.hierarchy, {Algorithm::linear, 0, {}}, seed % 4 == 0 ? 0 : 40);
        run.root = random.between(0, run.hierarchy.ranks() - 1);
        run.bytes = random_block_bytes(random, run.hierarchy.ranks(), 60);
        for (const ChunkDirection flow : {ChunkDirection::to_root, ChunkDirection::from_root}) {
            run.flow = flow;
            const RunReport report = run_blocks(run, {});
            ASSERT_EQ(report.text(), "") << describe(run);
            for (int index = 1; index < static_cast<int>(run.hierarchy.groups.size()); ++index) {
                const Group& group = run.hierarchy.groups[index];
                std::size_t own = 0;
                for (const int member : group.members) {
                    own += run.bytes[member];
                }
                BoundaryBytes wanted{run.total() - own, 0};
                if (!run.hierarchy.contains(index, run.root)) {
                    const std::size_t passing = passing_bytes(run.hierarchy, run, index);
                    wanted = {passing, passing + own};
                }
                if (flow == ChunkDirection::from_root) {
                    std::swap(wanted.in, wanted.out);
                }
                EXPECT_EQ(boundary_bytes(group, report.messages), wanted)
                    << "group " << index << ": " << describe(run);
            }
        }
        if (HasFailure()) {
            return;
        }
    }
}

}  // namespace
}  // namespace block_oracle_test
