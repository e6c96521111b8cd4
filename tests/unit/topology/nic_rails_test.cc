#include "topology/nic_rails.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "random_jobs.h"
#include "records.h"

namespace strata::topology::nic_rails_test {
namespace {

/// Two packages, each one NUMA domain of four cores; NICs near the first and the last domain.
struct Process {
    const char* node;
    const char* cores;
    int nic;  ///< local to this NIC; -1: to none
};

std::vector<LocalityRecord> records_of(const std::vector<Process>& processes) {
    const Machine machine = Machine::load("synthetic:numa:4 core:4 pu:1");
    std::vector<LocalityRecord> records;
    for (const Process& process : processes) {
        LocalityRecord record = testing::record_on(machine, process.node, process.cores);
        const auto nic = static_cast<std::uint8_t>(std::max(0, process.nic));
        record.nics.fill({process.nic < 0 ? std::uint8_t{2} : std::uint8_t{0}, nic});
        records.push_back(record);
    }
    return records;
}

NicRails rails_of(const std::vector<LocalityRecord>& records, const Election& election = {}) {
    return nic_rails(build_hierarchy(records, {{}, election}), records, election);
}

/// Leaders of the nodes (children of the top), rail after rail.
std::vector<std::vector<int>> node_leaders(const NicRails& rails) {
    std::vector<std::vector<int>> leaders;
    for (const Hierarchy& tree : rails.trees) {
        std::vector<int>& own = leaders.emplace_back();
        for (const int node : tree.groups.front().children) {
            own.push_back(tree.groups[static_cast<std::size_t>(node)].leader);
        }
    }
    return leaders;
}

using Leaders = std::vector<std::vector<int>>;

const std::vector<Process> two_by_two = {{"a", "0", 0},  {"a", "5", -1}, {"a", "12", 1}, {"a", "13", 1},
                                         {"b", "13", 1}, {"b", "1", 0},  {"b", "0", 0},  {"b", "6", -1}};

TEST(NicRails, ALeaderPerNicAndNode) {
    const NicRails rails = rails_of(records_of(two_by_two));
    ASSERT_EQ(rails.count(), 2);
    EXPECT_EQ(node_leaders(rails), (Leaders{{0, 5}, {2, 4}}));
    // One far process goes to each rail.
    EXPECT_EQ(rails.of_rank, (std::vector<int>{0, 0, 1, 1, 1, 0, 0, 1}));
}

TEST(NicRails, FewerNicsAreUsedInTurn) {
    std::vector<Process> processes = two_by_two;
    processes.insert(processes.end(),
                     {{"c", "12", 1}, {"c", "0", -1}, {"d", "8", 2}, {"d", "4", 1}, {"d", "0", 0}});
    const NicRails rails = rails_of(records_of(processes));
    ASSERT_EQ(rails.count(), 3);
    EXPECT_EQ(node_leaders(rails), (Leaders{{0, 5, 8, 12}, {2, 4, 8, 11}, {0, 5, 8, 10}}));
}

TEST(NicRails, AtMostFour) {
    std::vector<Process> processes;
    for (int nic = 0; nic < 6; ++nic) processes.push_back({"a", "0", nic});
    processes.push_back({"b", "0", 3});
    EXPECT_EQ(rails_of(records_of(processes)).count(), 4);
}

TEST(NicRails, NoneWhereOneTreeIsAll) {
    std::vector<Process> processes = two_by_two;
    for (Process& process : processes) process.nic = process.nic == 1 ? -1 : process.nic;
    EXPECT_EQ(rails_of(records_of(processes)).count(), 0);                                     // one NIC each
    EXPECT_EQ(rails_of(records_of({two_by_two.begin(), two_by_two.begin() + 4})).count(), 0);  // one node
    Election lowest;
    lowest.nic_local = false;
    EXPECT_EQ(rails_of(records_of(two_by_two), lowest).count(), 0);
    std::vector<LocalityRecord> unknown = records_of(two_by_two);
    for (LocalityRecord& record : unknown) record.nics.fill({});
    EXPECT_EQ(rails_of(unknown).count(), 0);
}

TEST(NicRails, FewRanksPerNodeBeginWithDifferentRails) {
    std::vector<Process> processes = two_by_two;
    processes.insert(processes.end(), {{"c", "0", 0}, {"d", "0", 0}, {"e", "0", 0}, {"f", "0", 0}});
    const NicRails rails = rails_of(records_of(processes));
    EXPECT_EQ((std::vector<int>{rails.of_rank.begin() + 8, rails.of_rank.end()}),
              (std::vector<int>{0, 1, 0, 1}));
}

/// On any machine and network: valid hierarchies that differ only in leaders. In every rail a process at
/// the node's smallest distance leads each node that forms a group; over all rails as many processes lead
/// as the node has NICs, at most one per rail. A node's ranks are divided evenly.
TEST(NicRails, PropertiesOverRandomJobs) {
    std::mt19937 random(7);
    std::string words;
    std::vector<testing::RandomMachine> machines;
    for (int i = 0; i < 20; ++i) machines.push_back(testing::random_machine(random, words));
    int several = 0;
    for (int job = 0; job < 1500; ++job) {
        const std::vector<LocalityRecord> records = testing::random_job(random, machines);
        const HierarchySpec spec = testing::random_spec(random);
        const Hierarchy hierarchy = build_hierarchy(records, spec);
        const NicRails rails = nic_rails(hierarchy, records, spec.election);
        if (rails.count() == 0) {
            EXPECT_TRUE(rails.of_rank.empty());
            continue;
        }
        ++several;
        const NicUse use = spec.election.use;
        for (const Hierarchy& tree : rails.trees) {
            ASSERT_EQ(validate(tree), "");
            ASSERT_EQ(tree.groups.size(), hierarchy.groups.size());
            for (std::size_t i = 0; i < tree.groups.size(); ++i) {
                ASSERT_EQ(tree.groups[i].members, hierarchy.groups[i].members);
                ASSERT_EQ(tree.groups[i].children, hierarchy.groups[i].children);
            }
            ASSERT_EQ(tree.stop, hierarchy.stop);
            ASSERT_EQ(tree.topology_order, hierarchy.topology_order);
        }
        std::map<std::uint64_t, std::vector<int>> nodes;
        for (std::size_t rank = 0; rank < records.size(); ++rank) {
            nodes[records[rank].node_id].push_back(static_cast<int>(rank));
        }
        for (const auto& [node, ranks] : nodes) {
            std::map<int, int> dealt;
            std::uint8_t nearest = unknown_distance;
            std::set<int> nics;
            for (const int rank : ranks) {
                ++dealt[rails.of_rank[static_cast<std::size_t>(rank)]];
                nearest = std::min(nearest, records[static_cast<std::size_t>(rank)].near(use).distance);
            }
            const auto even = static_cast<int>(ranks.size()) / rails.count();
            for (int rail = 0; rail < rails.count(); ++rail) {
                EXPECT_GE(dealt[rail], even);
                EXPECT_LE(dealt[rail], even + 1);
            }
            for (const int rank : ranks) {
                const NicDistance near = records[static_cast<std::size_t>(rank)].near(use);
                if (near.distance == nearest && nearest != unknown_distance) nics.insert(near.nic);
            }
            for (std::size_t g = 0; g < hierarchy.groups.size(); ++g) {
                if (hierarchy.groups[g].members != ranks) continue;
                std::set<int> led_by;
                for (const Hierarchy& tree : rails.trees) {
                    const NicDistance leader =
                        records[static_cast<std::size_t>(tree.groups[g].leader)].near(use);
                    EXPECT_EQ(leader.distance, nearest);
                    led_by.insert(leader.nic);
                }
                const std::size_t expected = std::min<std::size_t>(std::max<std::size_t>(1, nics.size()),
                                                                   static_cast<std::size_t>(rails.count()));
                if (nearest != unknown_distance) {
                    EXPECT_EQ(led_by.size(), expected);
                }
            }
        }
    }
    EXPECT_GT(several, 200);
}

}  // namespace
}  // namespace strata::topology::nic_rails_test
