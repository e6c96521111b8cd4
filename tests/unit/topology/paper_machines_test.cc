// The four machines of Table 1 of the seed paper on hardware communicators, with a process on every core: as
// many levels as the paper counts there (3, 3, 4, 5), and for NTW24E5 the sizes of section 7.4.
#include <gtest/gtest.h>

#include "records.h"
#include "topology/picture.h"

namespace strata::topology::paper_machines_test {
namespace {

constexpr const char* ntw_node =
    "synthetic:pack:2 l3:2(size=15MiB) [numa(memory=16GiB)] l2:6(size=256KiB) l1d:1(size=32KiB) "
    "l1i:1(size=32KiB) core:1 pu:1";

/// `switches[i]` nodes below switch i (all below one more), or `nodes` nodes that nothing is known of.
Hierarchy cluster(const char* description, int nodes, const std::vector<int>& switches = {}) {
    const Machine machine = Machine::load(description);
    std::vector<std::vector<HardwareObject>> paths;
    for (int core = 0; core < machine.cores(); ++core) {
        paths.push_back(machine.path_of(machine.bound_to_cores(std::to_string(core))));
    }
    std::vector<LocalityRecord> records;
    const auto add = [&](int node, std::vector<std::uint32_t> network) {
        for (const auto& path : paths) {
            records.emplace_back();
            records.back().node_id = stable_hash("n" + std::to_string(node));
            records.back().network_path = network;
            records.back().hardware_path = path;
        }
    };
    for (int node = 0; node < nodes; ++node) add(node, {});
    int node = 0;
    for (std::size_t i = 0; i < switches.size(); ++i) {
        for (int j = 0; j < switches[i]; ++j) add(node++, {0, static_cast<std::uint32_t>(i + 1)});
    }
    return build_hierarchy(records);
}

TEST(PaperMachines, Smp12e5) {
    const Hierarchy hierarchy = cluster(
        "synthetic:group:6 pack:2 [numa(memory=32GiB)] l3:1(size=20MiB) l2:8(size=256KiB) l1d:1(size=32KiB) "
        "l1i:1(size=32KiB) core:1 pu:2(indexes=2*96:96*1)",
        1);
    EXPECT_EQ(validate(hierarchy), "");
    EXPECT_EQ(hierarchy.ranks(), 96);
    EXPECT_EQ(level_summary(hierarchy), "3 levels: 6 hardware groups, 12 L3 caches, 96 cores");
}

TEST(PaperMachines, Smp20e7) {
    const Hierarchy hierarchy = cluster(
        "synthetic:group:10 pack:2 [numa(memory=32GiB)] l3:1(size=24MiB) l2:8(size=256KiB) l1d:1(size=32KiB) "
        "l1i:1(size=32KiB) core:1 pu:1",
        1);
    EXPECT_EQ(validate(hierarchy), "");
    EXPECT_EQ(hierarchy.ranks(), 160);
    EXPECT_EQ(level_summary(hierarchy), "3 levels: 10 hardware groups, 20 L3 caches, 160 cores");
}

TEST(PaperMachines, Ntw10e5) {
    const Hierarchy hierarchy = cluster(ntw_node, 10);
    EXPECT_EQ(validate(hierarchy), "");
    EXPECT_EQ(hierarchy.ranks(), 240);
    EXPECT_EQ(level_summary(hierarchy), "4 levels: 10 nodes, 20 packages, 40 L3 caches, 240 cores");
}

TEST(PaperMachines, Ntw24e5) {
    const Hierarchy hierarchy = cluster(ntw_node, 0, {12, 6, 4, 2});
    EXPECT_EQ(validate(hierarchy), "");
    EXPECT_EQ(hierarchy.ranks(), 576);
    EXPECT_EQ(level_summary(hierarchy),
              "5 levels: 4 leaf switches, 24 nodes, 48 packages, 96 L3 caches, 576 cores");
    // 1 communicator of 4 processes, 4 of 12, 6, 4 and 2, 24 of 2, 48 of 2, 96 of 6.
    std::vector<std::vector<std::size_t>> sizes(6);
    for (const Group& group : hierarchy.groups) {
        sizes[static_cast<std::size_t>(group.depth)].push_back(group.children.size());
    }
    EXPECT_EQ(sizes[0], (std::vector<std::size_t>{4}));
    EXPECT_EQ(sizes[1], (std::vector<std::size_t>{12, 6, 4, 2}));
    EXPECT_EQ(sizes[2], std::vector<std::size_t>(24, 2));
    EXPECT_EQ(sizes[3], std::vector<std::size_t>(48, 2));
    EXPECT_EQ(sizes[4], std::vector<std::size_t>(96, 6));
    EXPECT_EQ(sizes[5], std::vector<std::size_t>(576, 0));
}

}  // namespace
}  // namespace strata::topology::paper_machines_test
