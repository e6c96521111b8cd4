// Facts about recorded machines with NICs: each NIC's place, and the leaders. The machines are not part of
// this project; STRATA_TOPOLOGIES names a folder with them.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <sstream>

#include "records.h"
#include "topology/leaders.h"
#include "topology/nic.h"

namespace strata::topology::recorded_machines_test {
namespace {

/// NICs that hang below one object.
struct Place {
    const char* names;  ///< OS devices, and PCI ids of NICs without any; sorted
    const char* near;   ///< name of the place
    const char* cores;  ///< cores there, by logical index; empty: all
};

struct Facts {
    const char* file;
    int leader;  ///< of the node, with a process on every core and ties to the lowest rank
    std::vector<Place> places;
};

const std::vector<Facts>& facts() {
    static const std::vector<Facts> table{
        {"fake-4pk10c-qib-near-2cores",
         18,
         {{"eth0 eth1 eth2 eth3", "numa 0", "0-9"}, {"ib0 qib0", "group 0", "18-19"}}},
        {"qemu-1pk4c-cxl-eth", 0, {{"enp0s2", "whole machine", ""}}},
        {"qemu-4pk2c-e1000e-numa1", 2, {{"eth1", "numa 1", "2-3"}, {"eth0", "whole machine", ""}}},
        {"real+nic-arm-kunpeng-128c-mlx5-numa2", 64, {{"ib0 mlx5_0", "numa 2", "64-95"}}},
        {"real+nic-dies-4pk2die2numa-mlx5-numa9", 18, {{"ib0 mlx5_0", "numa 9", "18-19"}}},
        {"real+nic-epyc7763-2pk16l3-mlx5-both",
         0,
         {{"ib0 mlx5_0", "package 0", "0-63"}, {"ib1 mlx5_1", "package 1", "64-127"}}},
        {"real+nic-haswell-cod-2pk2l3-mlx5-l3_0", 0, {{"ib0 mlx5_0", "l3 0", "0-5"}}},
        {"real+nic-heteromemtiers-mlx5", 0, {{"ib0 mlx5_0", "whole machine", ""}}},
        {"real+nic-hybrid-6P8E-eth-pkg", 0, {{"eth0", "whole machine", ""}}},
        {"real+nic-ivybridge-12pk8c2t-mlx4-pk4", 32, {{"ib0 mlx4_0", "package 4", "32-39"}}},
        {"real+nic-knl-snc4-hbm-hfi-cluster2", 8, {{"hfi1_0 ib0", "numa 4", "8-11"}}},
        {"real+nic-opteron-4pk2c-mlx4-numa1", 2, {{"ib0 mlx4_0", "numa 1", "2-3"}}},
        {"real+nic-opteron6272-4pk2numa-mlx4-numa3", 24, {{"ib0 mlx4_0", "numa 3", "24-31"}}},
        {"real+nic-power-8numa-64c4t-mlx4-numa5", 40, {{"ib0 mlx4_0", "numa 5", "40-47"}}},
        {"real+nic-snc2-memsidecache-mlx5-numa3", 30, {{"ib0 mlx5_0", "numa 3", "30-39"}}},
        {"real-16pk-4numa-8eth",
         0,
         {{"eth0 eth1", "numa 0", "0-23"},
          {"eth2 eth3", "numa 1", "24-47"},
          {"eth4 eth5", "numa 2", "48-71"},
          {"eth6 eth7", "numa 3", "72-95"}}},
        {"real-2pk-fsb-mlx4-machine", 0, {{"eth0 eth1 ib0 ib1 mlx4_0", "whole machine", ""}}},
        {"real-2pk2numa7c-cod-eth", 0, {{"enp12s0 enp6s0", "numa 0", "0-6"}}},
        {"real-2pk6c2t-mlx4-numa0-interleaved", 0, {{"eth0 eth1 eth2 ib0 mlx4_0", "numa 0", "0-5"}}},
        {"real-2pk8c-mlx4-numa1-mic", 8, {{"eth0 eth1", "numa 0", "0-7"}, {"ib0 mlx4_0", "numa 1", "8-15"}}},
        {"real-2pk8c-usnic-both-manyVFs",
         0,
         {{"0000:0b:00.1 0000:0b:00.2 0000:0b:00.3 0000:0c:00.1 0000:0c:00.2 0000:0c:00.3 0000:0c:00.4 eth0 "
           "eth1 eth4 eth5 usnic_0 usnic_1",
           "numa 0", "0-7"},
          {"0000:88:00.1 0000:88:00.2 0000:88:00.3 0000:88:00.4 0000:88:00.5 eth6 eth7 usnic_2", "numa 1",
           "8-15"}}},
        {"real-2pk8c2t-2hca-no-osdev",
         0,
         {{"0000:1a:00.0 0000:3e:00.0 enp96s0f0 enp96s0f1", "numa 0", "0-7"}}},
        {"real-2pk8c2t-mlx5-numa1", 8, {{"eth0 eth1 ib0 mlx5_0", "numa 1", "8-15"}}},
        {"real-4pk10c-qib-grouplocality",
         20,
         {{"eth0 eth1 eth2 eth3", "group 0", "0-19"}, {"ib0 qib0", "group 1", "20-39"}}},
        {"real-4pk10c-qib-nolocality", 0, {{"eth0 eth1 eth2 eth3 ib0 qib0", "whole machine", ""}}},
        {"real-irregular-3pairs+2-eth", 0, {{"eth0 eth1", "numa 0", "0-7"}}},
        {"real-sgi-24pk-12pairs-mlx4-numa6",
         48,
         {{"eth0 eth1", "numa 0", "0-7"},
          {"eth2 eth3 eth4 eth5", "numa 4", "32-39"},
          {"ib0 mlx4_0", "numa 6", "48-55"}}},
        {"real-sgi-24pk-flat-mlx4-numa6",
         48,
         {{"eth0 eth1", "numa 0", "0-7"},
          {"eth2 eth3 eth4 eth5", "numa 4", "32-39"},
          {"ib0 mlx4_0", "numa 6", "48-55"}}},
        {"syn-epyc-2pk4numa2l3x8core-nps4-2nic",
         32,
         {{"ib0 mlx5_0", "numa 2", "32-47"}, {"ib1 mlx5_1", "numa 6", "96-111"}}},
        {"syn-ntw10e5-2pk2numa6core-cod-mlx5", 0, {{"ib0 mlx5_0", "numa 0", "0-5"}}},
        {"syn-opteron-4pk2core-nuioa-node1", 2, {{"eth0", "numa 0", "0-1"}, {"ib0 mlx4_0", "numa 1", "2-3"}}},
        {"syn-smp12e5-12pk8core2ht-pairs-mlx4",
         32,
         {{"eth0", "numa 0", "0-7"}, {"ib0 mlx4_0", "numa 4", "32-39"}}},
        {"syn-smp20e7-20pk8core-mlx4", 48, {{"eth0", "numa 0", "0-7"}, {"ib0 mlx4_0", "numa 6", "48-55"}}},
    };
    return table;
}

std::filesystem::path folder() {
    const char* const name = std::getenv("STRATA_TOPOLOGIES");
    return name != nullptr ? name : "";
}

Machine recorded(const std::string& name) { return Machine::load((folder() / (name + ".xml")).string()); }

#define NEEDS_RECORDED_MACHINES() \
    if (folder().empty()) GTEST_SKIP() << "STRATA_TOPOLOGIES names no folder of XML machines"

/// "0-3,8"
std::string list_of(const std::vector<int>& numbers) {
    std::string text;
    for (std::size_t i = 0; i < numbers.size();) {
        std::size_t end = i + 1;
        while (end < numbers.size() && numbers[end] == numbers[end - 1] + 1) ++end;
        text += (text.empty() ? "" : ",") + std::to_string(numbers[i]);
        if (end - i > 1) text += "-" + std::to_string(numbers[end - 1]);
        i = end;
    }
    return text;
}

/// Cores that are inside the object that the NIC hangs below.
std::string near_cores(const Machine& machine, const Nic& nic) {
    std::vector<int> cores;
    for (int core = 0; core < machine.cores(); ++core) {
        const Binding binding = machine.bound_to_cores(std::to_string(core));
        if (machine.distance(binding, {&nic, 1}).distance == 0) cores.push_back(core);
    }
    return list_of(cores);
}

/// "eth0 eth1 near numa 0 (0-7)", one line per place.
std::set<std::string> places_of(const Machine& machine) {
    std::map<std::string, std::set<std::string>> names;
    for (const Nic& nic : machine.nics()) {
        auto& here = names["near " + nic.near_name + " (" + near_cores(machine, nic) + ")"];
        EXPECT_EQ(nic.names.back().find(':'), 4U);  // the PCI id
        here.insert(nic.names.begin(), nic.names.size() > 1 ? nic.names.end() - 1 : nic.names.end());
    }
    std::set<std::string> result;
    for (const auto& [place, all] : names) {
        std::string line;
        for (const std::string& name : all) line += name + " ";
        result.insert(line + place);
    }
    return result;
}

/// A process on every core; NICs as a fabric transport finds them.
std::vector<LocalityRecord> processes(const Machine& machine) {
    const std::vector<Nic> all = machine.nics();
    std::vector<Nic> used;
    for (const int nic : fabric_nics(all, {})) used.push_back(all[static_cast<std::size_t>(nic)]);
    std::vector<LocalityRecord> records;
    for (int core = 0; core < machine.cores(); ++core) {
        records.push_back(testing::record_on(machine, "n", std::to_string(core)));
        records.back().nics[0] = machine.distance(machine.bound_to_cores(std::to_string(core)), used);
    }
    return records;
}

TEST(RecordedMachines, AllAreKnown) {
    NEEDS_RECORDED_MACHINES();
    std::set<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder())) {
        if (entry.path().extension() == ".xml") files.insert(entry.path().stem().string());
    }
    std::set<std::string> known;
    for (const Facts& machine : facts()) known.insert(machine.file);
    EXPECT_EQ(files, known);
}

