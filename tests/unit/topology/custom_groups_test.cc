#include <gtest/gtest.h>

#include "records.h"
#include "topology/hierarchy.h"

namespace strata::topology::custom_groups_test {
namespace {

using testing::record_on;
using Records = std::vector<LocalityRecord>;

std::string ranks_of(const std::vector<int>& ranks) {
    std::string text;
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        std::size_t last = i;
        while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
        text += (text.empty() ? "" : ",") + std::to_string(ranks[i]);
        if (last > i) text += "-" + std::to_string(ranks[last]);
        i = last;
    }
    return text;
}

std::string shape(const Hierarchy& hierarchy, int index = 0) {
    const Group& group = hierarchy.groups[static_cast<std::size_t>(index)];
    std::string below;
    for (const int child : group.children) below += (below.empty() ? "" : " ") + shape(hierarchy, child);
    return name_of(group.level) + ":" + ranks_of(group.members) + (below.empty() ? "" : "(" + below + ")");
}

Hierarchy built(const Records& records, const char* hint) {
    HierarchySpec spec;
    spec.hint = parse_hierarchy_hint(hint);
    const Hierarchy hierarchy = build_hierarchy(records, spec);
    EXPECT_EQ(validate(hierarchy), "") << hint;
    return hierarchy;
}

/// "node:0-3(custom0:0-1 custom0:2-3)".
std::string shape(const Records& records, const char* hint) { return shape(built(records, hint)); }

/// `nodes` equal nodes with a process on every core, in order.
Records full(const std::string& machine_text, int nodes = 1,
             const std::vector<std::vector<std::uint32_t>>& switches = {}) {
    const Machine machine = Machine::load(machine_text);
    Records records;
    for (int node = 0; node < nodes; ++node) {
        for (int core = 0; core < machine.cores(); ++core) {
            records.push_back(record_on(machine, "n" + std::to_string(node), std::to_string(core)));
            if (!switches.empty()) records.back().network_path = switches[static_cast<std::size_t>(node)];
        }
    }
    return records;
}

const char* const two_sockets = "synthetic:package:2 numa:2 core:12";
const char* const three_sockets = "synthetic:package:3 [numa] core:4";
const char* const small = "synthetic:package:2 [numa] core:2";

// The examples in the comment on coll/xhc's grammar, on a node of two sockets with two NUMA nodes of 12 cores
// each.
TEST(CustomGroups, ExamplesOfTheGrammar) {
    const Records records = full(two_sockets);
    const std::pair<const char*, const char*> examples[] = {
        {"numa", "node:0-47(numa:0-11 numa:12-23 numa:24-35 numa:36-47)"},
        {"numa,socket", "node:0-47(package:0-23(numa:0-11 numa:12-23) package:24-47(numa:24-35 numa:36-47))"},
        {"node", "node:0-47"},
        {"flat", "node:0-47"},
        {"numa:2,socket",
         "node:0-47(package:0-23(custom0:0-5 custom0:6-11 custom0:12-17 custom0:18-23) "
         "package:24-47(custom0:24-29 custom0:30-35 custom0:36-41 custom0:42-47))"},
        {"numa:2,numa,socket",
         "node:0-47(package:0-23(numa:0-11(custom0:0-5 custom0:6-11) numa:12-23(custom0:12-17 "
         "custom0:18-23)) "
         "package:24-47(numa:24-35(custom0:24-29 custom0:30-35) numa:36-47(custom0:36-41 custom0:42-47)))"},
        {"numa?10,socket",
         "node:0-47(package:0-23(custom0:0-9 custom0:10-11 custom0:12-21 custom0:22-23) "
         "package:24-47(custom0:24-33 custom0:34-35 custom0:36-45 custom0:46-47))"},
        {"[0..9]+[10..24]", "node:0-47(custom0:0-9 custom0:10-24)"},
        // The list is cut at the socket's border; its part in the first socket is the whole socket.
        {"[0..39]+numa,socket", "node:0-47(package:0-23 package:24-47(custom0:24-39 custom0:40-47))"},
        {"socket+socket:2", "node:0-47(custom0:0-23 custom0:24-35 custom0:36-47)"},
        {"socket*+socket:2", "node:0-47(custom0:0-23 custom0:24-35 custom0:36-47)"},
    };
    for (const auto& [hint, expected] : examples) EXPECT_EQ(shape(records, hint), expected) << hint;
}

TEST(CustomGroups, TheRepeatedItemTakesTheRest) {
    const Records records = full(three_sockets);
    EXPECT_EQ(shape(records, "socket+socket:2"),
              "node:0-11(custom0:0-3 custom0:4-5 custom0:6-7 custom0:8-9 custom0:10-11)");
    EXPECT_EQ(shape(records, "socket*+socket:2"),
              "node:0-11(custom0:0-3 custom0:4-7 custom0:8-9 custom0:10-11)");
    EXPECT_EQ(shape(records, "socket:2*+socket"),
              "node:0-11(custom0:0-1 custom0:2-3 custom0:4-5 custom0:6-7 custom0:8-11)");
    EXPECT_EQ(shape(records, "socket+socket?1*+socket:2"),
              "node:0-11(custom0:0-3 custom0:4 custom0:5 custom0:6 custom0:7 custom0:8-9 custom0:10-11)");
    // More items than objects: those before the repeated item take objects first, then those after it.
    EXPECT_EQ(shape(records, "socket+socket+socket+socket:2+socket:4"),
              "node:0-11(custom0:0-3 custom0:4-7 custom0:8-11)");
}

TEST(CustomGroups, SharingBeginsAnewOnEveryNode) {
    const Records records = full(small, 2);
    EXPECT_EQ(shape(records, "socket+socket?1"),
              "cluster:0-7(custom0:0-1 custom0:2 custom0:3 custom0:4-5 custom0:6 custom0:7)");
    EXPECT_EQ(
        shape(records, "socket*+socket?1,node"),
        "cluster:0-7(node:0-3(custom0:0-1 custom0:2 custom0:3) node:4-7(custom0:4-5 custom0:6 custom0:7))");
    // Nodes are shared over the whole communicator, and items beside them too.
    EXPECT_EQ(shape(records, "node+node:2"), "cluster:0-7(custom0:0-3 custom0:4-5 custom0:6-7)");
    EXPECT_EQ(shape(records, "node+socket"), "cluster:0-7(custom0:0-3 custom0:4-5 custom0:6-7)");
    EXPECT_EQ(shape(records, "socket+node"), "cluster:0-7(custom0:0-1 custom0:2-3 custom0:4-7)");
}

// The lowest rank decides, not the hardware's order.
TEST(CustomGroups, SharingFollowsTheRanks) {
    const Machine machine = Machine::load(small);
    Records records;
    for (const char* core : {"3", "0", "2", "1"}) records.push_back(record_on(machine, "n", core));
    EXPECT_EQ(shape(records, "socket+socket?1"), "node:0-3(custom0:0,2 custom0:1 custom0:3)");
    EXPECT_EQ(shape(records, "socket?1*+socket"), "node:0-3(custom0:0 custom0:1,3 custom0:2)");
}

TEST(CustomGroups, PiecesDifferByAtMostOne) {
    const Machine machine = Machine::load("synthetic:package:2 core:10");
    Records records;
    for (int core = 0; core < 10; ++core) records.push_back(record_on(machine, "n", std::to_string(core)));
    records.push_back(record_on(machine, "n", "10"));
    EXPECT_EQ(shape(records, "socket:4"),
              "node:0-10(custom0:0-2 custom0:3-5 custom0:6-7 custom0:8-9 custom0:10)");
    EXPECT_EQ(shape(records, "socket?4"), "node:0-10(custom0:0-3 custom0:4-7 custom0:8-9 custom0:10)");
    EXPECT_EQ(shape(records, "node:2"), "node:0-10(custom0:0-5 custom0:6-10)");
    EXPECT_EQ(built(records, "node:2147483647").groups.size(), 12U);
    EXPECT_EQ(built(records, "node?1").groups.size(), 12U);
    EXPECT_EQ(shape(records, "node?11"), "node:0-10");
    EXPECT_EQ(shape(records, "[0..6]:2"), "node:0-10(custom0:0-3 custom0:4-6)");
    EXPECT_EQ(shape(records, "[1,8,4,2]?2"), "node:0-10(custom0:1-2 custom0:4,8)");
}

TEST(CustomGroups, ListsCutNodes) {
    const Records records = full(small, 2);
    // No plain level after the list: it is above the nodes, and the second node becomes two groups.
    EXPECT_EQ(shape(records, "node,[0..5]"), "cluster:0-7(custom0:0-5(node:0-3 node:4-5) node:6-7)");
    EXPECT_EQ(shape(records, "package,node,[2..5]"),
              "cluster:0-7(package:0-1 custom0:2-5(package:2-3 package:4-5) package:6-7)");
    // Below the nodes the nodes cut the list.
    EXPECT_EQ(shape(records, "[0..5],node"), "cluster:0-7(node:0-3 node:4-7(custom0:4-5))");
    EXPECT_EQ(shape(records, "[2..5],node"), "cluster:0-7(node:0-3(custom0:2-3) node:4-7(custom0:4-5))");
    // The pieces are those of the whole list.
    EXPECT_EQ(shape(records, "[0..5]:2,node"),
              "cluster:0-7(node:0-3(custom0:0-2 custom0:3) node:4-7(custom0:4-5))");
    const Hierarchy hierarchy = built(records, "node,[0..5]");
    EXPECT_EQ(hierarchy.groups[2].object, hierarchy.groups[4].object);  // both are parts of the second node
    EXPECT_EQ(ranks_of(hierarchy.groups[2].members), "6-7");
}

TEST(CustomGroups, ListsCutSocketsAndNumaNodes) {
    const Records records = full(two_sockets);
    EXPECT_EQ(shape(records, "numa,socket,[0..29]"),
              "node:0-47(custom0:0-29(package:0-23(numa:0-11 numa:12-23) numa:24-29) "
              "package:30-47(numa:30-35 numa:36-47))");
    EXPECT_EQ(
        shape(records, "[0..29],numa,socket"),
        "node:0-47(package:0-23(numa:0-11 numa:12-23) package:24-47(numa:24-35(custom0:24-29) numa:36-47))");
    EXPECT_EQ(shape(records, "numa,[6..17,30],socket"),
              "node:0-47(package:0-23(numa:0-5 custom0:6-17(numa:6-11 numa:12-17) numa:18-23) "
              "package:24-47(numa:24-29,31-35 numa:30 numa:36-47))");
}

TEST(CustomGroups, ListsOverlapAndNameRanksThatDoNotExist) {
    const Records records = full(small, 2);
    EXPECT_EQ(shape(records, "[0..4]+[3..6]"), "cluster:0-7(custom0:0-4 custom0:5-6)");
    EXPECT_EQ(shape(records, "[3..6]+[0..4]"), "cluster:0-7(custom0:0-2 custom0:3-6)");
    EXPECT_EQ(shape(records, "[2..3]+[0..4]:2"), "cluster:0-7(custom0:0-1 custom0:2-3 custom0:4)");
    EXPECT_EQ(shape(records, "[1,1..2,2]"), "cluster:0-7(custom0:1-2)");
    EXPECT_EQ(shape(records, "[6..2147483647]+[8]+[100..200]"), "cluster:0-7(custom0:6-7)");
    EXPECT_EQ(shape(records, "[8..9]"), "cluster:0-7");
    EXPECT_EQ(shape(records, "[0..99]"), "cluster:0-7");
    // Lists of two levels: the later level is outside and cuts the other.
    EXPECT_EQ(shape(records, "[0..3],[2..5]"), "cluster:0-7(custom0:0-1 custom1:2-5(custom0:2-3))");
    EXPECT_EQ(shape(records, "[2..5],[0..3]"), "cluster:0-7(custom1:0-3(custom0:2-3) custom0:4-5)");
}

TEST(CustomGroups, ListsSkipLevelsThatNoMachineHas) {
    const Records records = full(small, 2);
    EXPECT_EQ(shape(records, "[0..5],switch,node"), "cluster:0-7(node:0-3 node:4-7(custom0:4-5))");
    EXPECT_EQ(shape(records, "node,[0..5],switch"), shape(records, "node,[0..5]"));
    EXPECT_EQ(shape(records, "node,[0..5],l2"), shape(records, "node,[0..5]"));
    EXPECT_EQ(shape(records, "[0..5],l2:2,node"), shape(records, "[0..5],node"));
}

TEST(CustomGroups, SwitchesArePlacesToo) {
    const Records records = full("synthetic:package:1 core:2", 4, {{9, 1}, {9, 1}, {9, 2}, {9, 2}});
    EXPECT_EQ(shape(records, "switch0:2,switch"),
              "switch1:0-7(switch0:0-3(custom0:0-1 custom0:2-3) switch0:4-7(custom0:4-5 custom0:6-7))");
    // "switch" is the leaf switch around a rank, "switch1" the one above.
    EXPECT_EQ(shape(records, "switch:2"), "switch1:0-7(custom0:0-1 custom0:2-3 custom0:4-5 custom0:6-7)");
    EXPECT_EQ(shape(records, "switch1?3"), "switch1:0-7(custom0:0-2 custom0:3-5 custom0:6-7)");
    EXPECT_EQ(shape(records, "switch0+switch0:2"), "switch1:0-7(custom0:0-3 custom0:4-5 custom0:6-7)");
    EXPECT_EQ(shape(records, "node,[0..4],switch"),
              "switch1:0-7(switch0:0-3(node:0-1 node:2-3) switch0:4-7(node:4 node:5 node:6-7))");
    EXPECT_EQ(shape(records, "node,switch0,[0..4]"),
              "switch1:0-7(custom0:0-4(switch0:0-3(node:0-1 node:2-3) node:4) switch0:5-7(node:5 node:6-7))");
}

TEST(CustomGroups, UnboundProcessesAreInNoObject) {
    const Machine machine = Machine::load(small);
    Records records;
    for (const char* cores : {"", "0", "1", "2", "3", "1-2"})
        records.push_back(record_on(machine, "n", cores));
    EXPECT_EQ(shape(records, "socket"), "node:0-5(package:1-2 package:3-4)");
    EXPECT_EQ(shape(records, "socket:2"), "node:0-5(custom0:1 custom0:2 custom0:3 custom0:4)");
    EXPECT_EQ(shape(records, "socket+socket?1"), "node:0-5(custom0:1-2 custom0:3 custom0:4)");
    EXPECT_EQ(shape(records, "node:2"), "node:0-5(custom0:0-2 custom0:3-5)");
    EXPECT_EQ(shape(records, "[0..1,3],socket"), "node:0-5(package:1-2(custom0:1) package:3-4(custom0:3))");
    EXPECT_EQ(shape(records, "[0..1,3],node"), "node:0-5(custom0:0-1,3)");
}

// The only object of a level is the node itself, which no record contains.
TEST(CustomGroups, TheNodeStandsForItsOnlyPackage) {
    const Records records = full("synthetic:package:1 [numa] l2:2 core:2");
    EXPECT_EQ(shape(records, "socket:2"), "node:0-3(custom0:0-1 custom0:2-3)");
    EXPECT_EQ(shape(records, "numa?3"), "node:0-3(custom0:0-2 custom0:3)");
    EXPECT_EQ(shape(records, "[1..2],numa"), "node:0-3(custom0:1-2)");
    // A level that the machine lacks below a wider one is no such case, but a memory over all packages is.
    EXPECT_EQ(shape(full("synthetic:[numa] package:2 core:2"), "l3:2,l2:2"), "node:0-3");
    EXPECT_EQ(shape(full("synthetic:[numa] package:2 core:2"), "numa?3"), "node:0-3(custom0:0-2 custom0:3)");
    Records unbound(3);
    EXPECT_EQ(shape(unbound, "numa:2"), "node:0-2");
}

TEST(CustomGroups, SeveralCustomLevels) {
    const Records records = full("synthetic:package:2 core:8");
    EXPECT_EQ(shape(records, "socket:4,socket:2"),
              "node:0-15(custom1:0-3(custom0:0-1 custom0:2-3) custom1:4-7(custom0:4-5 custom0:6-7) "
              "custom1:8-11(custom0:8-9 custom0:10-11) custom1:12-15(custom0:12-13 custom0:14-15))");
    // Where items name objects, the written order only gives positions; pieces that do not nest are cut.
    EXPECT_EQ(shape(records, "node:4,socket:2"),
              "node:0-15(custom0:0-3 custom0:4-7 custom0:8-11 custom0:12-15)");
    EXPECT_EQ(shape(records, "socket?5,socket?3"),
              "node:0-15(custom1:0-2 custom1:3-5(custom0:3-4 custom0:5) custom1:6-7 custom1:8-10 "
              "custom1:11-13(custom0:11-12 custom0:13) custom1:14-15)");
    EXPECT_EQ(built(records, "socket?5,socket?3").levels(),
              (std::vector<LevelKey>{{LevelKind::node, 0}, {LevelKind::custom, 1}, {LevelKind::custom, 0}}));
}

// Hardware keeps its name when a custom group holds exactly its processes.
TEST(CustomGroups, HardwareKeepsItsName) {
    const Records records = full(small, 2);
    EXPECT_EQ(shape(records, "package,[0..1]+[2..3],node"),
              "cluster:0-7(node:0-3(package:0-1 package:2-3) node:4-7(package:4-5 package:6-7))");
    EXPECT_EQ(shape(records, "[0..1]+[2..3],package,node"),
              "cluster:0-7(node:0-3(package:0-1 package:2-3) node:4-7(package:4-5 package:6-7))");
    EXPECT_EQ(shape(records, "socket?9,node"),
              "cluster:0-7(node:0-3(custom0:0-1 custom0:2-3) node:4-7(custom0:4-5 custom0:6-7))");
    EXPECT_EQ(shape(records, "node?4"), "cluster:0-7(custom0:0-3 custom0:4-7)");
}

// Pieces are below the smallest object that all share: the top stays that object.
TEST(CustomGroups, TheTopKeepsItsName) {
    Records records = full(two_sockets);
    records.resize(4);
    EXPECT_EQ(shape(records, "node:2"), "numa:0-3(custom0:0-1 custom0:2-3)");
    EXPECT_EQ(shape(records, "[1..2]"), "numa:0-3(custom0:1-2)");
    EXPECT_EQ(shape(records, "core,[1..2],node"), "numa:0-3(core:0 custom0:1-2(core:1 core:2) core:3)");
}

TEST(CustomGroups, AreNumberedAndKnowWhatIsAround) {
    const Records records = full(small, 2);
    const Hierarchy hierarchy = built(records, "[0..1]+[2..5]");
    ASSERT_EQ(hierarchy.groups.size(), 3U);
    EXPECT_EQ(hierarchy.groups[1].object, 0U);
    EXPECT_EQ(hierarchy.groups[2].object, 1U);
    EXPECT_EQ(hierarchy.groups[1].around, (LevelKey{LevelKind::numa, 0}));
    EXPECT_EQ(hierarchy.groups[2].around, (LevelKey{LevelKind::cluster, 0}));
    EXPECT_EQ(built(records, "[1..2]").groups[1].around, (LevelKey{LevelKind::node, 0}));
    EXPECT_EQ(built(records, "[1]").groups[1].around, (LevelKey{LevelKind::core, 0}));
}

TEST(CustomGroups, TheTopologyOrderDoesNotFollowThem) {
    Records records = full(small, 2);
    for (std::size_t i = 0; i < records.size(); ++i) {
        records[i].nics[0].distance = static_cast<std::uint8_t>((3 * i) % 8);
    }
    const Hierarchy plain = build_hierarchy(records);
    const Hierarchy custom = built(records, "node,[1,4..6]+[2..3]");
    EXPECT_EQ(custom.topology_order, plain.topology_order);
    EXPECT_EQ(custom.topology_order_nodes, (std::vector<int>{0, 4}));
    EXPECT_EQ(custom.groups[0].leader, 0);
    EXPECT_EQ(ranks_of(custom.groups[2].members), "1,4-6");
    EXPECT_EQ(custom.groups[2].leader, 6);  // distances 3, 4, 7, 2
}

}  // namespace
}  // namespace strata::topology::custom_groups_test
