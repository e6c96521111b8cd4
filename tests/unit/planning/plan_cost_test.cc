// Cheap predictions: models adapted to other links, symmetry-reduced hierarchies, and estimated rounds,
// each against the full prediction.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "algorithms/cost/link_range.h"
#include "algorithms/openmpi_cost/tuned.h"
#include "algorithms/planning/models.h"
#include "plans.h"

namespace plan_cost_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;

constexpr Collective sized[] = {Collective::bcast,     Collective::reduce, Collective::allreduce,
                                Collective::allgather, Collective::gather, Collective::scatter,
                                Collective::barrier};

/// `switches` leaf switches of `nodes` nodes, each of two packages of `ranks`; `cyclic`: ranks assigned to
/// nodes cyclically.
Hierarchy machine(int switches, int nodes, int ranks, bool cyclic = false) {
    const int all_nodes = switches * nodes;
    const int all = all_nodes * 2 * ranks;
    std::vector<int> site(all), node(all), package(all);
    for (int rank = 0; rank < all; ++rank) {
        node[rank] = cyclic ? rank % all_nodes : rank / (2 * ranks);
        site[rank] = node[rank] / nodes;
        package[rank] = (cyclic ? rank / all_nodes : rank % (2 * ranks)) / ranks;
    }
    return make_hierarchy(top_switch, {{leaf_switch, site}, {node_level, node}, {numa_level, package}}, all);
}

/// Nodes of different sizes, `nodes` of them below each leaf switch, some ranks outside any package.
Hierarchy uneven(std::mt19937& random, int ranks, int nodes = 3) {
    std::vector<int> site(ranks), node(ranks), package(ranks);
    for (int rank = 0, left = 0, at = -1; rank < ranks; ++rank, --left) {
        if (left == 0) {
            left = 2 + static_cast<int>(random() % 5);
            ++at;
        }
        node[rank] = at;
        site[rank] = at / nodes;
        package[rank] = static_cast<int>(random() % 3) - 1;
    }
    return make_hierarchy(top_switch, {{leaf_switch, site}, {node_level, node}, {numa_level, package}},
                          ranks);
}

/// Collectives without a root sometimes exchange on their topmost level.
std::vector<LevelPlan> random_plans(std::mt19937& random, const std::vector<LevelKey>& levels, bool pieces,
                                    Collective collective) {
    const std::vector<LevelMethod> methods{{Algorithm::linear, 0, {}},  {Algorithm::binomial, 0, {}},
                                           {Algorithm::binary, 0, {}},  {Algorithm::pipeline, 0, {}},
                                           {Algorithm::knomial, 3, {}}, {Algorithm::knomial, 7, {}}};
    constexpr std::size_t segments[] = {0, 16384, 61440};
    const std::size_t segment = pieces ? segments[random() % 3] : 0;
    std::vector<LevelPlan> plans;
    for (const LevelKey level : levels) plans.push_back({level, methods[random() % methods.size()], segment});
    if (traits_of(collective).exchanges && random() % 3 == 0) {
        const bool reduce_scatter = collective == Collective::allreduce && random() % 2 == 0;
        const Algorithm exchange = reduce_scatter ? Algorithm::rabenseifner : Algorithm::recursive_doubling;
        plans.front().method = {exchange, 0, {}};
        if (!traits_of(collective).blocks)
            for (LevelPlan& plan : plans) plan.segment_bytes = 0;
    }
    return plans;
}

TEST(Models, TakeOnOtherLinksAsIfMadeForThem) {
    std::mt19937 random(7);
    for (int turn = 0; turn < 30; ++turn) {
        const Hierarchy hierarchy = uneven(random, 8 + static_cast<int>(random() % 50));
        const auto tables = possible_links(hierarchy, LinkTable{}).tables;
        for (const Collective collective : sized) {
            const Operation operation{collective, std::size_t{1} << (random() % 23), 0};
            ReducedMachines machines(hierarchy);
            Models models(hierarchy, operation, machines);
            const std::vector<LevelKey> none;
            for (const std::vector<LevelKey>& skipped : {none, {numa_level}, {leaf_switch}, none}) {
                for (const LinkTable& table : tables) {
                    const auto fresh = make_cost_model(hierarchy, table, operation, skipped);
                    const auto plans = random_plans(random, fresh->levels(), true, collective);
                    const double us = fresh->cost_us(plans, operation.bytes, 4);
                    EXPECT_EQ(models.at(table, skipped).cost_us(plans, operation.bytes, 4), us)
                        << name_of(collective);
                    EXPECT_EQ(models.at(table, skipped).cost_us(plans, operation.bytes, 4), us) << "again";
                }
            }
        }
    }
}

