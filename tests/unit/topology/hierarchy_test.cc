#include "topology/hierarchy.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "records.h"
#include "topology/picture.h"

namespace strata::topology::hierarchy_test {
namespace {

using testing::record_on;
using Members = std::vector<int>;

/// Builds a hierarchy, validates it, and draws it: "cluster: 32 ranks ...".
std::string picture(const std::vector<LocalityRecord>& records, const HierarchySpec& spec = {}) {
    const Hierarchy hierarchy = build_hierarchy(records, spec);
    EXPECT_EQ(validate(hierarchy), "");
    return draw(hierarchy, PictureFormat::text);
}

HierarchySpec spec_of(std::initializer_list<const char*> names) {
    HierarchySpec spec;
    spec.hint.emplace();
    for (const char* name : names) spec.hint->levels.push_back(plain_level(parse_level(name).value()));
    return spec;
}

std::vector<std::string> level_names(const Hierarchy& hierarchy) {
    std::vector<std::string> names;
    for (const LevelKey key : hierarchy.levels()) names.push_back(name_of(key));
    return names;
}

// Section 5.1: 32 processes on 4 nodes, each bound to its core.
TEST(Hierarchy, PaperSimpleCase) {
    const Machine machine = Machine::load(testing::paper_node);
    std::vector<LocalityRecord> records;
    for (int rank = 0; rank < 32; ++rank) {
        records.push_back(record_on(machine, "n" + std::to_string(rank / 8), std::to_string(rank % 8)));
    }
    const Hierarchy hierarchy = build_hierarchy(records);
    ASSERT_EQ(validate(hierarchy), "");
    EXPECT_EQ(level_names(hierarchy), (std::vector<std::string>{"cluster", "node", "l3", "l1", "core"}));
    EXPECT_EQ(hierarchy.depth(), 5);
    const Group& top = hierarchy.groups[0];
    ASSERT_EQ(top.children.size(), 4U);
    EXPECT_TRUE(top.direct.empty());
    const Group& node = hierarchy.groups[static_cast<std::size_t>(top.children[1])];
    EXPECT_EQ(node.members, (Members{8, 9, 10, 11, 12, 13, 14, 15}));
    const Group& l3 = hierarchy.groups[static_cast<std::size_t>(node.children[1])];
    EXPECT_EQ(l3.members, (Members{12, 13, 14, 15}));
    EXPECT_EQ(l3.object, 1U);
    const Group& l1 = hierarchy.groups[static_cast<std::size_t>(l3.children[0])];
    EXPECT_EQ(l1.members, (Members{12, 13}));
    EXPECT_EQ(l1.leader, 12);
    const Group& core = hierarchy.groups[static_cast<std::size_t>(l1.children[1])];
    EXPECT_EQ(core.members, Members{13});
    EXPECT_EQ(core.object, 5U);
    EXPECT_TRUE(core.children.empty());
    EXPECT_EQ(
        name_of(hierarchy.groups[static_cast<std::size_t>(hierarchy.lowest_common_group(12, 13))].level),
        "l1");
    EXPECT_EQ(
        name_of(hierarchy.groups[static_cast<std::size_t>(hierarchy.lowest_common_group(12, 14))].level),
        "l3");
    EXPECT_EQ(name_of(hierarchy.groups[static_cast<std::size_t>(hierarchy.lowest_common_group(8, 15))].level),
              "node");
    EXPECT_EQ(hierarchy.lowest_common_group(0, 31), 0);
    EXPECT_EQ(hierarchy.lowest_common_group(7, 7), hierarchy.stop[7]);
    EXPECT_TRUE(hierarchy.contains(0, 31));
    EXPECT_TRUE(hierarchy.contains(top.children[1], 15));
    EXPECT_FALSE(hierarchy.contains(top.children[1], 16));
}

// Section 5.2: one node; ranks 0, 1 on cores, 2, 3 on the second pair of cores, 4-7 on the second NUMA node.
TEST(Hierarchy, PaperMixedBindings) {
    const Machine machine = Machine::load(testing::paper_node);
    std::vector<LocalityRecord> records;
    for (const char* cores : {"0", "1", "2-3", "2-3", "4-7", "4-7", "4-7", "4-7"}) {
        records.push_back(record_on(machine, "n", cores));
    }
    EXPECT_EQ(picture(records),
              "node 0: 8 ranks 0-7, leader 0\n"
              "  l3 0: 4 ranks 0-3, leader 0\n"
              "    l1 0: 2 ranks 0-1, leader 0\n"
              "      core 0: 1 rank 0, leader 0\n"
              "      core 1: 1 rank 1, leader 1\n"
              "    l1 1: 2 ranks 2-3, leader 2\n"
              "  l3 1: 4 ranks 4-7, leader 4\n");
}

TEST(Hierarchy, SomeDescendWhileOthersStop) {
    const Machine machine = Machine::load(testing::paper_node);
    std::vector<LocalityRecord> records;
    for (const char* cores : {"", "0-3", "2", "3", "0-3", "6"})
        records.push_back(record_on(machine, "n", cores));
    EXPECT_EQ(picture(records),
              "node 0: 6 ranks 0-5, leader 0\n"
              "  l3 0: 4 ranks 1-4, leader 1\n"
              "    l1 1: 2 ranks 2-3, leader 2\n"
              "      core 2: 1 rank 2, leader 2\n"
              "      core 3: 1 rank 3, leader 3\n"
              "    stop here: 1,4\n"
              "  core 6: 1 rank 5, leader 5\n"
              "  stop here: 0\n");
}

TEST(Hierarchy, OneRankIsOneGroup) {
    const Machine machine = Machine::load(testing::paper_node);
    EXPECT_EQ(picture({record_on(machine, "n", "3", {4, 2})}), "core 3: 1 rank 0, leader 0\n");
    EXPECT_EQ(picture({record_on(machine, "n", "")}), "node 0: 1 rank 0, leader 0\n");
    EXPECT_EQ(picture({record_on(machine, "n", "3")}, spec_of({"node"})), "core 3: 1 rank 0, leader 0\n");
}

TEST(Hierarchy, NothingIsRefused) {
    EXPECT_THROW(build_hierarchy(std::vector<LocalityRecord>{}), std::invalid_argument);
}

TEST(Hierarchy, TopIsTheLowestLevelThatHoldsAll) {
    const Machine machine = Machine::load(testing::paper_node);
    EXPECT_EQ(picture({record_on(machine, "n", "0"), record_on(machine, "n", "3")}),
              "l3 0: 2 ranks 0-1, leader 0\n"
              "  core 0: 1 rank 0, leader 0\n"
              "  core 3: 1 rank 1, leader 1\n");
    EXPECT_EQ(picture({record_on(machine, "n", "5"), record_on(machine, "n", "5")}),
              "core 5: 2 ranks 0-1, leader 0\n");
    EXPECT_EQ(picture({record_on(machine, "a", ""), record_on(machine, "b", "")}),
              "cluster: 2 ranks 0-1, leader 0\n"
              "  node 0: 1 rank 0, leader 0\n"
              "  node 1: 1 rank 1, leader 1\n");
    EXPECT_EQ(picture({record_on(machine, "a", "", {9, 4}), record_on(machine, "b", "", {9, 4})}),
              "switch 4: 2 ranks 0-1, leader 0\n"
              "  node 0: 1 rank 0, leader 0\n"
              "  node 1: 1 rank 1, leader 1\n");
}

// One process per node: node, package, cache and core split equally, and the core gives the name.
TEST(Hierarchy, OneProcessPerNode) {
    const Machine machine = Machine::load(testing::paper_node);
    EXPECT_EQ(picture({record_on(machine, "a", "1"), record_on(machine, "b", "2")}),
              "cluster: 2 ranks 0-1, leader 0\n"
              "  core 1: 1 rank 0, leader 0\n"
              "  core 2: 1 rank 1, leader 1\n");
}

TEST(Hierarchy, ShuffledRanksAndUnequalNodes) {
    const Machine wide = Machine::load(testing::paper_node);
    const Machine flat = Machine::load("synthetic:core:3 pu:1");
    EXPECT_EQ(picture({record_on(wide, "b", "7"), record_on(flat, "a", "2"), record_on(wide, "b", "0"),
                       record_on(flat, "a", "0"), record_on(wide, "b", "6"), record_on(flat, "c", "1")}),
              "cluster: 6 ranks 0-5, leader 0\n"
              "  node 0: 3 ranks 0,2,4, leader 0\n"
              "    l1 3: 2 ranks 0,4, leader 0\n"
              "      core 7: 1 rank 0, leader 0\n"
              "      core 6: 1 rank 4, leader 4\n"
              "    core 0: 1 rank 2, leader 2\n"
              "  node 1: 2 ranks 1,3, leader 1\n"
              "    core 2: 1 rank 1, leader 1\n"
              "    core 0: 1 rank 3, leader 3\n"
              "  core 1: 1 rank 5, leader 5\n");
}

TEST(Hierarchy, LeaderIsNearestToTheNic) {
    const Machine machine = Machine::load(testing::paper_node);
    std::vector<LocalityRecord> records;
    for (int core = 0; core < 8; ++core) {
        records.push_back(record_on(machine, "n", std::to_string(core)));
        records.back().nics[0].distance = static_cast<std::uint8_t>(core / 4 == 1 ? 1 : 3);
    }
    Hierarchy hierarchy = build_hierarchy(records);
    EXPECT_EQ(hierarchy.groups[0].leader, 4);
    EXPECT_EQ(hierarchy.groups[static_cast<std::size_t>(hierarchy.groups[0].children[0])].leader, 0);
    for (LocalityRecord& record : records) record.nics[0].distance = unknown_distance;
    EXPECT_EQ(build_hierarchy(records).groups[0].leader, 0);
    records[6].nics[0].distance = 9;  // known beats unknown
    EXPECT_EQ(build_hierarchy(records).groups[0].leader, 6);
}

// Three switch levels; node x hangs directly below the top switch, node y below none.
TEST(Hierarchy, Switches) {
    const Machine machine = Machine::load("synthetic:core:2 pu:1");
    const std::vector<LocalityRecord> records = {
        record_on(machine, "a", "0", {10, 5, 1}), record_on(machine, "a", "1", {10, 5, 1}),
        record_on(machine, "b", "0", {10, 5, 1}), record_on(machine, "c", "0", {10, 5, 2}),
        record_on(machine, "d", "0", {10, 6, 3}), record_on(machine, "x", "0", {10}),
        record_on(machine, "e", "0", {10, 6, 4})};
    EXPECT_EQ(picture(records),
              "switch 10: 7 ranks 0-6, leader 0\n"
              "  switch 5: 4 ranks 0-3, leader 0\n"
              "    switch 1: 3 ranks 0-2, leader 0\n"
              "      node 0: 2 ranks 0-1, leader 0\n"
              "        core 0: 1 rank 0, leader 0\n"
              "        core 1: 1 rank 1, leader 1\n"
              "      core 0: 1 rank 2, leader 2\n"
              "    core 0: 1 rank 3, leader 3\n"
              "  switch 6: 2 ranks 4,6, leader 4\n"
              "    core 0: 1 rank 4, leader 4\n"
              "    core 0: 1 rank 6, leader 6\n"
              "  core 0: 1 rank 5, leader 5\n");
    const Hierarchy hierarchy = build_hierarchy(records);
    EXPECT_EQ(level_names(hierarchy),
              (std::vector<std::string>{"switch2", "switch1", "switch0", "node", "core"}));
    auto with_lost = records;
    with_lost.push_back(record_on(machine, "y", "1"));
    const Hierarchy lost = build_hierarchy(with_lost);
    EXPECT_EQ(validate(lost), "");
    EXPECT_EQ(lost.groups[0].level.kind, LevelKind::cluster);
    EXPECT_EQ(lost.groups[0].children.size(), 2U);
    EXPECT_EQ(lost.groups[static_cast<std::size_t>(lost.stop[7])].parent, 0);
    // Only one height wanted.
    EXPECT_EQ(picture(records, spec_of({"switch1"})),
              "switch 10: 7 ranks 0-6, leader 0\n"
              "  switch 5: 4 ranks 0-3, leader 0\n"
              "  switch 6: 2 ranks 4,6, leader 4\n"
              "  stop here: 5\n");
}

TEST(Hierarchy, ProcessesOfANodeThatDisagreeAboutSwitchesStayTogether) {
    const Machine machine = Machine::load("synthetic:core:4 pu:1");
    std::vector<LocalityRecord> records = {record_on(machine, "a", "0"), record_on(machine, "a", "1", {1, 2}),
                                           record_on(machine, "a", "2", {1, 3}),
                                           record_on(machine, "b", "2", {1, 3})};
    const std::string expected =
        "switch 3: 4 ranks 0-3, leader 0\n"
        "  node 0: 3 ranks 0-2, leader 0\n"
        "    core 0: 1 rank 0, leader 0\n"
        "    core 1: 1 rank 1, leader 1\n"
        "    core 2: 1 rank 2, leader 2\n"
        "  core 2: 1 rank 3, leader 3\n";
    EXPECT_EQ(picture(records), expected);
    std::swap(records[0].network_path, records[2].network_path);
    EXPECT_EQ(picture(records), expected);
}

TEST(Hierarchy, SpecificationFilters) {
    const Machine machine = Machine::load(testing::paper_node);
    std::vector<LocalityRecord> records;
    for (int rank = 0; rank < 8; ++rank) {
        records.push_back(record_on(machine, rank < 4 ? "a" : "b", std::to_string(2 * (rank % 4))));
    }
    EXPECT_EQ(picture(records, spec_of({"node"})),
              "cluster: 8 ranks 0-7, leader 0\n"
              "  node 0: 4 ranks 0-3, leader 0\n"
              "  node 1: 4 ranks 4-7, leader 4\n");
    // The object is package, NUMA node and L3 in one: the lowest requested kind gives the name.
    EXPECT_EQ(picture(records, spec_of({"node", "package", "numa"})),
              "cluster: 8 ranks 0-7, leader 0\n"
              "  node 0: 4 ranks 0-3, leader 0\n"
              "    numa 0: 2 ranks 0-1, leader 0\n"
              "    numa 1: 2 ranks 2-3, leader 2\n"
              "  node 1: 4 ranks 4-7, leader 4\n"
              "    numa 0: 2 ranks 4-5, leader 4\n"
              "    numa 1: 2 ranks 6-7, leader 6\n");
    // Without the node level the packages of different nodes must not merge.
    EXPECT_EQ(picture(records, spec_of({"package"})),
              "cluster: 8 ranks 0-7, leader 0\n"
              "  package 0: 2 ranks 0-1, leader 0\n"
              "  package 1: 2 ranks 2-3, leader 2\n"
              "  package 0: 2 ranks 4-5, leader 4\n"
              "  package 1: 2 ranks 6-7, leader 6\n");
    EXPECT_EQ(picture(records, spec_of({"die"})), "cluster: 8 ranks 0-7, leader 0\n");
    // The top names the object that all share, even when that kind may not split.
    const std::vector<LocalityRecord> one_node(records.begin(), records.begin() + 2);
    EXPECT_EQ(picture(one_node, spec_of({"core"})),
              "l3 0: 2 ranks 0-1, leader 0\n"
              "  core 0: 1 rank 0, leader 0\n"
              "  core 2: 1 rank 1, leader 1\n");
    EXPECT_EQ(picture(one_node, spec_of({"switch"})), "l3 0: 2 ranks 0-1, leader 0\n");
}

TEST(Hierarchy, PuOnlyWhenThreadsAreBoundApart) {
    const Machine machine = Machine::load("synthetic:package:1 core:2 pu:2");
    std::vector<LocalityRecord> records(4);
    for (int i = 0; i < 4; ++i)
        records[static_cast<std::size_t>(i)].hardware_path =
            machine.path_of(machine.bound_to_threads(std::to_string(i)));
    EXPECT_EQ(picture(records),
              "node 0: 4 ranks 0-3, leader 0\n"
              "  core 0: 2 ranks 0-1, leader 0\n"
              "    pu 0: 1 rank 0, leader 0\n"
              "    pu 1: 1 rank 1, leader 1\n"
              "  core 1: 2 ranks 2-3, leader 2\n"
              "    pu 2: 1 rank 2, leader 2\n"
              "    pu 3: 1 rank 3, leader 3\n");
}

// Groups above packages on one machine, packages above NUMA nodes on another.
TEST(Hierarchy, LevelsFollowTheNestingNotTheUsualOrder) {
    const Machine groups = Machine::load("synthetic:group:2 package:2 [numa] core:2 pu:1");
    std::vector<LocalityRecord> records;
    for (int core = 0; core < 8; ++core) records.push_back(record_on(groups, "a", std::to_string(core)));
    EXPECT_EQ(level_names(build_hierarchy(records)),
              (std::vector<std::string>{"node", "group", "numa", "core"}));
    const Machine nested = Machine::load("synthetic:numa:2 package:2 core:2 pu:1");
    records.clear();
    for (int core = 0; core < 8; ++core) records.push_back(record_on(nested, "b", std::to_string(core)));
    EXPECT_EQ(level_names(build_hierarchy(records, spec_of({"numa", "package"}))),
              (std::vector<std::string>{"node", "numa", "package"}));
}

TEST(Hierarchy, EveryCoreOfOddMachinesHasItsPlace) {
    for (const std::string& description : testing::odd_machines()) {
        const Machine machine = Machine::load(description);
        std::vector<LocalityRecord> records;
        for (int core = 0; core < machine.cores(); ++core) {
            records.push_back(record_on(machine, "n", std::to_string(core)));
        }
        const Hierarchy hierarchy = build_hierarchy(records);
        EXPECT_EQ(validate(hierarchy), "") << description;
        for (const int stop : hierarchy.stop) {
            EXPECT_EQ(hierarchy.groups[static_cast<std::size_t>(stop)].members.size(), 1U) << description;
        }
    }
}

/// `ranks[n]` ranks on node n, each reporting `processors[n]` processors there.
std::vector<LocalityRecord> oversubscribed(const std::vector<int>& ranks,
                                           const std::vector<int>& processors) {
    std::vector<LocalityRecord> records;
    for (std::size_t node = 0; node < ranks.size(); ++node) {
        for (int rank = 0; rank < ranks[node]; ++rank) {
            records.emplace_back().node_id = node;
            records.back().processors = ProcessorCount::of(processors[node]);
        }
    }
    return records;
}

TEST(Hierarchy, OversubscriptionIsThatOfTheMostOversubscribedNode) {
    EXPECT_EQ(build_hierarchy(oversubscribed({16}, {2})).oversubscription, 8);
    EXPECT_EQ(build_hierarchy(oversubscribed({3}, {2})).oversubscription, 1.5);
    EXPECT_EQ(build_hierarchy(oversubscribed({4, 6, 2}, {2, 2, 1})).oversubscription, 3);
    // No oversubscription with a processor for every rank, or with unknown counts.
    EXPECT_EQ(build_hierarchy(oversubscribed({4, 2}, {4, 64})).oversubscription, 1);
    EXPECT_EQ(build_hierarchy(oversubscribed({16, 2}, {0, 2})).oversubscription, 1);
    EXPECT_EQ(build_hierarchy(oversubscribed({16, 4}, {0, 2})).oversubscription, 2);
}

TEST(Hierarchy, OversubscriptionDoesNotDependOnTheReportingRank) {
    std::vector<LocalityRecord> records = oversubscribed({8}, {0});
    records[5].processors = ProcessorCount::of(2);
    records[2].processors = ProcessorCount::of(4);  // in a wider container
    EXPECT_EQ(build_hierarchy(records).oversubscription, 2);
    std::reverse(records.begin(), records.end());
    EXPECT_EQ(build_hierarchy(records).oversubscription, 2);
}

}  // namespace
}  // namespace strata::topology::hierarchy_test
