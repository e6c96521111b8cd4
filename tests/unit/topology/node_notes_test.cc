#include "topology/node_notes.h"

#include <gtest/gtest.h>

#include <random>

#include "records.h"

namespace strata::topology::node_notes_test {
namespace {

NodeNotes sample() {
    return {"n0.cluster.org",
            {"top", "site 0"},
            {{"mlx5_0", "numa 1", {{0x48, 1}, {0x1c0, 3}}, {true, false}},
             {"eth0", "whole machine", {}, {false, true}}}};
}

TEST(NodeNotes, RoundTrip) {
    EXPECT_EQ(encode_notes(sample()),
              "notes\t1\n"
              "node\tn0.cluster.org\n"
              "switch\ttop\n"
              "switch\tsite 0\n"
              "nic\tmlx5_0\tnuma 1\t10\t72:1,448:3\n"
              "nic\teth0\twhole machine\t01\t");
    EXPECT_EQ(decode_notes(encode_notes(sample())), sample());
    EXPECT_EQ(decode_notes(encode_notes({})), NodeNotes{});
    const NodeNotes utf8{"kn\xc3\xb6ll", {}, {}};
    EXPECT_EQ(decode_notes(encode_notes(utf8)), utf8);
}

TEST(NodeNotes, NamesCannotBreakTheFormat) {
    const NodeNotes nasty{"a\tb\nnode\tc", {"\x01", ""}, {{"x\n", "\t", {}, {}}}};
    const auto read = decode_notes(encode_notes(nasty));
    ASSERT_TRUE(read);
    EXPECT_EQ(*read, (NodeNotes{"a?b?node?c", {"?", ""}, {{"x?", "?", {}, {}}}}));
}

TEST(NodeNotes, AnythingElseIsRefused) {
    const std::string good = encode_notes(sample());
    ASSERT_TRUE(decode_notes(good));
    for (const char* bad : {"",
                            "notes\t1",
                            "notes\t2\nnode\tn",
                            "node\tn",
                            "notes\t1\nnode",
                            "notes\t1\nnode\ta\tb",
                            "notes\t1\nswitch\ta",
                            "notes\t1\nnode\ta\nnode\tb",
                            "notes\t1\nnode\ta\n",
                            "notes\t1\nnode\ta\nx\ty",
                            "notes\t1\nnode\ta\nnic\tx\ty\t11",
                            "notes\t1\nnode\ta\nnic\tx\ty\t1\t",
                            "notes\t1\nnode\ta\nnic\tx\ty\t12\t",
                            "notes\t1\nnode\ta\nnic\tx\ty\t11\t8",
                            "notes\t1\nnode\ta\nnic\tx\ty\t11\t8:",
                            "notes\t1\nnode\ta\nnic\tx\ty\t11\t0:1",
                            "notes\t1\nnode\ta\nnic\tx\ty\t11\t8:1,",
                            "notes\t1\nnode\ta\nnic\tx\ty\t11\t65536:1",
                            "notes\t1\nnode\ta\nnic\tx\ty\t11\t8:-1",
                            "notes\t1\nnode\ta\nnic\tx\ty\t11\t08:1",
                            "notes\t1\nnode\ta\x01",
                            "notes\t1\nnode\ta\nnic\tx\ty\t11\t8:1\tz"}) {
        EXPECT_FALSE(decode_notes(bad)) << bad;
    }
    // Random damage never harms: it is refused or read as other notes.
    std::mt19937 random(7);
    for (int i = 0; i < 20000; ++i) {
        std::string text = good.substr(0, random() % (good.size() + 1));
        for (unsigned hits = random() % 4; hits > 0 && !text.empty(); --hits) {
            text[random() % text.size()] = static_cast<char>(random());
        }
        if (const auto read = decode_notes(text)) {
            EXPECT_TRUE(decode_notes(encode_notes(*read)));
        }
    }
}

/// Two nodes of two packages, a rank per core; and the known facts about them.
class Job {
public:
    Job(const HierarchySpec& spec, const char* nic) {
        const Machine machine = Machine::load("synthetic:package:2 numa:2 core:2");
        for (int rank = 0; rank < 16; ++rank) {
            records.push_back(testing::record_on(machine, rank < 8 ? "a" : "b", std::to_string(rank % 8),
                                                 {7, rank < 8 ? 1U : 2U}));
        }
        hierarchy = build_hierarchy(records, spec);
        const Nic made = machine.nics_named(parse_nics(nic)).front();
        for (const char* node : {"a", "b"}) {
            nodes[stable_hash(node)] = {node,
                                        {"top", std::string("site-") + node},
                                        {{made.name(), made.near_name, made.near_path, {true, false}}}};
        }
    }

    std::string group_of(const NicMark& nic) const {
        const Group& group = hierarchy.groups.at(static_cast<std::size_t>(nic.group));
        return name_of(group.level) + " " + std::to_string(group.members.front()) + "-" +
               std::to_string(group.members.back());
    }

