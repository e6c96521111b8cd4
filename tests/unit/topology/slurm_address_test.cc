#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "topology/network.h"

namespace strata::topology::slurm_address_test {
namespace {

using Names = std::vector<std::string>;

TEST(SlurmAddress, SplitsWhatSlurmReports) {
    EXPECT_EQ(slurm_switches("top.site0.n0", "switch.switch.node", "n0"), (Names{"top", "site0"}));
    EXPECT_EQ(slurm_switches("s0.n0", "switch.node", "n0"), (Names{"s0"}));
    EXPECT_EQ(slurm_switches("b-8.tux_1", "block.node", "tux_1"), (Names{"b-8"}));
    EXPECT_EQ(slurm_switches("n0", "node", "n0"), Names{});  // topology/none
}

TEST(SlurmAddress, SeveralSwitchesOfAHeightAreOne) {
    EXPECT_EQ(slurm_switches("t.s[0-1].n2", "switch.switch.node", "n2"), (Names{"t", "s0,s1"}));
    EXPECT_EQ(slurm_switches("b,a.s[9-10,2].n2", "switch.switch.node", "n2"), (Names{"a,b", "s10,s2,s9"}));
    EXPECT_EQ(slurm_switches("s[0.1].n2", "switch.node", "n2"), (Names{"s[0.1]"}));
}

TEST(SlurmAddress, HeightsWithoutASwitchAreLeftOut) {
    EXPECT_EQ(slurm_switches("t..s1.n1", "switch.switch.switch.node", "n1"), (Names{"t", "s1"}));
    EXPECT_EQ(slurm_switches(".x.n1", "switch.switch.node", "n1"), (Names{"x"}));
    EXPECT_EQ(slurm_switches("..n1", "switch.switch.node", "n1"), Names{});
}

TEST(SlurmAddress, HostsMayHaveADomain) {
    EXPECT_EQ(slurm_switches("s0.n0", "switch.node", "n0.cluster.org"), (Names{"s0"}));
    EXPECT_EQ(slurm_switches("s0.n0.cluster.org", "switch.node", "n0"), (Names{"s0"}));
    EXPECT_EQ(slurm_switches("s0.n0.cluster.org", "switch.node", "n0.cluster.org"), (Names{"s0"}));
    EXPECT_EQ(slurm_switches("s0.n0.cluster.org", "switch.node", "n1.cluster.org"), Names{});
}

TEST(SlurmAddress, NothingIsKnownFromAnythingElse) {
    const char* const cases[][3] = {{"", "", "n0"},
                                    {"", "switch.node", "n0"},
                                    {"s0.n0", "", "n0"},
                                    {"s0.n0", "switch.node", ""},
                                    {"s0.", "switch.node", ""},
                                    {"s0.n0", "switch.node", "n1"},            // copied from another node
                                    {"s0.n0", "switch.node", "n"},             //
                                    {"s0.n0", "switch.switch.node", "n0"},     // of another length
                                    {"t.s0.n0", "switch.node", "n0"},          //
                                    {"ib.s0.n0", "switch.node", "n0"},         // a dot in the switch's name
                                    {"s0.n0", "node.switch", "n0"},            //
                                    {"s0.n0", "switch.switch", "n0"},          //
                                    {"s0.n0", "switch.node ", "n0"},           //
                                    {"t:0:1:2.n0", "torus:x:y:z.node", "n0"},  // coordinates are no groups
                                    {"a.b.n0", "switch.rack.node", "n0"},      // an unknown word
                                    {"s[0.n0", "switch.node", "n0"},           // broken brackets
                                    {"s0].n0", "switch.node", "n0"}};
    for (const auto& [address, pattern, host] : cases) {
        EXPECT_EQ(slurm_switches(address, pattern, host), Names{})
            << address << " " << pattern << " " << host;
    }
}

TEST(SlurmAddress, KeepsToWhatARecordHolds) {
    std::string address, pattern;
    for (int i = 0; i < 64; ++i) {
        address += "s.";
        pattern += "switch.";
    }
    EXPECT_EQ(slurm_switches(address + "n0", pattern + "node", "n0").size(), 64U);
    EXPECT_EQ(slurm_switches(address + "s.n0", pattern + "switch.node", "n0"), Names{});
    // A text that expands to too many names stays unchanged.
    const std::string most = "s[0-262143]";
    const Names names = slurm_switches(most + ".t[0-1].n0", "switch.switch.node", "n0");
    ASSERT_EQ(names.size(), 2U);
    EXPECT_GT(names[0].size(), most.size());
    EXPECT_EQ(names[1], "t[0-1]");
}

TEST(SlurmAddress, IdsFollowTheNames) {
    EXPECT_EQ(switch_id("site0"), switch_id("site0"));
    EXPECT_EQ(switch_id("site0"), 2490591412U);
    EXPECT_NE(switch_id("site0"), switch_id("site1"));
}

TEST(SlurmAddress, NamesIgnoreCase) {
    EXPECT_EQ(slurm_switches("top.Rack0.N0", "switch.switch.node", "n0"), (Names{"top", "Rack0"}));
    EXPECT_EQ(slurm_switches("s0.n0", "switch.node", "N0.Cluster.org"), (Names{"s0"}));
}

TEST(SlurmAddress, RingIsASwitch) {
    EXPECT_EQ(slurm_switches("r8:2.tux1", "ring:position.node", "tux1"), (Names{"r8"}));
    EXPECT_EQ(slurm_switches("r:8:2.tux1", "ring:position.node", "tux1"), (Names{"r:8"}));
}

TEST(SlurmNode, IsTheHostUnlessSlurmCallsItOtherwise) {
    EXPECT_EQ(slurm_node("n0", "", "n[0-3]"), "n0");
    EXPECT_EQ(slurm_node("ip-10-0-0-7", "tux1", "tux[0-3]"), "tux1");
    EXPECT_EQ(slurm_node("ip-10-0-0-7", "tux1", ""), "tux1");
    EXPECT_EQ(slurm_node("ip-10-0-0-7", "tux1", "tux["), "tux1");
    EXPECT_EQ(slurm_node("n0.cluster.org", "n0", "n[0-3]"), "n0.cluster.org");
    // Variables of n1 that a launcher has copied.
    EXPECT_EQ(slurm_node("n0", "n1", "n[0-3]"), "n0");
    EXPECT_EQ(slurm_node("N0.cluster.org", "n1", "n[0-3]"), "N0.cluster.org");
}

}  // namespace
}  // namespace strata::topology::slurm_address_test