/// Prediction errors, as shares.
struct Error {
    double sum = 0;
    double worst = 0;
    int count = 0;
    double mean() const { return sum / count; }
    void add(double own) {
        sum += own;
        worst = std::max(worst, own);
        ++count;
    }
};

bool has(const std::vector<LevelKey>& levels, LevelKey level) {
    return std::find(levels.begin(), levels.end(), level) != levels.end();
}

/// Adds the errors of the model with representatives if levels are skipped. `simply`: without
/// ReducedMachine::modelled_by.
void add_reduction_error(Error& error, const Hierarchy& hierarchy, Collective collective,
                         const std::vector<LevelKey>& skipped, bool simply = false) {
    std::mt19937 random(11);
    const bool rooted = traits_of(collective).rooted;
    for (const int root : {0, rooted ? hierarchy.ranks() / 2 + 3 : 0}) {
        for (const std::size_t bytes : {8UL, 8 * kib, 256 * kib, 4 * mib}) {
            const std::size_t blocks = traits_of(collective).blocks ? hierarchy.stop.size() : 1;
            const Operation operation{collective, bytes * blocks, root};
            const LinkTable links;
            auto reduced = reduce_by_symmetry(hierarchy, root, !has(skipped, leaf_switch));
            ASSERT_TRUE(reduced);
            ASSERT_LE(reduced->hierarchy.ranks() * 2, hierarchy.ranks());
            if (simply) reduced->modelled_by.assign(reduced->modelled_by.size(), -1);
            Operation there = operation;
            there.root = reduced->root;
            const auto few = make_cost_model(reduced->hierarchy, links, there, skipped, &*reduced);
            const auto full = make_cost_model(hierarchy, links, operation, skipped);
            for (int turn = 0; turn < 25; ++turn) {
                const auto plans = random_plans(random, full->levels(), bytes > 8 * kib, collective);
                const double share =
                    few->cost_us(plans, operation.bytes, 4) / full->cost_us(plans, operation.bytes, 4);
                error.add(std::abs(share - 1));
            }
        }
    }
}

const std::vector<LevelKey> skipped_sets[] = {{}, {numa_level}, {leaf_switch}, {leaf_switch, numa_level}};

TEST(SymmetryReduction, PredictionsAreThoseOfTheMachine) {
    for (const Hierarchy& hierarchy :
         {machine(2, 8, 4), machine(4, 16, 8), machine(5, 7, 6), machine(4, 16, 4, true)}) {
        for (const auto& skipped : skipped_sets) {
            for (const Collective collective : sized) {
                Error error;
                ASSERT_NO_FATAL_FAILURE(add_reduction_error(error, hierarchy, collective, skipped));
                const bool blocks =
                    traits_of(collective).blocks;  // not all their queues inside nodes are known
                EXPECT_LT(error.mean(), blocks ? 0.02 : 0.001) << name_of(collective) << hierarchy.ranks();
                EXPECT_LT(error.worst, blocks ? 0.25 : 0.02) << name_of(collective) << hierarchy.ranks();
            }
        }
    }
}

class SkippedSets : public ::testing::TestWithParam<std::size_t> {};
INSTANTIATE_TEST_SUITE_P(SymmetryReduction, SkippedSets,
                         ::testing::Range(std::size_t{0}, std::size(skipped_sets)));

