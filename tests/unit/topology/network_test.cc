#include "strata/topology/network.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>

namespace strata::topology {
namespace {

using Path = std::vector<std::uint32_t>;

std::string error_of(const std::function<void()>& action) {
    try {
        action();
    } catch (const std::exception& error) {
        return error.what();
    }
    return "no error";
}

TEST(HostList, Expands) {
    using Names = std::vector<std::string>;
    EXPECT_EQ(expand_host_list("n[1-3,07-09],gpu5"), (Names{"n1", "n2", "n3", "n07", "n08", "n09", "gpu5"}));
    EXPECT_EQ(expand_host_list("a"), (Names{"a"}));
    EXPECT_EQ(expand_host_list("r[0-1]n[8-10]x"),
              (Names{"r0n8x", "r0n9x", "r0n10x", "r1n8x", "r1n9x", "r1n10x"}));
    EXPECT_EQ(expand_host_list("n[099-101]"), (Names{"n099", "n100", "n101"}));
    EXPECT_EQ(expand_host_list("n[1-4096]").size(), 4096U);
}

TEST(HostList, BrokenListsAreRefused) {
    const std::pair<const char*, const char*> cases[] = {{"", "an empty name"},
                                                         {"a,,b", "an empty name"},
                                                         {"n[1-3", "'[' without ']'"},
                                                         {"n1-3]", "']' without '['"},
                                                         {"n[[1]]", "'[' inside"},
                                                         {"n[3-1]", "'3-1' runs backwards"},
                                                         {"n[a-b]", "'a' is no number"},
                                                         {"n[]", "'' is no number"},
                                                         {"n[1-]", "'' is no number"},
                                                         {"n[1-9999999999]", "too large"},
                                                         {"n[0-999999999]", "more than a million"},
                                                         {"n[1-9999]x[1-9999]", "more than a million"},
                                                         {"n[1,,2]", "'' is no number"}};
    for (const auto& [list, reason] : cases) {
        const std::string error = error_of([&, text = list] { expand_host_list(text); });
        EXPECT_NE(error.find(reason), std::string::npos) << list << " -> " << error;
    }
}

TEST(Network, ReadsSlurmsSyntax) {
    const Network network = Network::from_text(
        "# two leaves below one switch\n"
        "SwitchName=top Switches=s[0-1] LinkSpeed=100 # forward references are fine\n"
        "\n"
        "switchname=s0 NODES=n[0-3] \\\n"
        "   linkspeed=10\n"
        "SwitchName = \"s1\"\tNodes= n[4-6],gpu5\r\n",
        "t.conf");
    EXPECT_EQ(network.switch_count(), 3U);
    EXPECT_EQ(network.path_of("n0"), (Path{0, 1}));
    EXPECT_EQ(network.path_of("gpu5"), (Path{0, 2}));
    EXPECT_EQ(network.path_of("gpu5.cluster.org"), (Path{0, 2}));
    EXPECT_EQ(network.path_of("n7"), Path{});
    EXPECT_EQ(network.switch_name(2), "s1");
    EXPECT_EQ(network.switch_name(3), "");
}

TEST(Network, WholeNameComesBeforeTheDomain) {
    const Network network = Network::from_text("SwitchName=a Nodes=n1.x\nSwitchName=b Nodes=n1", "t.conf");
    EXPECT_EQ(network.path_of("n1.x"), Path{0});
    EXPECT_EQ(network.path_of("n1.y"), Path{1});
}

TEST(Network, EmptyFileHasNoSwitch) {
    const Network network = Network::from_text("# nothing\n\n", "t.conf");
    EXPECT_EQ(network.switch_count(), 0U);
    EXPECT_TRUE(network.path_of("n1").empty());
}

TEST(Network, HashFollowsTheContentOnly) {
    const auto hash = [](const char* text) { return Network::from_text(text, "f").hash(); };
    const auto base = hash("SwitchName=a Nodes=n[1-2]\n");
    EXPECT_EQ(base, hash("# remark\nswitchname=a   nodes=n1,n2 LinkSpeed=3\n"));
    EXPECT_NE(base, hash("SwitchName=a Nodes=n[1-3]\n"));
    EXPECT_NE(base, hash("SwitchName=b Nodes=n[1-2]\n"));
    EXPECT_NE(hash("SwitchName=a Nodes=n1\nSwitchName=b Nodes=n2"),
              hash("SwitchName=a Nodes=n2\nSwitchName=b Nodes=n1"));
}

TEST(Network, ErrorsNameFileAndLine) {
    const std::pair<const char*, const char*> cases[] = {
        {"SwitchName=a Nodes=n1\nSwitchNam=b Nodes=n2", "t.conf:2: unknown keyword 'SwitchNam'"},
        {"SwitchName=a Nodes=n1\nBlockName=b Nodes=n2", "t.conf:2: unknown keyword 'BlockName'"},
        {"Nodes=n1", "t.conf:1: a line must name its switch"},
        {"SwitchName=a", "t.conf:1: switch a needs either Nodes or Switches"},
        {"SwitchName=a Nodes=n1 Switches=b", "t.conf:1: switch a needs either"},
        {"SwitchName=a Nodes", "t.conf:1: expected KEYWORD=VALUE at 'Nodes'"},
        {"SwitchName=a =b", "t.conf:1: expected KEYWORD=VALUE at '=b'"},
        {"SwitchName=a Nodes=", "t.conf:1: Nodes has no value"},
        {"SwitchName=a Nodes=\"\"", "t.conf:1: Nodes has no value"},
        {"SwitchName=a Nodes=\"n1", "t.conf:1: a quote is not closed"},
        {"SwitchName=a Nodes=n1 Nodes=n2", "t.conf:1: Nodes is given twice"},
        {"SwitchName=s[0-3] Nodes=n1", "t.conf:1: SwitchName takes one name"},
        {"SwitchName=a Nodes=n1\n\nSwitchName=a Nodes=n2", "t.conf:3: switch a is already defined in line 1"},
        {"SwitchName=a Nodes=n1\nSwitchName=b Nodes=n[0-1]", "t.conf:2: node n1 is already below switch a"},
        {"SwitchName=a Nodes=n1,n1", "t.conf:1: node n1 is already below switch a"},
        {"SwitchName=a Nodes=n[1", "t.conf:1: host list 'n[1': '[' without ']'"},
        {"SwitchName=a Nodes=n1\nSwitchName=b \\\nSwitches=c", "t.conf:2: switch c is not defined"},
        {"SwitchName=a Nodes=n1\nSwitchName=b Switches=a\nSwitchName=c Switches=a",
         "t.conf:3: switch a is already below switch b"},
        {"SwitchName=a Switches=b\nSwitchName=b Switches=a", "t.conf:1: switch a is below itself"},
        {"SwitchName=a Switches=a", "t.conf:1: switch a is below itself"}};
    for (const auto& [text, expected] : cases) {
        const std::string error = error_of([&, t = text] { Network::from_text(t, "t.conf"); });
        EXPECT_EQ(error.rfind(expected, 0), 0U) << text << "\n -> " << error;
    }
    const std::string long_name = "SwitchName=" + std::string(65, 'x') + " Nodes=n1";
    EXPECT_THROW(Network::from_text(long_name, "t.conf"), FileError);
}

TEST(Network, FilesAreRead) {
    const std::string path = ::testing::TempDir() + "strata_topology.conf";
    std::ofstream(path) << "SwitchName=a Nodes=n[1-2]\n";
    EXPECT_EQ(Network::from_file(path).path_of("n2"), Path{0});
    std::ofstream(path) << "";
    EXPECT_EQ(Network::from_file(path).switch_count(), 0U);
    std::ofstream(path) << "SwitchName=a\n";
    EXPECT_EQ(error_of([&] { Network::from_file(path); }).rfind(path + ":1: ", 0), 0U);
    std::remove(path.c_str());
    EXPECT_EQ(error_of([&] { Network::from_file(path); }), path + ": cannot be opened");
    const std::string folder = ::testing::TempDir();
    EXPECT_EQ(error_of([&] { Network::from_file(folder); }), folder + ": is a directory");
}

}  // namespace
}  // namespace strata::topology
