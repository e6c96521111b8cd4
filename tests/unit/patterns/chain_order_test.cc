#include <gtest/gtest.h>

#include "algorithms/patterns/tree.h"
#include "make_hierarchy.h"
#include "topology/hierarchy.h"

namespace chain_order_test {
namespace {

using namespace strata::algorithms;
using namespace strata::topology;

/// Three nodes of two domains with two cores each, ranks assigned cyclically; the second domain of each
/// node is NIC-local.
std::vector<LocalityRecord> dealt_out() {
    std::vector<LocalityRecord> records(12);
    for (int rank = 0; rank < 12; ++rank) {
        LocalityRecord& record = records[static_cast<std::size_t>(rank)];
        const int core = rank / 3;
        record.node_id = static_cast<std::uint64_t>(100 + rank % 3);
        record.hardware_path = {
            {1U << static_cast<unsigned>(LevelKind::numa), static_cast<std::uint16_t>(core / 2)},
            {1U << static_cast<unsigned>(LevelKind::core), static_cast<std::uint16_t>(core)}};
        record.nics[static_cast<std::size_t>(NicUse::fabric)] = {static_cast<std::uint8_t>(core < 2), 0};
    }
    return records;
}

std::vector<int> chain(const Hierarchy& hierarchy, int root, Flow flow = Flow::from_root) {
    Plan plan;
    for (const LevelKey level : hierarchy.levels()) {
        plan.levels.push_back({level, {Algorithm::pipeline, 0, {}}, 0});
    }
    std::vector<int> order{root};
    while (order.size() <= hierarchy.stop.size()) {
        const TreeLinks links = tree_links(hierarchy, plan, root, order.back(), flow);
        if (links.children.empty()) break;
        EXPECT_EQ(links.children.size(), 1U);
        order.push_back(links.children.front().peer);
    }
    return order;
}

TEST(ChainOrder, EntersNodesNextToTheirNics) {
    HierarchySpec spec;
    spec.hint.emplace();  // no levels: one chain over all ranks
    const Hierarchy flat = build_hierarchy(dealt_out(), spec);
    EXPECT_EQ(chain(flat, 6), (std::vector<int>{6, 9, 0, 3, 7, 10, 1, 4, 8, 11, 2, 5}));
    // Any other root: its node comes first, in cyclic order.
    EXPECT_EQ(chain(flat, 4), (std::vector<int>{4, 7, 10, 1, 8, 11, 2, 5, 6, 9, 0, 3}));
    EXPECT_EQ(chain(flat, 11), (std::vector<int>{11, 2, 5, 8, 6, 9, 0, 3, 7, 10, 1, 4}));
}

/// Messages from other nodes arrive at ranks 9, 7 and 8, or at 6, all NIC-local.
TEST(ChainOrder, EntersThemThereTowardsTheRoot) {
    HierarchySpec spec;
    spec.hint.emplace();
    const Hierarchy flat = build_hierarchy(dealt_out(), spec);
    EXPECT_EQ(chain(flat, 6, Flow::to_root), (std::vector<int>{6, 3, 0, 9, 4, 1, 10, 7, 5, 2, 11, 8}));
    EXPECT_EQ(chain(flat, 0, Flow::to_root), (std::vector<int>{0, 3, 9, 6, 4, 1, 10, 7, 5, 2, 11, 8}));
}

TEST(ChainOrder, WithoutElectionFollowsTheHardware) {
    HierarchySpec spec;
    spec.hint.emplace();
    spec.election.nic_local = false;
    const Hierarchy flat = build_hierarchy(dealt_out(), spec);
    EXPECT_EQ(chain(flat, 0), (std::vector<int>{0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11}));
}

TEST(ChainOrder, OfLeadersIsTheirOwn) {
    // With the node level the chain joins leaders, each NIC-local, in both directions.
    HierarchySpec spec;
    spec.hint.emplace();
    spec.hint->levels = {plain_level({LevelKind::node, {}})};
    const Hierarchy nodes = build_hierarchy(dealt_out(), spec);
    Plan plan;
    for (const LevelKey level : nodes.levels())
        plan.levels.push_back({level, {Algorithm::pipeline, 0, {}}, 0});
    EXPECT_EQ(tree_links(nodes, plan, 0, 0).children.front().peer, 7);
    EXPECT_EQ(tree_links(nodes, plan, 0, 7).children.front().peer, 8);
    EXPECT_EQ(tree_links(nodes, plan, 0, 8).parent.peer, 7);
}

/// Two switches of two nodes of two ranks: wherever a chain over all nodes begins, it crosses between the
/// skipped switches once.
TEST(ChainOrder, EntersASkippedSwitchOnce) {
    Hierarchy hierarchy = strata::testing::sites_of_nodes(2, 2, 2);
    hierarchy.topology_order = {0, 1, 2, 3, 4, 5, 6, 7};
    hierarchy.topology_order_nodes = {0, 2, 4, 6};
    Plan plan;
    plan.levels = {{{LevelKind::switch_, 1}, {Algorithm::pipeline, 0, {}}, 0},
                   {{LevelKind::node, 0}, {Algorithm::pipeline, 0, {}}, 0}};
    plan.skipped = {{LevelKind::switch_, 0}};
    EXPECT_EQ(shape_members(hierarchy, plan, 0, 2), (std::vector<int>{2, 0, 4, 6}));
    EXPECT_EQ(shape_members(hierarchy, plan, 0, 5, Flow::to_root), (std::vector<int>{5, 6, 0, 2}));
    plan.levels.pop_back();
    plan.skipped.push_back({LevelKind::node, 0});
    EXPECT_EQ(shape_members(hierarchy, plan, 0, 3), (std::vector<int>{3, 2, 0, 1, 4, 5, 6, 7}));
}

}  // namespace
}  // namespace chain_order_test