/// There the omitted nodes differ from their representatives.
TEST_P(SkippedSets, PredictionsAreNearlyThoseOfAnUnevenMachine) {
    std::mt19937 random(5);
    std::vector<Hierarchy> machines;
    for (int turn = 0; turn < 3; ++turn) {
        for (const int nodes : {16, 40}) {
            for (const int ranks : {300, 700}) machines.push_back(uneven(random, ranks, nodes));
        }
    }
    const auto& skipped = skipped_sets[GetParam()];
    const bool all_nodes = has(skipped, leaf_switch);  // keep one rank at least
    for (const Collective collective : sized) {
        Error error;
        for (const Hierarchy& hierarchy : machines) {
            ASSERT_NO_FATAL_FAILURE(add_reduction_error(error, hierarchy, collective, skipped));
        }
        EXPECT_LT(error.mean(), all_nodes ? 0.01 : 0.04) << name_of(collective);
        EXPECT_LT(error.worst, all_nodes ? 0.2 : 0.3) << name_of(collective);
    }
}

TEST(SymmetryReduction, RepresentativesMatter) {
    Error error;
    ASSERT_NO_FATAL_FAILURE(add_reduction_error(error, machine(5, 7, 6), Collective::bcast, {}, true));
    EXPECT_GT(error.worst, 0.1) << "else nothing is tested";
}

TEST(SymmetryReduction, KeepsWhatAPlanNeeds) {
    std::mt19937 random(3);
    for (int turn = 0; turn < 40; ++turn) {
        const Hierarchy hierarchy = uneven(random, 300, 16);
        const int root = static_cast<int>(random() % 300);
        for (const bool switches : {false, true}) {
            const auto reduced = reduce_by_symmetry(hierarchy, root, switches);
            ASSERT_TRUE(reduced) << root << switches;
            EXPECT_EQ(reduced->hierarchy.levels(), hierarchy.levels());
            int all = 0;
            for (const int ranks : reduced->represented) all += ranks;
            EXPECT_EQ(all, hierarchy.ranks());
            EXPECT_EQ(reduced->represented[reduced->root], 1) << "the root's node is whole";
            for (std::size_t rank = 0; rank < reduced->modelled_by.size(); ++rank) {
                EXPECT_LT(reduced->modelled_by[rank], reduced->hierarchy.ranks());
                EXPECT_TRUE(reduced->represented[rank] == 1 || reduced->modelled_by[rank] >= 0);
            }
        }
        EXPECT_FALSE(reduce_by_symmetry(nodes_below_switch(16, 4), 0, true))
            << "small machines stay as they are";
    }
}

/// Returns the ratio of the estimated time to the time of the message schedule.
double estimated(const Hierarchy& hierarchy, LevelTask task, Algorithm algorithm, std::size_t bytes) {
    const int ranks = hierarchy.ranks();
    const LinkTable links;
    FlatModel model(hierarchy, links);
    FlatRounds rounds(hierarchy);
    FlatModel running(hierarchy, links);
    const auto run = [&](const MessageSchedule& schedule) { return latest(run_schedule(running, schedule)); };
    const TunedCall call{task, algorithm, bytes};
    return rounds_of(model, rounds, call).us() / run(schedule_of(call, ranks));
}

TEST(FlatRounds, TakeAboutAsLongAsTheirMessages) {
    for (const bool cyclic : {false, true}) {
        for (const auto& [switches, nodes, ranks] :
             {std::tuple{4, 16, 4}, {4, 16, 8}, {2, 8, 8}, {8, 8, 8}}) {
            const Hierarchy hierarchy = machine(switches, nodes, ranks, cyclic);
            const auto expect = [&](LevelTask task, Algorithm algorithm, std::size_t bytes) {
                const double share = estimated(hierarchy, task, algorithm, bytes);
                EXPECT_NEAR(share, 1, 0.08) << static_cast<int>(task) << ' ' << info(algorithm).name << ' '
                                            << bytes << ' ' << hierarchy.ranks() << (cyclic ? " cyclic" : "");
            };
            for (const std::size_t bytes : {8UL, 4 * kib, 64 * kib, 4 * mib}) {
                expect(LevelTask::allreduce, Algorithm::recursive_doubling, bytes);
                expect(LevelTask::allreduce, Algorithm::rabenseifner, bytes);
            }
            for (const std::size_t block : {8UL, 512UL, 4 * kib}) {
                expect(LevelTask::allgather, Algorithm::recursive_doubling, block);
                expect(LevelTask::allgather, Algorithm::bruck, block);
            }
            expect(LevelTask::barrier, Algorithm::bruck, 0);
        }
    }
}

}  // namespace
}  // namespace plan_cost_test
