#include "topology/canonical_order.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

#include "make_hierarchy.h"
#include "topology/sub_hierarchy.h"

namespace canonical_order_test {
namespace {

using namespace strata::testing;
using strata::topology::canonical_order;
using strata::topology::renumbered;
using strata::topology::sub_hierarchy;

/// Gives every rank another number; leaders stay the same processes.
struct Shuffled {
    Hierarchy hierarchy;
    std::vector<int> number;  // old rank -> new one

    Shuffled(const Hierarchy& from, unsigned seed) : number(from.stop.size()) {
        std::vector<int> kept(from.stop.size());
        std::iota(kept.begin(), kept.end(), 0);
        std::shuffle(kept.begin(), kept.end(), std::mt19937(seed));
        hierarchy = sub_hierarchy(from, kept);
        for (std::size_t i = 0; i < kept.size(); ++i) number[kept[i]] = static_cast<int>(i);
        hierarchy.receivers.resize(from.receivers.size());
        for (std::size_t i = 0; i < from.receivers.size(); ++i)
            hierarchy.receivers[number[i]] = number[from.receivers[i]];
    }
};

Hierarchy without_objects(Hierarchy hierarchy) {
    for (auto& group : hierarchy.groups) group.object = 0;
    return hierarchy;
}

std::uint64_t structure(const Hierarchy& hierarchy, int root = 0) {
    return canonical_order(hierarchy, root).structure;
}

/// Two switches of two nodes of two NUMA nodes.
Hierarchy domains() {
    return make_hierarchy(
        top_switch, {{leaf_switch, blocks(16, 8)}, {node_level, blocks(16, 4)}, {numa_level, blocks(16, 2)}},
        16);
}

TEST(CanonicalOrder, DoesNotDependOnTheNumbersOfRegularMachines) {
    for (const Hierarchy& machine :
         {domains(), sites_of_nodes(3, 4, 5), nodes_below_switch(7, 3), one_node(9)}) {
        for (const int root : {machine.groups.front().leader, machine.ranks() - 1}) {
            const auto order = canonical_order(machine, root);
            for (unsigned seed = 0; seed < 5; ++seed) {
                const Shuffled other(machine, seed);
                const auto shuffled = canonical_order(other.hierarchy, other.number[root]);
                EXPECT_EQ(shuffled.structure, order.structure);
                EXPECT_EQ(without_objects(renumbered(other.hierarchy, shuffled)),
                          without_objects(renumbered(machine, order)));
            }
        }
    }
}

TEST(CanonicalOrder, OfRenumberedRanksIsTheirOrder) {
    for (unsigned seed = 0; seed < 5; ++seed) {
        const Hierarchy machine = Shuffled(domains(), seed).hierarchy;
        const auto order = canonical_order(machine, 5);
        const Hierarchy ranks = renumbered(machine, order);
        EXPECT_EQ(validate(ranks), "");
        const auto place = std::ranges::find(order.ranks, 5) - order.ranks.begin();
        const auto again = canonical_order(ranks, static_cast<int>(place));
        EXPECT_EQ(again.structure, order.structure);
        EXPECT_EQ(again.ranks.front(), place);
        EXPECT_EQ(ranks.topology_order_nodes.size(), 4U);
    }
}

TEST(CanonicalOrder, RenumbersReceivers) {
    Hierarchy machine = nodes_below_switch(2, 3);
    machine.receivers = {0, 0, 2, 3, 4, 3};
    const auto order = canonical_order(machine, 3);
    EXPECT_EQ(order.ranks, (std::vector<int>{3, 4, 5, 0, 1, 2}));
    EXPECT_EQ(renumbered(machine, order).receivers, (std::vector<int>{0, 1, 0, 3, 3, 5}));
}

TEST(CanonicalOrder, StructuresDiffer) {
    const std::uint64_t known = structure(domains());
    EXPECT_EQ(structure(domains()), known);
    EXPECT_EQ(structure(domains(), 1), known) << "the root takes the leader's place";
    EXPECT_NE(structure(nodes_below_switch(2, 1), 0), structure(one_node(2)));
    EXPECT_NE(structure(sites_of_nodes(2, 2, 4)), known) << "without NUMA nodes";
    EXPECT_NE(structure(nodes_below_switch(4, 4)), structure(nodes_below_switch(4, 5))) << "sizes";
    Hierarchy other = domains();
    other.oversubscription = 2;
    EXPECT_NE(structure(other), known);
    other = domains();
    other.groups.back().level = {LevelKind::l3, 0};
    EXPECT_NE(structure(other), known);
    other = domains();
    other.groups.back().around = numa_level;
    EXPECT_NE(structure(other), known);
    other = domains();
    other.groups.back().leader = 15;
    EXPECT_EQ(structure(other), known) << "one of two equal ranks";
    other = domains();
    other.receivers.resize(16);
    std::iota(other.receivers.begin(), other.receivers.end(), 0);
    const std::uint64_t near = structure(other);
    other.receivers[15] = 12;
    EXPECT_NE(structure(other), near);
}

TEST(CanonicalOrder, TheLeaderMattersBesideTheRootIfItReceives) {
    Hierarchy machine = nodes_below_switch(2, 4);
    Hierarchy other = machine;
    other.groups[2].leader = 7;
    EXPECT_EQ(structure(machine, 5), structure(other, 5));
    machine.receivers = other.receivers = {0, 1, 2, 3, 4, 5, 6, 7};
    EXPECT_NE(structure(machine, 5), structure(other, 5));
}

TEST(CanonicalOrder, TheSequenceOfUnequalPartsMatters) {
    // Nodes of 1, 2 and 3 ranks, and of 1, 3 and 2.
    const auto nodes = [](std::vector<int> node_of) {
        return make_hierarchy(top_switch, {{node_level, std::move(node_of)}}, 6);
    };
    EXPECT_NE(structure(nodes({0, 1, 1, 2, 2, 2})), structure(nodes({0, 1, 1, 1, 2, 2})));
    EXPECT_EQ(structure(nodes({0, 1, 1, 2, 2, 2})), structure(nodes({0, 1, 2, 1, 2, 2})));
}

}  // namespace
}  // namespace canonical_order_test
