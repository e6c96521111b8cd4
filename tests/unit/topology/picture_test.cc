#include "topology/picture.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "records.h"

namespace strata::topology::picture_test {
namespace {

std::size_t count(const std::string& text, const std::string& word) {
    std::size_t found = 0;
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
    return found;
}

/// 2 sites x 2 nodes x 4 ranks on 4 cores; the third of each node is next to the NIC.
Hierarchy small() {
    const Machine machine = Machine::load(testing::paper_node);
    std::vector<LocalityRecord> records;
    for (int rank = 0; rank < 16; ++rank) {
        records.push_back(testing::record_on(machine, "n" + std::to_string(rank / 4),
                                             std::to_string(2 * (rank % 4)),
                                             {0, static_cast<std::uint32_t>(1 + rank / 8)}));
        records.back().nics[0].distance = rank % 4 == 2 ? 1 : 3;
    }
    return build_hierarchy(records);
}

Hierarchy large(int nodes, int cores) {
    const Machine machine = Machine::load("synthetic:core:" + std::to_string(cores) + " pu:1");
    std::vector<LocalityRecord> records;
    for (int rank = 0; rank < nodes * cores; ++rank) {
        records.push_back(
            testing::record_on(machine, "n" + std::to_string(rank / cores), std::to_string(rank % cores)));
    }
    return build_hierarchy(records);
}

/// Start and end tags match; text and attributes hold no raw special character.
bool well_formed(const std::string& xml) {
    std::vector<std::string> open;
    for (std::size_t at = xml.find('<'); at != std::string::npos; at = xml.find('<', at + 1)) {
        const std::size_t end = xml.find('>', at);
        if (end == std::string::npos) return false;
        const std::string tag = xml.substr(at + 1, end - at - 1);
        if (tag.find('<') != std::string::npos || count(tag, "\"") % 2 != 0) return false;
        const std::string name = tag.substr(0, tag.find_first_of(" /", 1));
        if (tag.front() == '/') {
            if (open.empty() || "/" + open.back() != tag) return false;
            open.pop_back();
        } else if (tag.back() != '/') {
            open.push_back(name);
        }
    }
    for (std::size_t at = xml.find('&'); at != std::string::npos; at = xml.find('&', at + 1)) {
        const std::size_t end = xml.find(';', at);
        const std::string entity = xml.substr(at, end - at + 1);
        if (entity != "&amp;" && entity != "&lt;" && entity != "&gt;" && entity != "&quot;") return false;
    }
    return open.empty();
}

TEST(PictureEnding, OneWithoutAFormatIsRefused) {
    for (const char* path : {"a", "a.txt", "a.svg", "a.dot", "a.json", "-", ""}) {
        EXPECT_NO_THROW(check_picture_ending(path)) << path;
    }
    for (const char* path : {"a.pdf", "b/a.png", "a.svg.ps"}) {
        EXPECT_THROW(check_picture_ending(path), std::invalid_argument) << path;
    }
}

TEST(Picture, JsonIsExact) {
    const Machine machine = Machine::load("synthetic:core:2 pu:1");
    const Hierarchy hierarchy = build_hierarchy(std::vector<LocalityRecord>{
        testing::record_on(machine, "a", "0"), testing::record_on(machine, "b", ""),
        testing::record_on(machine, "a", "1")});
    EXPECT_EQ(
        draw(hierarchy, PictureFormat::json),
        "{\"ranks\":3,\"levels\":["
        "{\"kind\":\"cluster\",\"groups\":[{\"leader\":0,\"members\":[0,1,2]}]},"
        "{\"kind\":\"node\",\"groups\":[{\"leader\":0,\"members\":[0,2]},{\"leader\":1,\"members\":[1]}]},"
        "{\"kind\":\"core\",\"groups\":[{\"leader\":0,\"members\":[0]},{\"leader\":2,\"members\":[2]}]}"
        "],\"topology_order\":[0,2,1],\"topology_order_nodes\":[0,2]}\n");
    const GroupNamer nasty = [](const Group& group) {
        return group.parent < 0 ? std::string("a\"b\\c\nd\x01") : std::string();
    };
    EXPECT_NE(draw(hierarchy, PictureFormat::json, {nasty, {}})
                  .find(R"({"name":"a\"b\\c\u000ad\u0001","leader":0)"),
              std::string::npos);
}

TEST(Picture, TextUsesTheGivenNames) {
    const std::string text = draw(small(), PictureFormat::text,
                                  {[](const Group& group) {
                                       return group.level.kind == LevelKind::node
                                                  ? "host" + std::to_string(group.members.front())
                                                  : std::string();
                                   },
                                   {}});
    EXPECT_EQ(text.rfind("switch 0: 16 ranks 0-15, leader 2\n  switch 1: 8 ranks 0-7, leader 2\n"
                         "    node host0: 4 ranks 0-3, leader 2\n      l3 0: 2 ranks 0-1, leader 0\n",
                         0),
              0U)
        << text;
    EXPECT_EQ(count(text, "\n"), 31U);
}

TEST(Picture, DotNestsClusters) {
    const std::string dot =
        draw(small(), PictureFormat::dot, {[](const Group&) { return "\"quoted\""; }, {}});
    EXPECT_EQ(count(dot, "subgraph cluster_"), 31U);
    EXPECT_EQ(count(dot, "{"), count(dot, "}"));
    EXPECT_EQ(count(dot, "fontcolor=white"), 8U);  // every L3's leader; some lead more groups
    EXPECT_NE(dot.find("node \\\"quoted\\\""), std::string::npos);
}

TEST(Picture, SvgShowsEveryRankAndLeader) {
    const std::string svg = draw(small(), PictureFormat::svg);
    EXPECT_TRUE(well_formed(svg));
    for (int rank = 0; rank < 16; ++rank) {
        EXPECT_EQ(count(svg, ">" + std::to_string(rank) + "</text>"), 1U) << rank;
    }
    EXPECT_NE(svg.find("rank 2, leads switch 0</title>"), std::string::npos);
    EXPECT_NE(svg.find("rank 10, leads switch 2</title>"), std::string::npos);
    EXPECT_NE(svg.find("rank 14, leads node 3</title>"), std::string::npos);
    EXPECT_NE(svg.find("rank 3</title>"), std::string::npos);
    EXPECT_NE(svg.find(">leader of all ranks</text>"), std::string::npos);
    EXPECT_NE(svg.find(">2 leaf switches, 4 nodes, 8 L3 caches, 16 cores</text>"), std::string::npos);
}

TEST(Picture, SvgEscapesNames) {
    const std::string svg =
        draw(small(), PictureFormat::svg, {[](const Group&) { return "<a&\"b\">\n"; }, {}});
    EXPECT_TRUE(well_formed(svg));
    EXPECT_NE(svg.find("node &lt;a&amp;&quot;b&quot;&gt; "), std::string::npos);
    EXPECT_FALSE(well_formed("<svg><text>a</svg>"));
    EXPECT_FALSE(well_formed("<svg>a & b; </svg>"));
}

/// A NIC in the L3 of rank 2 on every node, and one at the first node that is near everything.
PictureNotes with_nics(const Hierarchy& hierarchy) {
    PictureNotes notes;
    for (int node = 0; node < 4; ++node) {
        int group = hierarchy.stop[static_cast<std::size_t>(4 * node + 2)];
        group = hierarchy.groups[static_cast<std::size_t>(group)].parent;
        notes.nics.push_back({"mlx5_<0>", "n" + std::to_string(node), "numa 1", true, group});
    }
    notes.nics.push_back({"eth0", "n0", "whole machine", false, 0});
    return notes;
}

TEST(Picture, TextShowsNicsInTheirGroups) {
    const Hierarchy hierarchy = small();
    const std::string text = draw(hierarchy, PictureFormat::text, with_nics(hierarchy));
    EXPECT_EQ(text.rfind("switch 0: 16 ranks 0-15, leader 2\n"
                         "  NIC n0: eth0, near the whole machine\n"
                         "  switch 1: 8 ranks 0-7, leader 2\n"
                         "    node 0: 4 ranks 0-3, leader 2\n"
                         "      l3 0: 2 ranks 0-1, leader 0\n"
                         "        core 0: 1 rank 0, leader 0\n"
                         "        core 2: 1 rank 1, leader 1\n"
                         "      l3 1: 2 ranks 2-3, leader 2\n"
                         "        NIC mlx5_<0>, near numa 1\n",
                         0),
              0U)
        << text;
    EXPECT_EQ(count(text, "NIC"), 5U);
}

TEST(Picture, JsonPointsToTheGroupsOfNics) {
    const Hierarchy hierarchy = small();
    const std::string json = draw(hierarchy, PictureFormat::json, with_nics(hierarchy));
    EXPECT_NE(json.find("]}],\"nics\":[{\"name\":\"mlx5_<0>\",\"node\":\"n0\",\"near\":\"numa "
                        "1\",\"level\":3,\"group\":1},"),
              std::string::npos)
        << json;
    EXPECT_NE(json.find("\"level\":3,\"group\":7},{\"name\":\"eth0\",\"node\":\"n0\",\"near\":\"whole "
                        "machine\",\"level\":0,\"group\":0}],\"topology_order\":["),
              std::string::npos)
        << json;
    EXPECT_EQ(draw(hierarchy, PictureFormat::json).find("nics"), std::string::npos);
}

TEST(Picture, DotAndSvgShowNics) {
    const Hierarchy hierarchy = small();
    const std::string dot = draw(hierarchy, PictureFormat::dot, with_nics(hierarchy));
    EXPECT_EQ(count(dot, "shape=component"), 5U);
    EXPECT_NE(dot.find("label=\"n0: eth0, near the whole machine\""), std::string::npos);
    const std::string svg = draw(hierarchy, PictureFormat::svg, with_nics(hierarchy));
    EXPECT_TRUE(well_formed(svg));
    EXPECT_EQ(count(svg, ">mlx5_&lt;0&gt;</text>"), 4U);
    EXPECT_EQ(count(svg, ">n0: eth0</text>"), 1U);
    EXPECT_EQ(count(svg, ">NIC</text>"), 1U);
    EXPECT_EQ(count(svg, ">NIC, equally near to all</text>"), 1U);
    PictureNotes wider = with_nics(hierarchy);
    wider.nics[1].exact = false;  // not all of its group are NIC-local: name its place
    EXPECT_EQ(count(draw(hierarchy, PictureFormat::svg, wider), ">mlx5_&lt;0&gt; (numa 1)</text>"), 1U);
    const std::string without = draw(hierarchy, PictureFormat::svg);
    EXPECT_EQ(count(without, "NIC"), 0U);
}

TEST(Picture, NicsOfCountedGroupsAreCounted) {
    const Hierarchy hierarchy = large(100, 64);
    PictureNotes notes;
    for (int node = 0; node < 100; ++node) {
        for (int nic = 0; nic < 5; ++nic) {
            // Inside a core of the node: its group is a count.
            notes.nics.push_back({"ib" + std::to_string(nic), "n" + std::to_string(node), "core 3", true,
                                  hierarchy.stop[static_cast<std::size_t>(64 * node + 3)]});
        }
    }
    const std::string text = draw(hierarchy, PictureFormat::text, notes);
    EXPECT_EQ(count(text, "    NIC ib0, near core 3\n"), 64U);  // of the 64 nodes that are shown
    EXPECT_EQ(count(text, "    NIC ib1, near core 3\n"), 64U);
    EXPECT_EQ(count(text, "NIC ib2"), 0U);
    EXPECT_EQ(count(text, "    (3 more NICs)\n"), 64U);
    const std::string svg = draw(hierarchy, PictureFormat::svg, notes);
    EXPECT_TRUE(well_formed(svg));
    EXPECT_EQ(count(svg, ">+3</text>"), 64U);
    EXPECT_EQ(count(draw(hierarchy, PictureFormat::json, notes), "\"name\":\"ib"), 500U);
}

TEST(Picture, EndingsChooseTheFormat) {
    EXPECT_EQ(format_for("a/b.svg"), PictureFormat::svg);
    EXPECT_EQ(format_for("b.json"), PictureFormat::json);
    EXPECT_EQ(format_for("b.dot"), PictureFormat::dot);
    for (const char* path : {"b.txt", "b", "-", "", "svg", "a.svg/b", "b.SVG"}) {
        EXPECT_EQ(format_for(path), PictureFormat::text) << path;
    }
}

TEST(Picture, LevelsAreCountedAsSplits) {
    EXPECT_EQ(level_summary(small()), "4 levels: 2 leaf switches, 4 nodes, 8 L3 caches, 16 cores");
    EXPECT_EQ(level_summary(large(1, 1)), "no levels");
    EXPECT_EQ(level_summary(large(3, 1)), "1 level: 3 nodes");
}

TEST(Picture, OneRank) {
    const Hierarchy hierarchy = large(1, 1);
    EXPECT_EQ(draw(hierarchy, PictureFormat::text), "node 0: 1 rank 0, leader 0\n");
    EXPECT_TRUE(well_formed(draw(hierarchy, PictureFormat::svg)));
}

TEST(Picture, ManyRanksBecomeCounts) {
    const Hierarchy all = large(8, 64);
    EXPECT_NE(draw(all, PictureFormat::svg).find(">511</text>"), std::string::npos);
    const Hierarchy hierarchy = large(100, 64);
    for (const PictureFormat format : {PictureFormat::text, PictureFormat::dot, PictureFormat::svg}) {
        const std::string picture = draw(hierarchy, format);
        EXPECT_LT(picture.size(), 100000U);
        EXPECT_NE(picture.find("64 ranks"), std::string::npos);
    }
    const std::string svg = draw(hierarchy, PictureFormat::svg);
    EXPECT_TRUE(well_formed(svg));
    EXPECT_NE(svg.find(">36 more</text>"), std::string::npos);
    EXPECT_EQ(svg.find("<circle"), std::string::npos);
    EXPECT_NE(draw(hierarchy, PictureFormat::text).find("(36 more not shown)"), std::string::npos);
    // Everything stays in the format for programs.
    EXPECT_NE(draw(hierarchy, PictureFormat::json).find("6399]"), std::string::npos);
}

}  // namespace
}  // namespace strata::topology::picture_test
