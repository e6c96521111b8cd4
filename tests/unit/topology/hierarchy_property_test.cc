#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "properties.h"
#include "random_jobs.h"
#include "records.h"
#include "topology/leaders.h"

namespace strata::topology::hierarchy_property_test {
namespace {

using testing::Records;

/// Everything that must hold for any set of records.
void check(const Records& records, const HierarchySpec& spec, std::mt19937& random) {
    const Hierarchy hierarchy = build_hierarchy(records, spec);
    ASSERT_EQ(validate(hierarchy), "");
    ASSERT_EQ(testing::sets_of(hierarchy), testing::expected_sets(records, spec));
    testing::check_nesting(hierarchy, random);
    testing::check_leaders(hierarchy, records, spec.election);
    testing::check_receivers(hierarchy, records, spec.election);
    testing::check_walk(hierarchy, records, spec.election);
    testing::check_purity(hierarchy, records, spec);
    testing::check_permutation(hierarchy, records, spec, random);
}

bool failed() { return ::testing::Test::HasFailure(); }

// New machines for every job, so that no test depends on a hand-written list.
TEST(HierarchyProperties, RandomMachinesBindingsAndRankSets) {
    std::mt19937 random(20);
    int drawn = 0;
    for (int round = 0; round < 10000 && !failed(); ++round) {
        std::string words;
        std::vector<testing::RandomMachine> machines;
        const unsigned count = 1 + testing::below(random, 3);
        for (unsigned i = 0; i < count; ++i) machines.push_back(testing::random_machine(random, words));
        drawn += static_cast<int>(count);
        SCOPED_TRACE("round " + std::to_string(round) + words);
        const Records records = testing::random_job(random, machines);
        check(records, testing::random_spec(random), random);
    }
    std::printf("%d random machines\n", drawn);
}

TEST(HierarchyProperties, OddMachines) {
    std::vector<testing::RandomMachine> machines;
    for (const std::string& description : testing::odd_machines()) {
        machines.push_back({Machine::load(description), {}, {}});
    }
    std::mt19937 random(24);
    for (int round = 0; round < 1000 && !failed(); ++round) {
        SCOPED_TRACE("round " + std::to_string(round));
        const Records records = testing::random_job(random, machines);
        check(records, testing::random_spec(random), random);
    }
}

/// Random nested paths that no machine produced: build_hierarchy must not rely on hwloc's habits.
TEST(HierarchyProperties, RandomPaths) {
    std::mt19937 random(21);
    for (int round = 0; round < 2000 && !failed(); ++round) {
        SCOPED_TRACE("round " + std::to_string(round));
        Records records(1 + random() % 30);
        const unsigned nodes = 1 + random() % 4;
        for (LocalityRecord& record : records) {
            record.node_id = random() % nodes;
            record.network_path.assign(record.node_id % 3, static_cast<std::uint32_t>(record.node_id % 2));
            const std::size_t depth = random() % 6;
            for (std::size_t i = 0; i < depth; ++i) {
                const auto kinds = static_cast<std::uint16_t>(0x8U << (i + random() % 2));
                record.hardware_path.push_back({kinds, static_cast<std::uint16_t>(random() % 3)});
            }
        }
        check(records, testing::random_spec(random), random);
    }
}

/// Where several are equally near, the hashed tie-break rotates leadership: over many seeds every one
/// leads.
TEST(HierarchyProperties, SpreadingReachesAllThatAreEquallyNear) {
    Records records(6);
    for (LocalityRecord& record : records) record.nics[0].distance = 1;
    records[2].nics[0].distance = 0;
    records[4].nics[0].distance = 0;
    std::vector<int> led(records.size(), 0);
    HierarchySpec spec;
    spec.election.spread = true;
    for (spec.election.seed = 0; spec.election.seed < 64; ++spec.election.seed) {
        ++led[static_cast<std::size_t>(build_hierarchy(records, spec).groups[0].leader)];
    }
    EXPECT_GT(led[2], 8);
    EXPECT_GT(led[4], 8);
    EXPECT_EQ(led[2] + led[4], 64);
}

/// Holds for any steps in the numbering of communicators.
TEST(HierarchyProperties, TieBreaksAreUniform) {
    for (std::uint64_t step = 1; step <= 64; ++step) {
        int drawn[4] = {};
        for (std::uint64_t i = 0; i < 256; ++i) ++drawn[tie_break_of(3 + i * step)];
        for (const int times : drawn) EXPECT_GE(times, 32) << "steps of " << step;
    }
}

/// A folder of machines exported by lstopo, named by STRATA_TOPOLOGIES: the same checks on real hardware.
TEST(HierarchyProperties, RecordedMachines) {
    const char* const folder = std::getenv("STRATA_TOPOLOGIES");
    if (folder == nullptr || *folder == '\0')
        GTEST_SKIP() << "STRATA_TOPOLOGIES names no folder of XML machines";
    std::vector<std::filesystem::path> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
        if (entry.path().extension() == ".xml") files.push_back(entry.path());
    }
    ASSERT_FALSE(files.empty()) << "no XML file in " << folder;
    std::sort(files.begin(), files.end());
    std::mt19937 random(22);
    std::vector<testing::RandomMachine> machines;
    for (const std::filesystem::path& file : files) {
        SCOPED_TRACE(file.filename().string());
        machines.push_back({Machine::load(file.string()), {}, {}});
        const Machine& machine = machines.back().machine;
        ASSERT_GT(machine.cores(), 0);
        Records records;
        for (int core = 0; core < machine.cores(); ++core) {
            records.push_back(testing::record_on(machine, "n", std::to_string(core)));
            const std::vector<HardwareObject>& path = records.back().hardware_path;
            ASSERT_TRUE(machine.cores() == 1 || !path.empty());
            EXPECT_EQ(path.back().kind(), LevelKind::core);
            EXPECT_EQ(path.back().index, core);
        }
        const Hierarchy hierarchy = build_hierarchy(records);
        EXPECT_EQ(validate(hierarchy), "");
        for (const int stop : hierarchy.stop) {
            EXPECT_EQ(hierarchy.groups[static_cast<std::size_t>(stop)].members.size(), 1U);
        }
        for (int round = 0; round < 20 && !failed(); ++round) {
            check(testing::random_job(random, {&machines.back(), 1}), testing::random_spec(random), random);
        }
    }
    for (int round = 0; round < 300 && !failed(); ++round) {
        check(testing::random_job(random, machines), testing::random_spec(random), random);
    }
    std::printf("%zu recorded machines\n", files.size());
}

TEST(HierarchyProperties, PrintsItsSpeed) {
    const Machine machine = Machine::load("synthetic:package:2 group:4 [numa] l3:2 l2:8 core:1 pu:1");
    std::vector<std::vector<HardwareObject>> paths;
    for (int core = 0; core < machine.cores(); ++core)
        paths.push_back(machine.path_of(machine.bound_to_cores(std::to_string(core))));
    const auto build = [&](std::size_t ranks, const char* hint) {
        Records records(ranks);
        for (std::size_t i = 0; i < ranks; ++i) {
            const std::size_t node = i / paths.size();
            records[i].node_id = stable_hash("n" + std::to_string(node));
            records[i].network_path = {0, static_cast<std::uint32_t>(1 + node / 512),
                                       static_cast<std::uint32_t>(100 + node / 16)};
            records[i].hardware_path = paths[i % paths.size()];
        }
        HierarchySpec spec;
        if (hint != nullptr) spec.hint = parse_hierarchy_hint(hint);
        const auto start = std::chrono::steady_clock::now();
        const Hierarchy hierarchy = build_hierarchy(records, spec);
        const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
        EXPECT_EQ(hierarchy.ranks(), static_cast<int>(ranks));
        EXPECT_EQ(validate(hierarchy), "");
        std::printf("%zu ranks, hint %s: %zu groups of depth %d in %.1f ms\n", ranks,
                    hint != nullptr ? hint : "none given", hierarchy.groups.size(), hierarchy.depth(),
                    took.count());
    };
    const char* const custom = "core,l3:2,numa?10,socket+socket:2,[0..999]:4,node,switch";
    const char* const large = std::getenv("STRATA_LARGE");
    for (const char* const hint : {static_cast<const char*>(nullptr), custom}) {
        build(10000, hint);
        if (large != nullptr && *large != '\0') build(1000000, hint);
    }
}

}  // namespace
}  // namespace strata::topology::hierarchy_property_test
