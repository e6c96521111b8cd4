#include "byte_oracle.h"

#include <gtest/gtest.h>

#include "algorithms/engines/bcast_tree.h"
#include "bcast_runs.h"
#include "random_shapes.h"

namespace byte_oracle_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;

std::vector<std::string> check(const BcastCase& bcast, const RunReport& run) {
    return check_bcast_bytes(bcast.hierarchy, bcast.root, bcast.bytes, segments_by_group(bcast),
                             run.messages);
}

/// Runs the case with the links of all ranks changed by `damage` before.
template <typename Damage>
RunReport run_damaged(const BcastCase& bcast, Damage&& damage) {
    std::vector<TreeLinks> links;
    for (int rank = 0; rank < bcast.hierarchy.ranks(); ++rank) {
        links.push_back(tree_links(bcast.hierarchy, bcast.plan, bcast.root, rank));
    }
    damage(links);
    return run_engine(bcast, {}, [&](int rank, Transport& transport, PackedBuffer& buffer) {
        return run_tree(links[rank], transport, buffer, bcast.plan.window);
    });
}

BcastCase two_nodes() {
    const strata::topology::Hierarchy hierarchy = regular_hierarchy({2, 4});
    return {hierarchy, uniform_plan(hierarchy, {Algorithm::linear, 0, {}}, 64), 1, 200};
}

TEST(ByteOracle, AcceptsTheTree) {
    const BcastCase bcast = two_nodes();
    const RunReport run = run_tree(bcast, {});
    EXPECT_EQ(run.text(), "");
    EXPECT_TRUE(check(bcast, run).empty());
    EXPECT_EQ(run.messages.size(), 7U * 4U);
}

TEST(ByteOracle, FindsAWrongParent) {
    // Rank 6 hangs below the root on the other node: all data is right, but the boundary is crossed twice.
    const BcastCase bcast = two_nodes();
    const RunReport run = run_damaged(bcast, [](std::vector<TreeLinks>& links) {
        std::erase_if(links[4].children, [](const TreeLinks::Edge& edge) { return edge.peer == 6; });
        links[6].parent.peer = 1;
        links[1].children.push_back({6, 0, 64});
    });
    EXPECT_EQ(run.text(), "");
    EXPECT_EQ(check(bcast, run),
              std::vector<std::string>{
                  "group 2 receives 400 bytes in 8 messages instead of 200 bytes in 4 messages"});
}

TEST(ByteOracle, FindsADoubledEdge) {
    const BcastCase bcast = two_nodes();
    FabricOptions buffered;
    buffered.eager_bytes = 1000;
    const RunReport run =
        run_engine(bcast, buffered, [&](int rank, Transport& transport, PackedBuffer& buffer) {
            TreeLinks links = tree_links(bcast.hierarchy, bcast.plan, bcast.root, rank);
            if (rank == 1) {
                links.children.push_back(links.children.front());
            }
            const int code = run_tree(links, transport, buffer, bcast.plan.window);
            if (code == 0 && rank == 4) {
                std::vector<std::byte> again(64);
                for (const std::size_t bytes : {64U, 64U, 64U, 8U}) {
                    transport.recv(again.data(), bytes, 1);
                }
            }
            return code;
        });
    EXPECT_FALSE(check(bcast, run).empty());
}

TEST(ByteOracle, FindsMissingBytesAndOtherSegments) {
    const BcastCase bcast = two_nodes();
    const RunReport run = run_tree(bcast, {});
    RunReport missing = run;
    missing.messages.pop_back();
    EXPECT_FALSE(check(bcast, missing).empty());
    BcastCase other = bcast;
    other.plan.levels[0].segment_bytes = 32;
    EXPECT_EQ(check(other, run).size(), 1U);
    other = bcast;
    other.root = 0;
    EXPECT_FALSE(check(other, run).empty());
}

}  // namespace
}  // namespace byte_oracle_test