TEST(RecordedMachines, NicsHangWhereTheyDo) {
    NEEDS_RECORDED_MACHINES();
    for (const Facts& known : facts()) {
        std::set<std::string> expected;
        for (const Place& place : known.places) {
            expected.insert(std::string(place.names) + " near " + place.near + " (" + place.cores + ")");
        }
        EXPECT_EQ(places_of(recorded(known.file)), expected) << known.file;
    }
}

TEST(RecordedMachines, LeadersAreNearTheNic) {
    NEEDS_RECORDED_MACHINES();
    for (const Facts& known : facts()) {
        const auto records = processes(recorded(known.file));
        const Hierarchy hierarchy = build_hierarchy(records);
        EXPECT_EQ(validate(hierarchy), "") << known.file;
        EXPECT_EQ(hierarchy.groups[0].leader, known.leader) << known.file;
        HierarchySpec off;
        off.election.nic_local = false;
        EXPECT_EQ(build_hierarchy(records, off).groups[0].leader, 0) << known.file;
    }
}

TEST(RecordedMachines, NicsNearEverythingElectNoRank) {
    NEEDS_RECORDED_MACHINES();
    int machines = 0;
    for (const Facts& known : facts()) {
        const bool all = std::all_of(known.places.begin(), known.places.end(),
                                     [](const Place& place) { return *place.cores == '\0'; });
        if (!all) continue;
        ++machines;
        for (const LocalityRecord& record : processes(recorded(known.file))) {
            ASSERT_EQ(record.near(NicUse::fabric).distance, unknown_distance) << known.file;
        }
    }
    EXPECT_EQ(machines, 5);
}

TEST(RecordedMachines, EveryNicHasALeader) {
    NEEDS_RECORDED_MACHINES();
    const std::pair<const char*, std::vector<int>> cases[] = {
        {"syn-epyc-2pk4numa2l3x8core-nps4-2nic", {32, 96}}, {"real+nic-epyc7763-2pk16l3-mlx5-both", {0, 64}},
        {"real-16pk-4numa-8eth", {0, 24, 48, 72}},          {"real-2pk8c-usnic-both-manyVFs", {0, 8}},
        {"syn-opteron-4pk2core-nuioa-node1", {2}},          {"real-4pk10c-qib-nolocality", {0}},
    };
    for (const auto& [name, expected] : cases) {
        const auto records = processes(recorded(name));
        EXPECT_EQ(nic_leaders(build_hierarchy(records), records, 0, {}), expected) << name;
    }
}

}  // namespace
}  // namespace strata::topology::recorded_machines_test
