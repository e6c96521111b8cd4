#include "topology/machine.h"

#include <gtest/gtest.h>
#include <hwloc.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "errors.h"
#include "records.h"

namespace strata::topology::machine_test {
namespace {

/// "package+numa+l3:1 core+pu:4"
std::string words(const std::vector<HardwareObject>& path) {
    std::string text;
    for (const HardwareObject& object : path) {
        if (!text.empty()) text += " ";
        std::string kinds;
        for (int kind = 0; kind < level_kind_count; ++kind) {
            if (!object.has(static_cast<LevelKind>(kind))) continue;
            if (!kinds.empty()) kinds += "+";
            kinds += name_of(static_cast<LevelKind>(kind));
        }
        text += kinds + ":" + std::to_string(object.index);
    }
    return text;
}

TEST(Machine, EqualCpusetsAreOneObject) {
    const Machine machine = Machine::load(testing::paper_node);
    EXPECT_EQ(machine.cores(), 8);
    EXPECT_EQ(words(machine.path_of(machine.bound_to_cores("5"))), "package+numa+l3:1 l2+l1:2 core+pu:5");
    EXPECT_EQ(words(machine.path_of(machine.bound_to_cores("2-3"))), "package+numa+l3:0 l2+l1:1");
    EXPECT_EQ(words(machine.path_of(machine.bound_to_cores("4,7"))), "package+numa+l3:1");
    EXPECT_EQ(words(machine.path_of(machine.bound_to_cores("3-4"))), "");
}

TEST(Machine, IsReadFromNothingThatHasNoEnd) {
    const auto error = [](const std::string& path) { return error_of([&] { Machine::load(path); }); };
    EXPECT_EQ(error("/dev/zero"), "hwloc cannot read '/dev/zero' as an XML topology: it is a device");
    EXPECT_EQ(error("/tmp"), "hwloc cannot read '/tmp' as an XML topology: it is a directory");
    const std::string path = ::testing::TempDir() + "strata_machine";
    const std::string begin = "hwloc cannot read '" + path + "' as an XML topology";
    std::filesystem::remove(path);
    ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
    EXPECT_EQ(error(path), begin + ": it is a named pipe");
    std::filesystem::remove(path);
    std::ofstream(path) << "<topology";
    EXPECT_EQ(error(path), begin + ": line 1: a tag does not end");
    std::filesystem::resize_file(path, std::uintmax_t{65} << 20);  // sparse
    EXPECT_EQ(error(path), begin + ": it is longer than 67108864 bytes");
    std::filesystem::remove(path);
}

TEST(Machine, UnboundAndWholeMachineAreEmpty) {
    const Machine machine = Machine::load(testing::paper_node);
    for (const char* all : {"", "all", "0-7", "0-"}) {
        EXPECT_TRUE(machine.path_of(machine.bound_to_threads(all)).empty()) << all;
        EXPECT_TRUE(machine.path_of(machine.bound_to_cores(all)).empty()) << all;
    }
}

TEST(Machine, ObjectsThatAreTheWholeMachineAreLeftOut) {
    const Machine machine = Machine::load("synthetic:package:1 l3:1 core:6 pu:2");
    EXPECT_EQ(words(machine.path_of(machine.bound_to_cores("3"))), "core:3");
    EXPECT_EQ(words(machine.path_of(machine.bound_to_threads("7"))), "core:3 pu:7");
    const Machine single = Machine::load("synthetic:core:1 pu:1");
    EXPECT_EQ(words(single.path_of(single.bound_to_cores("0"))), "");
}

TEST(Machine, CpusetsAreOperatingSystemIndices) {
    const Machine machine = Machine::load("synthetic:package:3 core:2 pu:2(indexes=2*6:6*1)");
    // Second threads are numbered from 6 on, as on most machines: core 1 owns 1 and 7.
    EXPECT_EQ(words(machine.path_of(machine.bound_to_cores("1"))), "package:0 core:1");
    EXPECT_EQ(words(machine.path_of(machine.bound_to_threads("1,7"))), "package:0 core:1");
    EXPECT_EQ(words(machine.path_of(machine.bound_to_threads("7"))), "package:0 core:1 pu:3");
    EXPECT_EQ(words(machine.path_of(machine.bound_to_threads("0-1"))), "package:0");
}

TEST(Machine, OfflineThreadsAreIgnored) {
    const Machine machine = Machine::load("synthetic:package:2 core:2");
    EXPECT_EQ(words(machine.path_of(machine.bound_to_threads("1,70"))),
              words(machine.path_of(machine.bound_to_threads("1"))));
    EXPECT_EQ(words(machine.path_of(machine.bound_to_threads("2-4000000000"))), "package:1");
    EXPECT_NE(error_of([&] { machine.path_of(machine.bound_to_threads("70")); }).find("no hardware thread"),
              std::string::npos);
    EXPECT_NE(error_of([&] { machine.path_of(machine.bound_to_threads("4-")); }).find("no hardware thread"),
              std::string::npos);
}

TEST(Machine, NumaNodesWithTheSameCoresCountOnce) {
    const Machine machine = Machine::load("synthetic:package:2 group:2 [numa] [numa] l2:2 core:2");
    EXPECT_EQ(words(machine.path_of(machine.bound_to_cores("6"))), "package:0 group+numa:2 l2:3 core+pu:6");
}

TEST(Machine, NumaNodeOverSeveralPackages) {
    const Machine machine = Machine::load("synthetic:numa:2 package:4 l3:1 core:2");
    EXPECT_EQ(words(machine.path_of(machine.bound_to_cores("9"))), "group+numa:1 package+l3:4 core+pu:9");
}

TEST(Machine, GroupsAtSeveralDepthsHaveDistinctIndices) {
    const Machine machine = Machine::load("synthetic:[numa] package:4 group:2 group:2 core:2");
    EXPECT_EQ(words(machine.path_of(machine.bound_to_cores("0"))), "package:0 group:0 group:8 core+pu:0");
    EXPECT_EQ(words(machine.path_of(machine.bound_to_cores("31"))), "package:3 group:7 group:23 core+pu:31");
}

TEST(Machine, UnreadableListsAreRefused) {
    const Machine machine = Machine::load("synthetic:package:2 core:2");
    for (const char* list :
         {"x", "1-2-3", "3-1", "1,,2", ",", "-", "-1", "1 2", "0x3", "99999999999", "1,", "4294967295"}) {
        const std::string error = error_of([&] { machine.path_of(machine.bound_to_threads(list)); });
        EXPECT_NE(error.find("is no list of indices"), std::string::npos) << list << " -> " << error;
        EXPECT_THROW(machine.path_of(machine.bound_to_cores(list)), std::invalid_argument) << list;
    }
    EXPECT_EQ(error_of([&] { machine.path_of(machine.bound_to_cores("2-9")); }),
              "core 4 of '2-9' does not exist: this machine has 4");
    EXPECT_EQ(error_of([&] { machine.path_of(machine.bound_to_cores("7")); }),
              "core 7 of '7' does not exist: this machine has 4");
    EXPECT_THROW(machine.path_of(machine.bound_to_cores("7-")), std::invalid_argument);
}

TEST(Machine, UnreadableDescriptionsAreRefused) {
    EXPECT_NE(error_of([] { Machine::load("synthetic:nonsense:2"); }).find("'nonsense:2'"),
              std::string::npos);
    EXPECT_NE(error_of([] { Machine::load("no_such_file.xml"); }).find("neither a file nor"),
              std::string::npos);
    EXPECT_NE(error_of([] { Machine::load(""); }).find("neither a file nor"), std::string::npos);
    EXPECT_NE(error_of([] { Machine::load(::testing::TempDir()); }).find("as an XML topology"),
              std::string::npos);
    const std::string path = ::testing::TempDir() + "strata_broken.xml";
    std::ofstream(path) << "<topology><object type=\"Machine\"";
    EXPECT_NE(error_of([&] { Machine::load(path); }).find("as an XML topology"), std::string::npos);
    std::filesystem::remove(path);
}

/// Inputs for which hwloc would need too much memory or time: it builds every object.
TEST(Machine, SyntheticDescriptionsOfTooManyObjectsAreRefused) {
    for (const char* const large :
         {"core:100000000", "core:70000", "core:8192", "core:8191 pu:2", "package:2 core:4 pu:4000",
          "100000000", "2 16384", "package:2(memory=1) core:16384(indexes=0) pu:1", "core:0x4000",
          "core:+16384", "pack:2[numa]core:9000", "core:4294967296 pu:4294967296 pu:4294967296",
          "pu:4096 [numa] [numa] [numa]", "(memory=1) core:100000000", "core:-1"}) {
        const std::string called = "'" + std::string(large) + "'";
        EXPECT_EQ(error_of([&] { Machine::load("synthetic:" + std::string(large)); }),
                  called + " has more than 16384 objects");
        EXPECT_EQ(error_of([&] { Machine::load(large); }),
                  called + " is no file, and as a synthetic description it has more than 16384 objects");
    }
    EXPECT_EQ(Machine::load("synthetic:package:16 core:64 pu:2").processors(), 2048);
    EXPECT_EQ(Machine::load("synthetic:pack:0x2 [numa] core:010 pu:+3").processors(), 48);
}

TEST(Machine, XmlGivesTheSamePaths) {
    const std::string path = ::testing::TempDir() + "strata_machine.xml";
    for (const std::string& description : testing::odd_machines()) {
        hwloc_topology_t topology = nullptr;
        ASSERT_EQ(hwloc_topology_init(&topology), 0);
        const std::string synthetic = description.substr(10);
        ASSERT_EQ(hwloc_topology_set_synthetic(topology, synthetic.c_str()), 0) << description;
        ASSERT_EQ(hwloc_topology_load(topology), 0);
        ASSERT_EQ(hwloc_topology_export_xml(topology, path.c_str(), 0), 0);
        const Machine borrowed = Machine::borrow(topology);
        const Machine from_xml = Machine::load(path);
        const Machine plain = Machine::load(description.substr(10));
        ASSERT_EQ(from_xml.cores(), borrowed.cores()) << description;
        for (int core = 0; core < borrowed.cores(); ++core) {
            const std::string list = std::to_string(core);
            EXPECT_EQ(words(from_xml.path_of(from_xml.bound_to_cores(list))),
                      words(borrowed.path_of(borrowed.bound_to_cores(list))))
                << description;
            EXPECT_EQ(words(plain.path_of(plain.bound_to_cores(list))),
                      words(borrowed.path_of(borrowed.bound_to_cores(list))))
                << description;
        }
        hwloc_topology_destroy(topology);
    }
    std::filesystem::remove(path);
}

TEST(Machine, SyntheticMachineIgnoresTheEnvironment) {
    ::setenv("HWLOC_SYNTHETIC", "package:7 core:3", 1);
    ::setenv("HWLOC_THISSYSTEM", "1", 1);
    EXPECT_EQ(Machine::load("synthetic:package:2 core:2").cores(), 4);
    ::unsetenv("HWLOC_SYNTHETIC");
    ::unsetenv("HWLOC_THISSYSTEM");
}

TEST(Machine, PathOfThisProcess) {
    EXPECT_TRUE(Machine::load(testing::paper_node).binding_of_this_process().everything());
    hwloc_topology_t topology = nullptr;
    ASSERT_EQ(hwloc_topology_init(&topology), 0);
    ASSERT_EQ(hwloc_topology_load(topology), 0);
    const Machine machine = Machine::borrow(topology);
    hwloc_bitmap_t before = hwloc_bitmap_alloc();
    ASSERT_EQ(hwloc_get_cpubind(topology, before, HWLOC_CPUBIND_PROCESS), 0);
    const hwloc_obj_t thread = hwloc_get_obj_inside_cpuset_by_type(topology, before, HWLOC_OBJ_PU, 0);
    ASSERT_NE(thread, nullptr);
    ASSERT_EQ(hwloc_set_cpubind(topology, thread->cpuset, HWLOC_CPUBIND_PROCESS), 0);
    EXPECT_EQ(words(machine.path_of(machine.binding_of_this_process())),
              words(machine.path_of(machine.bound_to_threads(std::to_string(thread->os_index)))));
    ASSERT_EQ(hwloc_set_cpubind(topology, before, HWLOC_CPUBIND_PROCESS), 0);
    hwloc_bitmap_free(before);
    hwloc_topology_destroy(topology);
}

TEST(Placement, IsParsed) {
    const auto places = parse_placement("0;1; 2-3,8@n0 ;all@n1.org");
    ASSERT_EQ(places.size(), 4U);
    EXPECT_EQ(places[0].cores, "0");
    EXPECT_EQ(places[0].node, "");
    EXPECT_EQ(places[2].cores, "2-3,8");
    EXPECT_EQ(places[2].node, "n0");
    EXPECT_EQ(places[3].cores, "all");
    EXPECT_EQ(places[3].node, "n1.org");
}

TEST(Placement, BrokenEntriesAreNamed) {
    const std::pair<const char*, const char*> cases[] = {{"", "placement entry 1 ('')"},
                                                         {"0;;1", "placement entry 2 ('')"},
                                                         {"0;", "placement entry 2 ('')"},
                                                         {"0;x", "placement entry 2 ('x')"},
                                                         {"@n1", "placement entry 1 ('@n1')"},
                                                         {"0;1;2@", "placement entry 3 ('2@')"},
                                                         {"3-1", "runs backwards"},
                                                         {"0@a@b", "placement entry 1 ('0@a@b')"},
                                                         {"0@a b", "placement entry 1"},
                                                         {"ALL", "placement entry 1"}};
    for (const auto& [text, expected] : cases) {
        const std::string error = error_of([&, t = text] { parse_placement(t); });
        EXPECT_NE(error.find(expected), std::string::npos) << text << " -> " << error;
    }
}

TEST(Machine, ProcessorsAreHardwareThreads) {
    EXPECT_EQ(Machine::load("synthetic:package:2 core:4 pu:2").processors(), 16);
    EXPECT_EQ(Machine::load("synthetic:core:3").processors(), 3);
}

TEST(Machine, IsUniformWithOnePackageAndOneMemory) {
    for (const char* uniform : {"core:4", "package:1 core:4 pu:2", "package:1 numa:1 l3:2 core:4"}) {
        EXPECT_TRUE(Machine::load("synthetic:" + std::string(uniform)).is_uniform()) << uniform;
    }
    for (const char* other : {"package:2 core:4", "package:1 numa:2 core:4", "numa:2 core:4"}) {
        EXPECT_FALSE(Machine::load("synthetic:" + std::string(other)).is_uniform()) << other;
    }
}

TEST(Machine, HasTheSameProcessorsWithoutItsDevices) {
    const Machine whole = Machine::running();
    const Machine processors = Machine::running_processors();
    EXPECT_EQ(processors.processors(), whole.processors());
    EXPECT_EQ(processors.is_uniform(), whole.is_uniform());
    for (int thread = -1; thread < whole.processors(); ++thread) {
        const std::string bound = thread < 0 ? "all" : std::to_string(thread);
        EXPECT_EQ(words(processors.path_of(processors.bound_to_threads(bound))),
                  words(whole.path_of(whole.bound_to_threads(bound))))
            << bound;
    }
}

}  // namespace
}  // namespace strata::topology::machine_test
