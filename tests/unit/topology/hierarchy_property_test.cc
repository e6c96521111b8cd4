#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include "records.h"
#include "strata/topology/hierarchy.h"

namespace strata::topology {
namespace {

using Records = std::vector<LocalityRecord>;
using Members = std::vector<int>;

/// Member lists of all groups with their level and object.
std::map<Members, std::pair<LevelKey, std::uint64_t>> sets_of(const Hierarchy& hierarchy) {
    std::map<Members, std::pair<LevelKey, std::uint64_t>> sets;
    for (const Group& group : hierarchy.groups) sets[group.members] = {group.level, group.object};
    return sets;
}

/// What the rules ask for, straight from their words and without any tree: every object that may split,
/// with the ranks on it; of those with the same ranks the lowest names the group.
std::map<Members, std::pair<LevelKey, std::uint64_t>> expected_sets(const Records& records,
                                                                    const HierarchySpec& spec) {
    const auto wanted = [&](LevelKey key) {
        return spec.levels.empty() || std::any_of(spec.levels.begin(), spec.levels.end(),
                                                  [&](const LevelPattern& p) { return p.matches(key); });
    };
    // All objects by their whole path from the outside in, a longer path being a lower object.
    using Path = std::vector<std::tuple<int, std::uint64_t>>;
    struct Object {
        std::size_t position;
        std::uint16_t kinds;
        int height;
        std::uint64_t id;
        Members ranks;
    };
    std::map<Path, Object> objects;
    for (std::size_t r = 0; r < records.size(); ++r) {
        const LocalityRecord& record = records[r];
        Path path;
        const auto visit = [&](int category, std::uint64_t key, std::uint16_t kinds, int height,
                               std::uint64_t id) {
            path.emplace_back(category, key);
            Object& object = objects.try_emplace(path, Object{path.size(), kinds, 0, id, {}}).first->second;
            object.height = std::max(object.height, height);
            object.ranks.push_back(static_cast<int>(r));
        };
        visit(0, 0, 1U << static_cast<int>(LevelKind::cluster), 0, 0);
        for (std::size_t i = 0; i < record.network_path.size(); ++i) {
            visit(1, record.network_path[i], 1U << static_cast<int>(LevelKind::switch_),
                  static_cast<int>(record.network_path.size() - 1 - i), record.network_path[i]);
        }
        visit(2, record.node_id, 1U << static_cast<int>(LevelKind::node), 0, record.node_id);
        for (const HardwareObject& object : record.hardware_path) {
            visit(3, (std::uint64_t{object.kinds} << 16) | object.index, object.kinds, 0, object.index);
        }
    }
    std::map<Members, std::pair<LevelKey, std::uint64_t>> sets;
    std::map<Members, std::size_t> position_of;
    for (const auto& [path, object] : objects) {
        std::vector<LevelKey> keys;
        std::vector<LevelKey> all;
        for (int kind = 0; kind < level_kind_count; ++kind) {
            if (((object.kinds >> kind) & 1) == 0) continue;
            const LevelKey key{static_cast<LevelKind>(kind), static_cast<std::uint8_t>(object.height)};
            all.push_back(key);
            if (wanted(key)) keys.push_back(key);
        }
        const bool top = object.ranks.size() == records.size();
        if (keys.empty() && !top) continue;
        if (keys.empty()) keys = all;
        LevelKey lowest = keys.back();
        const LevelKey core{LevelKind::core, 0};
        if (std::find(keys.begin(), keys.end(), core) != keys.end()) lowest = core;
        std::size_t& position = position_of[object.ranks];
        if (object.position < position) continue;
        position = object.position;
        sets[object.ranks] = {lowest, object.id};
    }
    return sets;
}

Members permuted(const Members& members, const std::vector<int>& new_rank) {
    Members result;
    for (const int rank : members) result.push_back(new_rank[static_cast<std::size_t>(rank)]);
    std::sort(result.begin(), result.end());
    return result;
}

void check_leaders(const Hierarchy& hierarchy, const Records& records) {
    for (const Group& group : hierarchy.groups) {
        const auto best = std::min_element(group.members.begin(), group.members.end(), [&](int a, int b) {
            return records[static_cast<std::size_t>(a)].nic_distance <
                   records[static_cast<std::size_t>(b)].nic_distance;
        });
        EXPECT_EQ(group.leader, *best);
    }
}

void check_queries(const Hierarchy& hierarchy, std::mt19937& random) {
    const int count = static_cast<int>(hierarchy.groups.size());
    for (int i = 0; i < 10; ++i) {
        const int group = static_cast<int>(random() % static_cast<unsigned>(count));
        const int a = static_cast<int>(random() % static_cast<unsigned>(hierarchy.ranks()));
        const int b = static_cast<int>(random() % static_cast<unsigned>(hierarchy.ranks()));
        const auto holds = [&](int g, int rank) {
            const Members& members = hierarchy.groups[static_cast<std::size_t>(g)].members;
            return std::binary_search(members.begin(), members.end(), rank);
        };
        EXPECT_EQ(hierarchy.contains(group, a), holds(group, a));
        int lowest = 0;
        for (int g = 0; g < count; ++g) {
            if (holds(g, a) && holds(g, b)) lowest = g;  // parents stand first
        }
        EXPECT_EQ(hierarchy.lowest_common_group(a, b), lowest);
    }
}

/// Everything that must hold for any set of records.
void check(const Records& records, const HierarchySpec& spec, std::mt19937& random) {
    const Hierarchy hierarchy = build_hierarchy(records, spec);
    ASSERT_EQ(validate(hierarchy), "");
    ASSERT_EQ(sets_of(hierarchy).size(), hierarchy.groups.size());
    ASSERT_EQ(sets_of(hierarchy), expected_sets(records, spec));
    check_leaders(hierarchy, records);
    check_queries(hierarchy, random);

    std::vector<int> new_rank(records.size());
    std::iota(new_rank.begin(), new_rank.end(), 0);
    std::shuffle(new_rank.begin(), new_rank.end(), random);
    Records shuffled(records.size());
    for (std::size_t i = 0; i < records.size(); ++i)
        shuffled[static_cast<std::size_t>(new_rank[i])] = records[i];
    std::map<Members, std::pair<LevelKey, std::uint64_t>> moved;
    for (const auto& [members, name] : sets_of(hierarchy)) moved[permuted(members, new_rank)] = name;
    const Hierarchy other = build_hierarchy(shuffled, spec);
    ASSERT_EQ(sets_of(other), moved);
    ASSERT_EQ(other.levels(), hierarchy.levels());
}

std::vector<std::uint32_t> random_switches(std::mt19937& random, unsigned style, unsigned node) {
    switch (style) {
        case 0: return {};
        case 1: return {100, node % 2};
        case 2: return {200 + node % 2, 300 + node % 4, 400 + node % 8};
        default:
            return random() % 4 == 0 ? std::vector<std::uint32_t>{}
                                     : std::vector<std::uint32_t>{7, 8 + node % 3};
    }
}

HierarchySpec random_spec(std::mt19937& random) {
    HierarchySpec spec;
    if (random() % 2 == 0) return spec;
    for (int kind = 1; kind < level_kind_count; ++kind) {
        if (random() % 2 == 0) continue;
        LevelPattern pattern{static_cast<LevelKind>(kind), {}};
        if (pattern.kind == LevelKind::switch_ && random() % 2 == 0) pattern.height = random() % 3;
        spec.levels.push_back(pattern);
    }
    return spec;
}

void check_random_jobs(const std::vector<Machine>& machines, int rounds, unsigned seed) {
    std::mt19937 random(seed);
    for (int round = 0; round < rounds && !::testing::Test::HasFatalFailure(); ++round) {
        SCOPED_TRACE("round " + std::to_string(round));
        const unsigned nodes = 1 + random() % 9;
        const unsigned style = random() % 4;
        const bool has_cards = random() % 3 != 0;
        struct Node {
            const Machine* machine;
            std::vector<std::uint32_t> switches;
        };
        std::vector<Node> cluster;
        for (unsigned n = 0; n < nodes; ++n) {
            cluster.push_back({&machines[random() % machines.size()], random_switches(random, style, n)});
        }
        Records records;
        const unsigned ranks = 1 + random() % 40;
        for (unsigned i = 0; i < ranks; ++i) {
            const unsigned n = random() % nodes;
            const Machine& machine = *cluster[n].machine;
            records.push_back(testing::record_on(machine, "n" + std::to_string(n),
                                                 testing::random_binding(random, machine.cores()),
                                                 cluster[n].switches));
            if (has_cards) records.back().nic_distance = static_cast<std::uint8_t>(random() % 4);
        }
        check(records, random_spec(random), random);
    }
}

TEST(HierarchyProperties, RandomMachinesBindingsAndRankSets) {
    std::vector<Machine> machines;
    for (const std::string& description : testing::odd_machines())
        machines.push_back(Machine::load(description));
    check_random_jobs(machines, 4000, 20);
}

/// Random nested paths that no machine produced: build_hierarchy must not rely on hwloc's habits.
TEST(HierarchyProperties, RandomPaths) {
    std::mt19937 random(21);
    for (int round = 0; round < 2000 && !::testing::Test::HasFatalFailure(); ++round) {
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
        check(records, random_spec(random), random);
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
    std::vector<Machine> machines;
    for (const std::filesystem::path& file : files) {
        SCOPED_TRACE(file.filename().string());
        machines.push_back(Machine::load(file.string()));
        const Machine& machine = machines.back();
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
        check_random_jobs({machine}, 20, 22);
    }
    check_random_jobs(machines, 300, 23);
    std::printf("%zu recorded machines\n", files.size());
}

TEST(HierarchyProperties, PrintsItsSpeed) {
    const Machine machine = Machine::load("synthetic:package:2 group:4 [numa] l3:2 l2:8 core:1 pu:1");
    std::vector<std::vector<HardwareObject>> paths;
    for (int core = 0; core < machine.cores(); ++core)
        paths.push_back(machine.path_of_cores(std::to_string(core)));
    const auto build = [&](std::size_t ranks) {
        Records records(ranks);
        for (std::size_t i = 0; i < ranks; ++i) {
            const std::size_t node = i / paths.size();
            records[i].node_id = stable_hash("n" + std::to_string(node));
            records[i].network_path = {0, static_cast<std::uint32_t>(1 + node / 512),
                                       static_cast<std::uint32_t>(100 + node / 16)};
            records[i].hardware_path = paths[i % paths.size()];
        }
        const auto start = std::chrono::steady_clock::now();
        const Hierarchy hierarchy = build_hierarchy(records);
        const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
        EXPECT_EQ(hierarchy.ranks(), static_cast<int>(ranks));
        EXPECT_EQ(validate(hierarchy), "");
        std::printf("%zu ranks: %zu groups of depth %d in %.1f ms\n", ranks, hierarchy.groups.size(),
                    hierarchy.depth(), took.count());
    };
    build(10000);
    const char* const large = std::getenv("STRATA_LARGE");
    if (large != nullptr && *large != '\0') build(1000000);
}

}  // namespace
}  // namespace strata::topology
