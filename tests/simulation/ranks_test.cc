#include "ranks.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

#include "contender.h"
#include "traffic.h"

namespace {

using namespace strata;
using simulation::Ranks;

const simulation::Machine& nuioa() {
    static const simulation::Machine machine = simulation::read_machine(STRATA_MACHINES "nuioa8.json");
    return machine;
}

std::vector<std::string> names_of(const topology::Hierarchy& hierarchy) {
    std::vector<std::string> names;
    for (const topology::LevelKey level : hierarchy.levels()) names.push_back(topology::name_of(level));
    return names;
}

using Names = std::vector<std::string>;

TEST(SimulatedRanks, AreSeenWithTheLevelsAskedFor) {
    Ranks ranks(nuioa(), {});
    EXPECT_EQ(names_of(ranks.hierarchy()), (Names{"switch0", "node", "numa", "core"}));
    EXPECT_EQ(names_of(ranks.seen_as("node")), (Names{"switch0", "node"}));
    EXPECT_EQ(names_of(ranks.seen_as("numa/node")), (Names{"switch0", "node", "numa"}));
    EXPECT_EQ(ranks.seen_as("[0..2]+[3..63]").groups.size(), 3U);
    EXPECT_EQ(ranks.flat().groups.size(), 1U);
    EXPECT_EQ(&ranks.seen_as("node"), &ranks.seen_as("node"));
    EXPECT_THROW(ranks.seen_as("rack"), std::invalid_argument);
}

TEST(SimulatedRanks, LowestOnesLeadOnRequest) {
    Ranks ranks(nuioa(), {});
    const auto leader_of_second_node = [](const topology::Hierarchy& hierarchy) {
        for (const topology::Group& group : hierarchy.groups) {
            if (group.level.kind == topology::LevelKind::node && group.members.front() == 8)
                return group.leader;
        }
        return -1;
    };
    EXPECT_EQ(leader_of_second_node(ranks.hierarchy()), 10);  // in domain 1, which has the NIC
    EXPECT_EQ(leader_of_second_node(ranks.seen_as("lowest")), 8);
}

TEST(SimulatedRanks, OfShuffledNodesStayTogether) {
    simulation::JobSpec spec;
    spec.order = "nodes:1";
    const Ranks ranks(nuioa(), spec), in_blocks(nuioa(), {});
    EXPECT_NE(ranks.records(), in_blocks.records());
    for (std::size_t rank = 0; rank < 64; ++rank) {
        const auto& block = in_blocks.records();
        const auto original = std::find(block.begin(), block.end(), ranks.records()[rank]) - block.begin();
        EXPECT_EQ(static_cast<std::size_t>(original) % 8, rank % 8) << "the order inside a node stays";
        EXPECT_EQ(ranks.records()[rank].node_id, ranks.records()[rank / 8 * 8].node_id);
    }
    spec.order = "nodes:first";
    EXPECT_THROW(Ranks(nuioa(), spec), tool::UsageError);
}

TEST(SimulatedRanks, OfSomeHosts) {
    const simulation::Machine grid = simulation::read_machine(STRATA_MACHINES "grid48.json");
    simulation::JobSpec spec;
    EXPECT_EQ(names_of(Ranks(grid, spec).hierarchy()), (Names{"switch1", "switch0", "node", "core"}));
    spec.hosts = "anl-sp,anl-o2k";
    Ranks ranks(grid, spec);
    EXPECT_EQ(ranks.size(), 32);
}

TEST(SimulatedTraffic, CountsByTheWidestLevelCrossed) {
    Ranks ranks(nuioa(), {});
    simulation::Traffic traffic(ranks.hierarchy());
    traffic.add(0, 8, 100);
    traffic.add(63, 1, 10);
    traffic.add(8, 10, 7);
    traffic.add(0, 1, 1);
    traffic.add(4, 4, 1000);
    const auto& counts = traffic.by_level();
    ASSERT_EQ(counts.size(), 4U);
    EXPECT_EQ(counts[0].messages, 2U);
    EXPECT_EQ(counts[0].bytes, 110U);
    EXPECT_EQ(counts[1].bytes, 7U);
    EXPECT_EQ(counts[2].bytes, 1U);
    EXPECT_EQ(counts[3].messages, 0U);
    traffic.clear();
    EXPECT_EQ(traffic.by_level()[0].messages, 0U);
}

std::string why_not(const std::string& name) {
    Ranks ranks(nuioa(), {});
    try {
        simulation::Contender contender(name, nuioa(), ranks);
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "";
}

TEST(Contenders, SayWhatTheyDoNotUnderstand) {
    for (const char* good : {"mpi", "strata", "untuned@node", "levels:chain@lowest", "flat:chain/8192"}) {
        EXPECT_EQ(why_not(good), "");
    }
    EXPECT_NE(why_not("mpi@node").find("unknown"), std::string::npos);
    EXPECT_NE(why_not("strata:chain").find("takes no algorithm"), std::string::npos);
    EXPECT_NE(why_not("levels").find("names no algorithm"), std::string::npos);
    EXPECT_NE(why_not("flat:chain@node").find("has no levels"), std::string::npos);
    EXPECT_NE(why_not("strata@rack").find("rack"), std::string::npos);
}

}  // namespace
