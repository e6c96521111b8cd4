#include "topology/network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "errors.h"

namespace strata::topology::network_test {
namespace {

using Names = std::vector<std::string>;

/// "top.site0" for a host below these switches.
std::string path(const Network& network, std::string_view host) {
    std::string names;
    for (const std::uint32_t id : network.path_of(host)) {
        names += (names.empty() ? "" : ".") + std::string(network.switch_name(id));
    }
    return names;
}

Network file(std::string_view text) { return Network::from_text(text, "t.conf"); }

TEST(NetworkFile, ReadsSlurmsSyntax) {
    const Network network = file(
        "# two leaves below one switch\n"
        "SwitchName=top Switches=s[0-1] LinkSpeed=100 # forward references are fine\n"
        "\n"
        "switchname=s0 NODES=n[0-3] \\\n"
        "   linkspeed=10\n"
        "SwitchName = \"s1\"\tNodes= \"n[4-5] n6, gpu5,\"\r\n"
        "SwitchName=ib-2.core_a Nodes=x\\\n"
        "[0-1]");
    EXPECT_EQ(network.switch_count(), 4U);
    EXPECT_EQ(path(network, "n0"), "top.s0");
    EXPECT_EQ(path(network, "n3"), "top.s0");
    EXPECT_EQ(path(network, "n6"), "top.s1");
    EXPECT_EQ(path(network, "gpu5"), "top.s1");
    EXPECT_EQ(path(network, "gpu5.cluster.org"), "top.s1");
    EXPECT_EQ(path(network, "x1"), "ib-2.core_a");
    EXPECT_EQ(network.path_of("x1").size(), 1U);
    EXPECT_EQ(network.path_of("n7"), std::vector<std::uint32_t>{});
    EXPECT_EQ(network.path_of("top"), std::vector<std::uint32_t>{});
    EXPECT_EQ(network.switch_name(4), "");
}

TEST(NetworkFile, NodesOfOneSwitchShareItsId) {
    const Network network =
        file("SwitchName=s0 Nodes=n[0-1]\nSwitchName=s1 Nodes=n[2-3]\nSwitchName=t Switches=s[0-1]");
    EXPECT_EQ(network.path_of("n0"), network.path_of("n1"));
    EXPECT_EQ(network.path_of("n0")[0], network.path_of("n2")[0]);
    EXPECT_NE(network.path_of("n0")[1], network.path_of("n2")[1]);
}

TEST(NetworkFile, BranchesMayDifferInDepth) {
    const Network network = file(
        "SwitchName=s0 Nodes=n0\nSwitchName=s1 Nodes=n1\nSwitchName=m Switches=s0\n"
        "SwitchName=t Switches=m,s1,x\nSwitchName=x Nodes=n[2-3]\nSwitchName=alone Nodes=n4");
    EXPECT_EQ(path(network, "n0"), "t.m.s0");
    EXPECT_EQ(path(network, "n1"), "t.s1");
    EXPECT_EQ(path(network, "n3"), "t.x");
    EXPECT_EQ(path(network, "n4"), "alone");
}

// The three below: slurmctld 22.05 accepts them, with the SLURM_TOPOLOGY_ADDR that its slurmd gave.
TEST(NetworkFile, NodeBelowSeveralLeafSwitches) {
    const Network network =
        file("SwitchName=s0 Nodes=n[0-3]\nSwitchName=s1 Nodes=n[2-3]\nSwitchName=t Switches=s[0-1]");
    EXPECT_EQ(path(network, "n1"), "t.s0");
    EXPECT_EQ(path(network, "n2"), "t.s0,s1");  // t.s[0-1].n2
    EXPECT_EQ(network.path_of("n2"), network.path_of("n3"));
    EXPECT_EQ(network.switch_count(), 3U);
}

TEST(NetworkFile, SwitchBelowSeveralOthers) {
    const Network network = file(
        "SwitchName=l0 Nodes=n[0-1]\nSwitchName=l1 Nodes=n[2-3]\n"
        "SwitchName=sp0 Switches=l[0-1]\nSwitchName=sp1 Switches=l[0-1]");
    EXPECT_EQ(path(network, "n0"), "sp0,sp1.l0");  // sp[0-1].l0.n0
    EXPECT_EQ(path(network, "n3"), "sp0,sp1.l1");  // sp[0-1].l1.n3
    EXPECT_EQ(network.path_of("n0")[0], network.path_of("n3")[0]);
}

TEST(NetworkFile, NamedTwiceIsAsGoodAsOnce) {
    const Network network = file("SwitchName=s0 Nodes=n0,n0,n[0-1]\nSwitchName=a Switches=s0,s0");
    EXPECT_EQ(path(network, "n0"), "a.s0");
    EXPECT_EQ(network.switch_count(), 2U);
}

TEST(NetworkFile, WholeNameComesBeforeTheDomain) {
    const Network network = file("SwitchName=a Nodes=n1.x\nSwitchName=b Nodes=n1");
    EXPECT_EQ(path(network, "n1.x"), "a");
    EXPECT_EQ(path(network, "n1.y"), "b");
}

TEST(NetworkFile, NamesIgnoreCaseAndDomain) {
    const Network network = file("SwitchName=a Nodes=N1,tux[1-2].x.org,m.a,k.a\nSwitchName=b Nodes=m.b,k.a");
    EXPECT_EQ(path(network, "n1"), "a");
    EXPECT_EQ(path(network, "N1.X"), "a");
    EXPECT_EQ(path(network, "Tux2"), "a");
    EXPECT_EQ(path(network, "tux2.y.org"), "");
    EXPECT_EQ(path(network, "m"), "");  // ambiguous
    EXPECT_EQ(path(network, "M.B"), "b");
    EXPECT_EQ(path(network, "tux"), "");
    EXPECT_EQ(network.hosts(2), (Names{"k.a", "m.a"}));
    EXPECT_EQ(some_hosts(network), "k.a, m.a, m.b, n1, tux1.x.org, tux2.x.org");
    EXPECT_EQ(some_hosts(file("SwitchName=a Nodes=n[1-12]")), "n1, n10, n11, n12, n2, n3, n4, n5 and 4 more");
    EXPECT_EQ(some_hosts(file("")), "none");
}

TEST(NetworkFile, SwitchesMayBeEmpty) {
    const Network network = file(
        "SwitchName=rack0 Nodes=c[0-3]\nSwitchName=rack1\nSwitchName=rack2 Nodes=c[4-7]\n"
        "SwitchName=top Switches=rack[0-2]");
    EXPECT_EQ(path(network, "c0"), "top.rack0");
    EXPECT_EQ(path(network, "c7"), "top.rack2");
    EXPECT_EQ(network.switch_count(), 3U);
}

TEST(NetworkFile, BlocksAndRingsCountAsSwitches) {
    const Network blocks = file("BlockName=b0 Nodes=c[0-3]\nblockname=b1 Nodes=c[4-7]\nBlockSizes=4,8");
    EXPECT_EQ(path(blocks, "c3"), "b0");
    EXPECT_EQ(path(blocks, "c4"), "b1");
    const Network rings = file("RingName=r0 Nodes=c[0-3]\nRingName=r1 Nodes=c[4-7]");
    EXPECT_EQ(path(rings, "c3"), "r0");
    EXPECT_EQ(path(rings, "c4"), "r1");
}

TEST(NetworkFile, EmptyFileHasNoSwitch) {
    const Network network = file("# nothing \\\n\n");
    EXPECT_EQ(network.switch_count(), 0U);
    EXPECT_TRUE(network.path_of("n1").empty());
}

TEST(NetworkFile, HashFollowsTheContentOnly) {
    const auto hash = [](const char* text) { return file(text).hash(); };
    const auto base = hash("SwitchName=a Nodes=n[1-2]\n");
    EXPECT_EQ(base, hash("# remark\nswitchname=a   nodes=n1,n2 LinkSpeed=3\n"));
    EXPECT_NE(base, hash("SwitchName=a Nodes=n[1-3]\n"));
    EXPECT_NE(base, hash("SwitchName=b Nodes=n[1-2]\n"));
    EXPECT_NE(hash("SwitchName=a Nodes=n1\nSwitchName=b Nodes=n2"),
              hash("SwitchName=a Nodes=n2\nSwitchName=b Nodes=n1"));
    EXPECT_EQ(hash("SwitchName=t Switches=a,b\nSwitchName=a Nodes=n1\nSwitchName=b Nodes=n2"),
              hash("SwitchName=b Nodes=n2\nSwitchName=a Nodes=n1\nSwitchName=t Switches=b,a"));
    EXPECT_EQ(base, Network::from_hosts("n[1-2]=a").hash());
}

TEST(NetworkFile, ErrorsNameFileAndLine) {
    const std::pair<const char*, const char*> cases[] = {
        {"SwitchName=a Nodes=n1\nSwitchNam=b Nodes=n2", "t.conf:2: unknown keyword 'SwitchNam'"},
        {"SwitchName=a Nodes=n1\nBlockName=b Nodes=n2",
         "t.conf:2: BlockName and SwitchName cannot be combined"},
        {"BlockName=a Nodes=n1\nRingName=b Nodes=n2", "t.conf:2: RingName and BlockName cannot be combined"},
        {"BlockName=a Switches=b", "t.conf:1: unknown keyword 'Switches'"},
        {"BlockName=a RingName=b", "t.conf:1: unknown keyword 'BlockName'"},
        {"BlockSizes=4,x", "t.conf:1: BlockSizes '4,x' is no list of numbers"},
        {"BlockName=a Nodes=n1\nBlockName=a Nodes=n2", "t.conf:2: block 'a' is already defined in line 1"},
        {"---\n- topology: t", "t.conf:1: topology.yaml is not supported"},
        {"- topology: t", "t.conf:1: topology.yaml is not supported"},
        {"Nodes=n1", "t.conf:1: a line must name its switch"},
        {"SwitchName=a Nodes=n1 Switches=b", "t.conf:1: switch 'a' has both Nodes and Switches"},
        {"SwitchName=a Nodes", "t.conf:1: expected KEYWORD=VALUE at 'Nodes'"},
        {"SwitchName=a =b", "t.conf:1: expected KEYWORD=VALUE at '=b'"},
        {"SwitchName=a Nodes=n1, n2", "t.conf:1: expected KEYWORD=VALUE at 'n2'"},
        {"Include other.conf", "t.conf:1: Include is supported in files only"},
        {"SwitchName=a Nodes=", "t.conf:1: 'Nodes' has no value"},
        {"SwitchName=a Nodes=\"\"", "t.conf:1: 'Nodes' has no value"},
        {"SwitchName=a Nodes=\"n1", "t.conf:1: a quote is not closed"},
        {"SwitchName=a Nodes='n1'", "t.conf:1: only double quotes are supported"},
        {"SwitchName=a Nodes=n1 Nodes=n2", "t.conf:1: 'Nodes' is given twice"},
        {"SwitchName=a Nodes=n1 LinkSpeed=fast", "t.conf:1: LinkSpeed 'fast' is no number"},
        {"SwitchName=a LinkSpeed= Nodes=n1", "t.conf:1: LinkSpeed 'Nodes=n1' is no number"},
        {"SwitchName=s[0-3] Nodes=n1", "t.conf:1: SwitchName takes one name"},
        {"SwitchName=s0,s1 Nodes=n1", "t.conf:1: SwitchName takes one name"},
        {"SwitchName=a Nodes=n1\n\nSwitchName=a Nodes=n2",
         "t.conf:3: switch 'a' is already defined in line 1"},
        {"SwitchName=a Nodes=n[1", "t.conf:1: host list 'n[1': '[' without ']'"},
        {"SwitchName=a Nodes=,", "t.conf:1: host list ',': no name"},
        {"SwitchName=a Nodes=n1\nSwitchName=b \\\nSwitches=c", "t.conf:2: switch 'c' is not defined"},
        {"SwitchName=a Switches=b\nSwitchName=b Switches=a", "t.conf:1: switch a is below itself"},
        {"SwitchName=x Switches=a\nSwitchName=a Switches=b\nSwitchName=b Switches=a",
         "t.conf:2: switch a is below itself"},
        {"SwitchName=a Switches=a", "t.conf:1: switch a is below itself"}};
    for (const auto& [text, expected] : cases) {
        const std::string error = error_of([&, t = text] { file(t); });
        EXPECT_EQ(error.rfind(expected, 0), 0U) << text << "\n -> " << error;
    }
}

/// A switch per line, each below the next ("up") or above it, the last one first or last.
std::string row(int switches, bool up) {
    std::string text;
    for (int i = 0; i < switches; ++i) {
        const int at = up ? i : switches - 1 - i;
        text += "SwitchName=s" + std::to_string(at) +
                (at == 0 ? " Nodes=n1\n" : " Switches=s" + std::to_string(at - 1) + "\n");
    }
    return text;
}

TEST(NetworkFile, RowsOfSwitchesEnd) {
    for (const bool up : {true, false}) {
        EXPECT_EQ(file(row(64, up)).path_of("n1").size(), 64U);
        EXPECT_EQ(error_of([&] { file(row(65, up)); }),
                  up ? "t.conf:65: more than 64 switches in a row at switch s64"
                     : "t.conf:65: more than 64 switches in a row at switch s0");
        EXPECT_THROW(file(row(20000, up)), FileError);
    }
}

/// Leaf switches l0, l1, ... with a node each.
std::string leaf_switches(int count) {
    std::string text;
    for (int i = 0; i < count; ++i) {
        const std::string number = std::to_string(i);
        text += "SwitchName=l" + number + " Nodes=n" + number + "\n";
    }
    return text;
}

// Looked at from every leaf switch anew, these take minutes.
TEST(NetworkFile, SwitchesAboveManyLeafSwitchesAreLookedAtOnce) {
    constexpr int leaves = 10000;
    constexpr int above = 20000;
    std::string text = leaf_switches(leaves) + "SwitchName=s Switches=l[0-9999]\n";
    for (int i = 0; i < above; ++i) text += "SwitchName=c" + std::to_string(i) + " Switches=s\n";
    const Network network = file(text);
    EXPECT_EQ(network.switch_count(), leaves + 2U);
    const auto top = network.switch_name(network.path_of("n9999").front());
    EXPECT_EQ(std::count(top.begin(), top.end(), ','), above - 1);
    EXPECT_TRUE(top.starts_with("c0,c1,c10,c100,c1000,c10000,c10001,"));
    EXPECT_TRUE(path(network, "n9999").ends_with(",c9998,c9999.s.l9999"));
}

// The names themselves can be as long as the file times its number of leaf switches.
TEST(NetworkFile, NamesThatGrowTogetherAreRefused) {
    const auto with_leaves = [](int count) {
        std::string text = leaf_switches(count);
        for (int i = 0; i < count; ++i) {
            const std::string number = std::to_string(i);
            text += "SwitchName=p" + number + " Switches=l" + number + "\nSwitchName=r" + number +
                    " Switches=p" + number + "\n";
        }
        return text + "SwitchName=q Switches=l[0-" + std::to_string(count - 1) +
               "]\nSwitchName=" + std::string(std::size_t{1} << 20, 'x') + " Switches=q\n";
    };
    const Network network = file(with_leaves(60));
    EXPECT_EQ(network.path_of("n59").size(), 3U);
    EXPECT_EQ(error_of([&] { file(with_leaves(70)); }),
              "t.conf:212: the names of the switches above all leaf switches are longer than 67108864 bytes "
              "together: at switch '" +
                  std::string(80, 'x') + "...'");
}

TEST(NetworkFile, FilesAreRead) {
    const std::string name = ::testing::TempDir() + "strata_topology.conf";
    std::ofstream(name) << "SwitchName=a Nodes=n[1-2]\n";
    EXPECT_EQ(path(Network::from_file(name), "n2"), "a");
    std::ofstream(name) << "";
    EXPECT_EQ(Network::from_file(name).switch_count(), 0U);
    std::ofstream(name) << "SwitchName=a Colour=red\n";
    EXPECT_EQ(error_of([&] { Network::from_file(name); }).rfind(name + ":1: ", 0), 0U);
    std::remove(name.c_str());
    EXPECT_EQ(error_of([&] { Network::from_file(name); }),
              name + ": cannot be opened: No such file or directory");
    const std::string folder = ::testing::TempDir();
    EXPECT_EQ(error_of([&] { Network::from_file(folder); }), folder + ": is a directory");
}

TEST(NetworkFile, FilesIncludeOthers) {
    const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "strata_included";
    std::filesystem::create_directories(folder / "racks");
    const auto write = [&](const char* name, const std::string& text) {
        std::ofstream(folder / name) << text;
        return (folder / name).string();
    };
    const std::string first =
        write("topology.conf", "Include racks/all.conf # from here\nSwitchName=top Switches=rack[0-1]\n");
    write("racks/all.conf", "SwitchName=rack0 Nodes=c[0-3]\ninclude \t" + (folder / "one.conf").string());
    write("one.conf", "SwitchName=rack1 Nodes=c[4-7]");
    EXPECT_EQ(path(Network::from_file(first), "c0"), "top.rack0");
    EXPECT_EQ(path(Network::from_file(first), "c7"), "top.rack1");
    const std::string one = write("one.conf", "\nSwitchName=rack0 Nodes=c8");
    EXPECT_EQ(
        error_of([&] { Network::from_file(first); }),
        one + ":2: switch 'rack0' is already defined in line 1 of " + (folder / "racks/all.conf").string());
    write("one.conf", "SwitchName=rack1 Switches=x");
    EXPECT_EQ(error_of([&] { Network::from_file(first); }), one + ":1: switch 'x' is not defined");
    write("one.conf", "Include none.conf");
    EXPECT_EQ(error_of([&] { Network::from_file(first); }),
              one + ":1: Include: " + (folder / "none.conf").string() +
                  ": cannot be opened: No such file or directory");
    write("one.conf", "Include one.conf");
    EXPECT_EQ(error_of([&] { Network::from_file(first); }), one + ":1: too many files include each other");
    std::filesystem::remove_all(folder);
}

TEST(NetworkHosts, ReadsPathsTopmostFirst) {
    const Network network =
        Network::from_hosts("n[0-1]=top.site0; n[2-3],gpu-5 = top.site1 ;far.org=top;x[08-09]=rack_1");
    EXPECT_EQ(network.switch_count(), 4U);
    EXPECT_EQ(path(network, "n0"), "top.site0");
    EXPECT_EQ(path(network, "n1.cluster.org"), "top.site0");
    EXPECT_EQ(path(network, "n3"), "top.site1");
    EXPECT_EQ(path(network, "gpu-5"), "top.site1");
    EXPECT_EQ(path(network, "far.org"), "top");
    EXPECT_EQ(path(network, "far"), "top");
    EXPECT_EQ(path(network, "far.com"), "");
    EXPECT_EQ(path(network, "x09"), "rack_1");
    EXPECT_EQ(path(network, "x9"), "");
    EXPECT_EQ(network.path_of("n0")[0], network.path_of("n3")[0]);
}

TEST(NetworkHosts, TheSameTwiceIsFine) {
    const Network network = Network::from_hosts("n0,n0=top.a;n[0-1]=top.a");
    EXPECT_EQ(path(network, "n1"), "top.a");
    EXPECT_EQ(network.hash(), Network::from_hosts("n[0-1]=top.a").hash());
}

TEST(NetworkHosts, ErrorsNameTheEntry) {
    const std::pair<const char*, const char*> cases[] = {
        {"", "entry '': expected HOSTS=SWITCH.SWITCH"},
        {"n0=a;", "entry '': expected HOSTS=SWITCH.SWITCH"},
        {"n0=a; n1", "entry 'n1': expected HOSTS=SWITCH.SWITCH"},
        {"n0=", "entry 'n0=': a switch has no name"},
        {"n0=a..b", "entry 'n0=a..b': a switch has no name"},
        {"n0=a.", "entry 'n0=a.': a switch has no name"},
        {"=a", "entry '=a': host list '': no name"},
        {"n[0=a", "entry 'n[0=a': host list 'n[0': '[' without ']'"},
        {"n0=a;n[0-1]=b", "entry 'n[0-1]=b': host n0 is already below switch a"},
        {"n0=t.a;n1=u.a", "entry 'n1=u.a': switch a is already below switch t"},
        {"n0=t.a;n1=a", "entry 'n1=a': switch a is already below switch t"},
        {"n0=a;n1=t.a", "entry 'n1=t.a': switch a is already at the top"},
        {"n0=a.b;n1=b.a", "entry 'n1=b.a': switch b is already below switch a"},
        {"n0=a.a", "entry 'n0=a.a': switch a is already at the top"}};
    for (const auto& [text, expected] : cases) {
        const std::string error = error_of([&, t = text] { Network::from_hosts(t); });
        EXPECT_EQ(error.rfind(expected, 0), 0U) << text << "\n -> " << error;
    }
    std::string deep = "n0=s0";
    for (int i = 1; i < 64; ++i) deep += ".s" + std::to_string(i);
    EXPECT_EQ(Network::from_hosts(deep).path_of("n0").size(), 64U);
    EXPECT_NE(error_of([&] { Network::from_hosts(deep + ".x"); }).find("more than 64"), std::string::npos);
}

TEST(Network, AllListsTogetherHaveALimit) {
    const std::string most = "[0-262143]";
    EXPECT_EQ(Network::from_hosts("n" + most + "=a").path_of("n7").size(), 1U);
    EXPECT_EQ(error_of([&] { Network::from_hosts("n" + most + "=a;m=a"); }),
              "entry 'm=a': more than 262144 names in all lists together");
    EXPECT_EQ(error_of([&] { file("SwitchName=a Nodes=n" + most + "\nSwitchName=b Nodes=n" + most); }),
              "t.conf:2: more than 262144 names in all lists together");
}

TEST(NetworkSource, IsWhatUsersWrite) {
    for (const char* text : {"", "auto"}) {
        const NetworkSource source = parse_network_source(text);
        EXPECT_TRUE(source.slurm && !source.network) << text;
    }
    const NetworkSource none = parse_network_source("none");
    EXPECT_TRUE(!none.slurm && !none.network);
    const NetworkSource hosts = parse_network_source("hosts:n[0-1]=top.site0");
    EXPECT_FALSE(hosts.slurm);
    EXPECT_EQ(path(hosts.network.value(), "n1"), "top.site0");
    const std::string name = ::testing::TempDir() + "strata_network_source.conf";
    std::ofstream(name) << "SwitchName=s0 Nodes=n0\n";
    EXPECT_EQ(path(parse_network_source("file:" + name).network.value(), "n0"), "s0");
    std::remove(name.c_str());
    EXPECT_EQ(error_of([&] { parse_network_source("file:" + name); }),
              name + ": cannot be opened: No such file or directory");
    for (const char* text : {"topology.conf", "Auto", " none", "slurm"}) {
        EXPECT_EQ(error_of([&] { parse_network_source(text); }),
                  "unknown source; known: auto, none, file:PATH, hosts:LIST=SWITCHES;...")
            << text;
    }
}

}  // namespace
}  // namespace strata::topology::network_test