    std::vector<LocalityRecord> records;
    Hierarchy hierarchy;
    NotesByNode nodes;
};

HierarchySpec levels(const char* text) {
    HierarchySpec spec;
    spec.hint = parse_hierarchy_hint(text);
    return spec;
}

TEST(NicMarks, AreDrawnInTheGroupOfTheirObject) {
    const std::pair<const char*, const char*> cases[] = {
        {"ib0@numa:1", "numa 2-3"}, {"ib0@package:1", "package 4-7"}, {"ib0@core:3", "core 3-3"}};
    for (const auto& [nic, expected] : cases) {
        const Job job({}, nic);
        const auto marks = mark_nics(job.hierarchy, job.records, job.nodes, NicUse::fabric);
        ASSERT_EQ(marks.size(), 2U);
        EXPECT_EQ(job.group_of(marks[0]), expected);
        EXPECT_EQ(marks[0].node, "a");
        EXPECT_EQ(marks[0].name, "ib0");
        EXPECT_TRUE(marks[0].local);
        EXPECT_TRUE(marks[0].exact);
        EXPECT_EQ(marks[1].node, "b");
        EXPECT_TRUE(mark_nics(job.hierarchy, job.records, job.nodes, NicUse::ip).empty());
    }
}

TEST(NicMarks, StandFartherOutWhereLevelsWereDropped) {
    const std::tuple<const char*, const char*, const char*> cases[] = {
        {"package,node", "ib0@numa:1", "package 0-3"}, {"node", "ib0@numa:1", "node 0-7"},
        {"switch", "ib0@numa:1", "switch0 0-7"},       {"none", "ib0@numa:1", "switch1 0-15"},
        {"numa,node", "ib0@package:1", "node 0-7"},    {"numa,node", "ib0@core:3", "numa 2-3"}};
    for (const auto& [hint, nic, expected] : cases) {
        const Job job(levels(hint), nic);
        const auto marks = mark_nics(job.hierarchy, job.records, job.nodes, NicUse::fabric);
        ASSERT_EQ(marks.size(), 2U);
        EXPECT_EQ(job.group_of(marks[0]), expected) << hint << " " << nic;
        EXPECT_FALSE(marks[0].exact);
    }
}

TEST(NicMarks, WithoutProcessesNearThemStandAtTheObjectAround) {
    // No rank on NUMA domain 3 (cores 6-7): package 1 has processes on two domains, later on one core.
    const Machine machine = Machine::load("synthetic:package:2 numa:3 core:2");
    const Nic nic = machine.nics_named(parse_nics("ib0@numa:5")).front();
    const NotesByNode nodes{{stable_hash("n"), {"n", {}, {{"ib0", "numa 5", nic.near_path, {true, false}}}}}};
    const std::pair<std::vector<const char*>, const char*> cases[] = {
        {{"0", "6", "8"}, "package 1-2"}, {{"0", "6", "7"}, "node 0-2"}, {{"0", "1", "6"}, "node 0-2"}};
    for (const auto& [cores, expected] : cases) {
        std::vector<LocalityRecord> records;
        for (const char* core : cores) records.push_back(testing::record_on(machine, "n", core));
        const Hierarchy hierarchy = build_hierarchy(records);
        const auto marks = mark_nics(hierarchy, records, nodes, NicUse::fabric);
        ASSERT_EQ(marks.size(), 1U);
        const Group& group = hierarchy.groups.at(static_cast<std::size_t>(marks[0].group));
        EXPECT_EQ(name_of(group.level) + " " + std::to_string(group.members.front()) + "-" +
                      std::to_string(group.members.back()),
                  expected);
        EXPECT_FALSE(marks[0].exact);
    }
}

TEST(NicMarks, NearEverythingStandAtTheNode) {
    Job job({}, "ib0@numa:1");
    for (auto& [id, notes] : job.nodes) {
        notes.nics[0].near = "whole machine";
        notes.nics[0].near_path.clear();
    }
    const auto marks = mark_nics(job.hierarchy, job.records, job.nodes, NicUse::fabric);
    EXPECT_EQ(job.group_of(marks.at(1)), "node 8-15");
    EXPECT_FALSE(marks[1].local);
    EXPECT_TRUE(marks[1].exact);
}

TEST(NicMarks, NodesWithoutNotesHaveNone) {
    Job job({}, "ib0@numa:1");
    job.nodes.erase(stable_hash("a"));
    const auto marks = mark_nics(job.hierarchy, job.records, job.nodes, NicUse::fabric);
    ASSERT_EQ(marks.size(), 1U);
    EXPECT_EQ(marks[0].node, "b");
}

TEST(PictureNotes, NameSwitchesAndNodes) {
    const Job job({}, "ib0@numa:1");
    const PictureNotes notes = picture_notes(job.hierarchy, job.records, job.nodes, NicUse::fabric);
    const auto name = [&](int group) {
        return notes.namer(job.hierarchy.groups.at(static_cast<std::size_t>(group)));
    };
    EXPECT_EQ(name(0), "top");
    // One node per switch: both are one group, with the lower name.
    EXPECT_EQ(name(1), "a");
    EXPECT_EQ(name(2), "b");
    EXPECT_EQ(name(3), "");
    const Job packages(levels("package"), "ib0@numa:1");
    const PictureNotes others =
        picture_notes(packages.hierarchy, packages.records, packages.nodes, NicUse::fabric);
    ASSERT_EQ(packages.hierarchy.groups.size(), 5U);
    EXPECT_EQ(others.namer(packages.hierarchy.groups[1]), "0 of a");
    EXPECT_EQ(others.namer(packages.hierarchy.groups[4]), "1 of b");
    const NotesByNode nothing;
    const PictureNotes unknown = picture_notes(job.hierarchy, job.records, nothing, NicUse::fabric);
    for (const Group& group : job.hierarchy.groups) EXPECT_EQ(unknown.namer(group), "");
}

TEST(PictureNotes, SwitchNamesNeedAPathOfTheirLength) {
    Job job({}, "ib0@numa:1");
    for (auto& [id, notes] : job.nodes) notes.switches.pop_back();
    const PictureNotes notes = picture_notes(job.hierarchy, job.records, job.nodes, NicUse::fabric);
    EXPECT_EQ(notes.namer(job.hierarchy.groups[0]), "");
}

}  // namespace
}  // namespace strata::topology::node_notes_test
