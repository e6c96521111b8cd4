// Edges between nodes with other windows than those inside nodes: the engines use them, and the check
// detects an excess.
#include "windows.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "bcast_runs.h"
#include "block_runs.h"
#include "random_shapes.h"
#include "reduce_runs.h"

namespace windows_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;
using strata::topology::Hierarchy;

constexpr int nodes = 3;
constexpr std::size_t segment = 10;

class Windows : public testing::Test {
protected:
    Windows() {
        plan.window = 2;
        plan.network_window_bytes = 7 * segment;
    }

    /// The most unfinished sends of a run are as many as a window holds, between nodes and inside them.
    void expect_full(const RunReport& run, Cut cut) const {
        EXPECT_EQ(run.text(), "");
        EXPECT_EQ(window_faults(hierarchy, plan, cut, run), "");
        int between = 0, inside = 0;
        for (const auto& [pair, most] : run.in_flight) {
            int& seen = pair.first % nodes == pair.second % nodes ? inside : between;
            seen = std::max(seen, most);
        }
        EXPECT_EQ(between, 7);
        EXPECT_EQ(inside, 2);
    }
    /// With less than its window in the plan.
    std::string faults_under(int window, std::size_t network_bytes, const RunReport& run) const {
        Plan other = plan;
        other.window = window;
        other.network_window_bytes = network_bytes;
        return window_faults(hierarchy, other, Cut::by_level, run);
    }

    const Hierarchy hierarchy = dealt_out(nodes, 3);
    Plan plan = uniform_plan(hierarchy, {Algorithm::linear, 0, {}}, segment);
};

TEST_F(Windows, Bcast) {
    const BcastCase bcast{hierarchy, plan, 0, 50 * segment};
    expect_full(run_tree(bcast, {}), Cut::by_level);
}

TEST_F(Windows, ReduceAndAllreduce) {
    ReduceCase reduce;
    reduce.hierarchy = hierarchy;
    reduce.plan = plan;
    reduce.op = Operator::sum_8;
    reduce.elements = 50 * segment;
    expect_full(run_reduce(reduce, {}).report, Cut::as_top);
    expect_full(run_allreduce(reduce, {}).report, Cut::as_top);
    expect_full(run_ring(reduce, {}).report, Cut::as_top);
}

TEST_F(Windows, Blocks) {
    for (const ChunkDirection flow : {ChunkDirection::to_root, ChunkDirection::from_root}) {
        BlockCase run;
        run.hierarchy = hierarchy;
        run.plan = plan;
        run.flow = flow;
        run.bytes.assign(nodes * 3, 20 * segment);
        expect_full(run_blocks(run, {}), Cut::by_level);
    }
}

TEST_F(Windows, TheCheckCanFail) {
    const BcastCase bcast{hierarchy, plan, 0, 50 * segment};
    const RunReport run = run_tree(bcast, {});
    EXPECT_NE(faults_under(2, 6 * segment, run).find("7 unfinished sends from 0 to 1, 6 are allowed"),
              std::string::npos);
    EXPECT_NE(faults_under(2, 0, run).find("2 are allowed"), std::string::npos);
    EXPECT_NE(faults_under(1, 7 * segment, run).find("2 unfinished sends from 0 to 3, 1 are allowed"),
              std::string::npos);
}

/// Windows of random plans.
TEST(RandomPlans, HaveAllKindsOfWindows) {
    int closed = 0, some = 0, whole = 0;
    constexpr std::size_t bytes = 1000;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        Random random(seed);
        const Plan plan = random_tree_plan(random, regular_hierarchy({4}), bytes);
        const std::size_t own = plan.levels.front().segment_bytes;
        const int most = most_in_flight(regular_hierarchy({4}), plan, Cut::by_level, 0, 1);
        if (own == 0 || own >= bytes) continue;
        closed += most == plan.window ? 1 : 0;
        whole += most >= static_cast<int>((bytes + own - 1) / own) ? 1 : 0;
        some += most > plan.window && most < static_cast<int>((bytes + own - 1) / own) ? 1 : 0;
    }
    EXPECT_GT(closed, 20);
    EXPECT_GT(some, 5);
    EXPECT_GT(whole, 20);
}

}  // namespace
}  // namespace windows_test
