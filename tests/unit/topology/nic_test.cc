#include <gtest/gtest.h>

#include "errors.h"
#include "topology/machine.h"
#include "topology/nic.h"

namespace strata::topology::nic_test {
namespace {

Machine machine(const std::string& name) {
    return Machine::load(std::string(STRATA_TEST_MACHINES) + name + ".xml");
}

/// "mlx4_0 ib0 0000:41:00.0 fabric up, near numa 1 (package+numa 1)": interfaces are those named eth or ib.
std::string words(const Nic& nic) {
    std::string text;
    for (const std::string& name : nic.names) text += name + " ";
    if (nic.fabric) text += "fabric ";
    text += !nic.port_active ? "?" : *nic.port_active ? "up" : "down";
    text += ", near " + nic.near_name;
    if (!nic.local()) return text;
    text += " (";
    for (int kind = 0; kind < level_kind_count; ++kind) {
        if (!nic.near_path.back().has(static_cast<LevelKind>(kind))) continue;
        if (text.back() != '(') text += "+";
        text += name_of(static_cast<LevelKind>(kind));
    }
    return text + " " + std::to_string(nic.near_path.back().index) + ")";
}

std::vector<std::string> words(const std::vector<Nic>& nics) {
    std::vector<std::string> result;
    for (const Nic& nic : nics) result.push_back(words(nic));
    return result;
}

using Words = std::vector<std::string>;

TEST(Nics, HangBelowObjectsOfEveryKind) {
    EXPECT_EQ(words(machine("interleaved").nics()),
              (Words{"eth0 0000:02:00.0 ?, near numa 0 (package+numa 0)",
                     "mlx4_0 ib0 0000:41:00.0 fabric up, near numa 1 (package+numa 1)"}));
    EXPECT_EQ(words(machine("blades").nics()),
              (Words{"eth0 0001:07:00.0 ?, near group 3 (group 3)",
                     "mlx5_0 ib0 0002:01:00.0 fabric up, near numa 1 (group+numa 1)"}));
    EXPECT_EQ(words(machine("cluster-on-die").nics()),
              (Words{"mlx5_0 ib0 0000:81:00.0 fabric up, near numa 2 (numa+l3 2)"}));
    EXPECT_EQ(words(machine("clusters").nics()), (Words{"eth0 0000:01:00.0 ?, near l2 2 (l2 2)"}));
    EXPECT_EQ(words(machine("memory-tiers").nics()),
              (Words{"hfi1_0 ib0 0000:a1:00.0 fabric up, near numa 2 (package+numa 2)"}));
}

TEST(Nics, NearTheWholeMachine) {
    EXPECT_EQ(words(machine("shared-memory").nics()),
              (Words{"mlx4_0 ib0 ib1 0000:03:00.0 fabric up, near whole machine",
                     "eth0 0000:05:00.0 ?, near whole machine"}));
    // The only package is the machine.
    EXPECT_EQ(words(machine("hybrid").nics()), (Words{"eth0 0000:02:00.0 ?, near whole machine"}));
    for (const Nic& nic : machine("shared-memory").nics()) {
        EXPECT_FALSE(nic.local());
        EXPECT_TRUE(nic.near.everything());
    }
}

TEST(Nics, PackageWithoutCoresIsNoPlace) {
    EXPECT_EQ(words(machine("control-group").nics()),
              (Words{"eth0 0000:41:00.0 ?, near numa 1 (package+numa 1)",
                     "mlx5_0 ib0 0000:81:00.0 fabric up, near whole machine"}));
}

TEST(Nics, PortsAndDrivers) {
    const std::vector<Nic> nics = machine("two-nics").nics();
    EXPECT_EQ(words(nics), (Words{"mlx5_2 ib3 0000:21:00.0 fabric down, near numa 0 (group+numa 0)",
                                  "mlx5_0 ib0 ib1 0000:61:00.0 fabric up, near numa 1 (group+numa 1)",
                                  "mlx5_1 ib2 0000:e1:00.0 fabric up, near numa 3 (group+numa 3)",
                                  "0000:3e:00.0 ?, near package 0 (package 0)"}));
    EXPECT_EQ(nics[1].interfaces, (Words{"ib0", "ib1"}));
    EXPECT_EQ(nics[3].interfaces, Words{});
    EXPECT_EQ(words(machine("irregular").nics()),
              (Words{"mlx5_0 ib0 0000:a1:00.0 fabric ?, near numa 1 (package+numa+l3 0)"}));
}

TEST(Nics, SyntheticMachinesHaveNone) {
    EXPECT_TRUE(Machine::load("synthetic:package:2 core:2").nics().empty());
}

TEST(Nics, AreFoundByAnyName) {
    const Machine two = machine("two-nics");
    const auto named = [&](const char* list) { return words(two.nics_named(parse_nics(list))); };
    const std::string first = "mlx5_0 ib0 ib1 0000:61:00.0 fabric up, near numa 1 (group+numa 1)";
    for (const char* name : {"mlx5_0", "ib0", "ib1", "0000:61:00.0"}) EXPECT_EQ(named(name), Words{first});
    EXPECT_EQ(named("0000:3e:00.0,ib1"), (Words{"0000:3e:00.0 ?, near package 0 (package 0)", first}));
    EXPECT_EQ(named(""), Words{});
}

TEST(Nics, MayBePlacedOrMade) {
    const Machine two = machine("two-nics");
    const auto named = [&](const char* list) { return words(two.nics_named(parse_nics(list))); };
    EXPECT_EQ(named("ib0@package:1"),
              Words{"mlx5_0 ib0 ib1 0000:61:00.0 fabric up, near package 1 (package 1)"});
    EXPECT_EQ(named("eth7@numa:2"), Words{"eth7 ?, near numa 2 (group+numa 2)"});
    EXPECT_EQ(named("eth7@group:3,eth8@core:5"),
              (Words{"eth7 ?, near numa 3 (group+numa 3)", "eth8 ?, near core 5 (core+pu 5)"}));
    // Groups are counted over all depths, widest first.
    const Machine blades = machine("blades");
    EXPECT_EQ(words(blades.nics_named(parse_nics("a@group:1,b@group:2,c@group:9"))),
              (Words{"a ?, near numa 1 (group+numa 1)", "b ?, near group 2 (group 2)",
                     "c ?, near group 9 (group 9)"}));
    // Places that are the whole machine: the only package; a memory without cores of its own.
    EXPECT_EQ(words(machine("memory-tiers").nics_named(parse_nics("x@numa:4"))),
              Words{"x ?, near whole machine"});
    EXPECT_EQ(words(machine("clusters").nics_named(parse_nics("eth0@package:0"))),
              Words{"eth0 0000:01:00.0 ?, near whole machine"});
}

TEST(Nics, AbsentOnesMayBeLeftOut) {
    const Machine two = machine("two-nics");
    const auto present = [&](const char* list) { return words(two.nics_present(parse_nics(list))); };
    const std::string first = "mlx5_0 ib0 ib1 0000:61:00.0 fabric up, near numa 1 (group+numa 1)";
    EXPECT_EQ(present("ib7,mlx5_0,eth7@numa:4"), Words{first});
    EXPECT_EQ(present("ib7"), Words{});
}

TEST(Nics, UnknownNamesAndPlacesAreRefused) {
    const Machine two = machine("two-nics");
    const auto error = [&](const Machine& machine, const char* list) {
        return error_of([&] { machine.nics_named(parse_nics(list)); });
    };
    EXPECT_EQ(error(two, "mlx5_0,ib7"),
              "no NIC 'ib7' in this machine; it has: mlx5_2, mlx5_0, mlx5_1, 0000:3e:00.0");
    EXPECT_EQ(error(Machine::load("synthetic:core:2"), "ib0"), "no NIC 'ib0' in this machine; it has: none");
    EXPECT_EQ(error(two, "ib0@numa:4"), "this machine has 4 objects of level numa: numa 4 does not exist");
    EXPECT_EQ(error(two, "ib0@l3:0"), "this machine has 0 objects of level l3: l3 0 does not exist");
    EXPECT_EQ(error(machine("control-group"), "ib7@package:2"),
              "this machine has 3 objects of level package: package 2 has no cores");
    EXPECT_EQ(error(machine("control-group"), "ib7@numa:2"),
              "this machine has 3 objects of level numa: numa 2 has no cores");
}

/// "distance/nic", "-" when unknown.
std::string distance(const Machine& machine, const std::string& cores, const char* list) {
    const NicDistance near =
        machine.distance(machine.bound_to_cores(cores), machine.nics_named(parse_nics(list)));
    if (near.distance == unknown_distance) {
        EXPECT_EQ(near.nic, 0);
        return "-";
    }
    return std::to_string(near.distance) + "/" + std::to_string(near.nic);
}

TEST(NicDistances, CountLevelsToClimb) {
    const Machine two = machine("two-nics");  // cores 2-3 are numa 1, 6-7 numa 3; 0-3 are package 0
    const std::pair<const char*, const char*> both[] = {
        {"2", "0/0"},   {"3", "0/0"}, {"2-3", "0/0"}, {"0", "1/0"},   {"1-2", "1/0"},
        {"0-3", "1/0"}, {"6", "0/1"}, {"4", "1/1"},   {"5,7", "1/1"}, {"3-4", "2/0"},
        {"0,7", "2/0"}, {"all", "-"}, {"0-7", "-"}};
    for (const auto& [cores, expected] : both) {
        const std::string found = distance(two, cores, "mlx5_0,mlx5_1");
        EXPECT_EQ(found, expected) << cores;
        EXPECT_EQ(found, distance(two, cores, "mlx5_1,mlx5_0")) << "the order of the list counts";
    }
    EXPECT_EQ(distance(two, "2", "mlx5_1"), "2/0");
    EXPECT_EQ(distance(two, "2", "0000:3e:00.0"), "0/0");
    EXPECT_EQ(distance(two, "6", "0000:3e:00.0"), "1/0");
}

TEST(NicDistances, NumberDistinctPlaces) {
    const Machine two = machine("two-nics");
    // Three NICs at two places; and a place inside another.
    EXPECT_EQ(distance(two, "6", "mlx5_0,ib9@numa:1,mlx5_1"), "0/1");
    EXPECT_EQ(distance(two, "7", "a@core:7,b@package:0,c@package:1"), "0/1");
    EXPECT_EQ(distance(two, "6", "a@core:7,b@package:1"), "0/0");
}

TEST(NicDistances, ObjectsWithEqualCoresAreOneLevel) {
    // Package, NUMA node and L3 of package 2 are one; the machine is the next.
    const Machine irregular = machine("irregular");
    EXPECT_EQ(distance(irregular, "4", "mlx5_0"), "0/0");
    EXPECT_EQ(distance(irregular, "3", "mlx5_0"), "1/0");
    EXPECT_EQ(distance(irregular, "3", "x@core:0"), "2/0");  // core 0, package 0, then the Group of both
    const Machine blades = machine("blades");
    EXPECT_EQ(distance(blades, "0", "eth0"), "1/0");
    EXPECT_EQ(distance(blades, "4", "eth0"), "2/0");
    EXPECT_EQ(distance(blades, "15", "eth0"), "3/0");
}

TEST(NicDistances, NicsNearEverythingDoNotCount) {
    EXPECT_EQ(distance(machine("shared-memory"), "0", "mlx4_0,eth0"), "-");
    EXPECT_EQ(distance(machine("control-group"), "3", "mlx5_0,eth0"), "0/0");
    EXPECT_EQ(distance(machine("control-group"), "0", "mlx5_0,eth0"), "1/0");
    EXPECT_EQ(distance(machine("two-nics"), "0", ""), "-");
}

TEST(NicList, IsParsed) {
    EXPECT_EQ(parse_nics("mlx5_0, 0000:41:00.0 ,ib0@numa:1,x @ L3 : 12"),
              (std::vector<NamedNic>{{"mlx5_0", {}, 0},
                                     {"0000:41:00.0", {}, 0},
                                     {"ib0", LevelKind::numa, 1},
                                     {"x", LevelKind::l3, 12}}));
    EXPECT_TRUE(parse_nics(" ").empty());
}

TEST(NicList, BrokenEntriesAreNamed) {
    const std::pair<const char*, const char*> cases[] = {
        {",", "NIC '': a name"},           {"a,,b", "NIC '': a name"},
        {"@numa:1", "NIC '@numa:1'"},      {"a@numa", "write NAME@LEVEL:INDEX"},
        {"a@node:1", "levels: package"},   {"a@switch0:1", "levels: package"},
        {"a@nuna:1", "NIC 'a@nuna:1'"},    {"a@numa:", "must be a number"},
        {"a@numa:x", "must be a number"},  {"a@numa:-1", "must be a number"},
        {"a@numa:1x", "must be a number"}, {"a@numa:99999999999", "must be a number"}};
    for (const auto& [text, expected] : cases) {
        const std::string error = error_of([&, t = text] { parse_nics(t); });
        EXPECT_NE(error.find(expected), std::string::npos) << text << " -> " << error;
    }
}

/// The first names of the chosen NICs.
std::string names(const std::vector<Nic>& nics, const std::vector<int>& chosen) {
    std::string text;
    for (const int nic : chosen)
        text += (text.empty() ? "" : " ") + nics.at(static_cast<std::size_t>(nic)).name();
    return text;
}

TEST(NicChoice, FabricTransports) {
    const auto two = machine("two-nics").nics();
    const auto chosen = [](const std::vector<Nic>& nics, const NicChoice& choice) {
        return names(nics, fabric_nics(nics, choice));
    };
    EXPECT_EQ(chosen(two, {}), "mlx5_0 mlx5_1");  // mlx5_2 is down, 0000:3e:00.0 has no driver
    EXPECT_EQ(chosen(two, {{"mlx5_2", "ib2"}, {}, {}}), "mlx5_2 mlx5_1");  // requested, in any state
    EXPECT_EQ(chosen(two, {{"mlx9_9"}, {}, {}}), "");
    EXPECT_EQ(chosen(two, {{}, {"0000:61:00.0"}, {}}), "mlx5_1");
    EXPECT_EQ(chosen(two, {{}, {}, {{"eth0"}}}), "mlx5_0 mlx5_1");  // addresses do not matter to a fabric
    // A port of unknown state counts.
    EXPECT_EQ(chosen(machine("irregular").nics(), {}), "mlx5_0");
    // No fabric device: interfaces, as for IP.
    const auto ethernet = machine("clusters").nics();
    EXPECT_EQ(chosen(ethernet, {}), "eth0");
    EXPECT_EQ(chosen(ethernet, {{}, {}, {{"eth0", "lo"}}}), "eth0");
    EXPECT_EQ(chosen(ethernet, {{}, {}, {{"lo"}}}), "");
}

TEST(NicChoice, IpTransports) {
    const auto nics = machine("interleaved").nics();
    const auto chosen = [&](const NicChoice& choice) { return names(nics, ip_nics(nics, choice)); };
    EXPECT_EQ(chosen({}), "eth0 mlx4_0");  // ib0 is an interface too
    EXPECT_EQ(chosen({{"ib0"}, {}, {}}), "mlx4_0");
    EXPECT_EQ(chosen({{}, {"eth0", "lo"}, {}}), "mlx4_0");
    EXPECT_EQ(chosen({{"eth0"}, {"eth0"}, {}}), "eth0");  // Open MPI takes one list or the other
    EXPECT_EQ(chosen({{}, {}, {{"eth0", "wlan0"}}}), "eth0");
    EXPECT_EQ(chosen({{"ib0"}, {}, {{"eth0"}}}), "");
    EXPECT_EQ(chosen({{"mlx4_0"}, {}, {}}), "");  // no interface of that name
    const auto two = machine("two-nics").nics();
    EXPECT_EQ(names(two, ip_nics(two, {{"ib1"}, {}, {}})), "mlx5_0");
    EXPECT_EQ(names(two, ip_nics(two, {})), "mlx5_2 mlx5_0 mlx5_1");
}

TEST(Nics, DevicesAreListedAsUcxHasThem) {
    using Names = std::vector<std::string>;
    const std::pair<const char*, Names> cases[] = {
        {"mlx5_0:1", {"mlx5_0"}},
        {"mlx5_1, mlx5_2:1", {"mlx5_1", "mlx5_2"}},
        {"mlx5_1:1,", {"mlx5_1"}},
        {"mlx5_[1-3]", {"mlx5_1", "mlx5_2", "mlx5_3"}},
        {"mlx5_[9-11]:1,ib0", {"mlx5_9", "mlx5_10", "mlx5_11", "ib0"}},
        {"mlx5_[0-0]", {"mlx5_0"}},
        {"mlx5_[3-1]", {"mlx5_[3-1]"}},
        {"mlx5_[1]", {"mlx5_[1]"}},
        {"mlx5_[1-", {"mlx5_[1-"}},
        {"a[1-2]b[1-2]", {"a[1-2]b[1-2]"}},
        {"mlx5_0:[1-2]", {"mlx5_0", "mlx5_0"}},
        {"all", {}},
        {"", {}},
        {"^", {}}};
    for (const auto& [text, names] : cases) {
        NicChoice listed;
        add_devices(text, listed);
        EXPECT_EQ(listed.include, names) << text;
        EXPECT_TRUE(listed.exclude.empty()) << text;
        NicChoice others;
        add_devices(std::string("^") + text, others);
        EXPECT_EQ(others.exclude, *text == '^' ? Names{"^"} : names) << text;
        EXPECT_TRUE(others.include.empty()) << text;
    }
    NicChoice many;
    add_devices("m[0-4294967295]", many);
    EXPECT_EQ(many.include.size(), 128U);
}

}  // namespace
}  // namespace strata::topology::nic_test
