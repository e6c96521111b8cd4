// The model of the levels engine: messages of every group's collective, and the pipeline that they form.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "algorithms/base/collective.h"
#include "algorithms/base/level_tasks.h"
#include "algorithms/base/link.h"
#include "algorithms/base/operation.h"
#include "algorithms/base/plan.h"
#include "algorithms/config/overrides.h"
#include "algorithms/openmpi_cost/forward_cost.h"
#include "algorithms/openmpi_cost/level_methods.h"
#include "algorithms/openmpi_cost/level_patterns.h"
#include "algorithms/openmpi_cost/levels.h"
#include "algorithms/openmpi_cost/tuned.h"
#include "algorithms/planning/make_plan.h"
#include "make_hierarchy.h"
#include "plans.h"
#include "topology/hierarchy.h"

namespace levels_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;

/// The same method word on every level.
Plan levels_plan(const Hierarchy& hierarchy, std::string_view word, std::size_t segment = 0) {
    Plan plan;
    plan.engine = Engine::levels;
    for (const LevelKey level : hierarchy.levels()) {
        const auto rules = parse_level_methods("node=" + std::string(word));
        plan.levels.push_back({level, rules.front().method, segment});
    }
    return plan;
}

struct Traffic {
    std::size_t messages = 0;
    std::size_t bytes = 0;
    bool operator==(const Traffic&) const = default;
};

/// Returns the messages between ranks whose lowest common group is on each level.
std::map<int, Traffic> traffic(const Hierarchy& hierarchy, const MessageSchedule& schedule) {
    std::map<int, Traffic> by_depth;
    for (int r = 0; r < static_cast<int>(schedule.steps.size()); ++r) {
        for (const ScheduleStep& step : schedule.steps[r]) {
            if (step.to < 0) continue;
            Traffic& own = by_depth[hierarchy.groups[hierarchy.lowest_common_group(r, step.to)].depth];
            ++own.messages;
            own.bytes += step.bytes;
        }
    }
    return by_depth;
}

std::size_t received(const MessageSchedule& schedule, int rank) {
    std::size_t bytes = 0;
    for (const auto& steps : schedule.steps) {
        for (const ScheduleStep& step : steps) bytes += step.to == rank ? step.bytes : 0;
    }
    return bytes;
}

/// All modelled method words of a collective.
std::vector<std::string> modelled_words(Collective collective) {
    std::vector<std::string> words = {"tuned", "libnbc"};
    const CollectiveTasks& tasks = traits_of(collective).tasks;
    for (const AlgorithmInfo& entry : all_algorithms()) {
        if (entry.tasks.meets(tasks.topmost) || entry.tasks.meets(tasks.below)) {
            words.emplace_back(entry.name);
        }
    }
    return words;
}

Hierarchy uneven() {
    return make_hierarchy(
        top_switch,
        {{leaf_switch, {0, 0, 0, 0, 0, 0, 1, 1, 2, 2, 2}}, {node_level, {0, 0, 0, 1, 1, 2, 3, 4, 5, 5, 6}}},
        11);
}

Operation operation_of(Collective collective, std::size_t bytes, int root = 0) {
    return {collective, collective == Collective::barrier ? 0 : bytes,
            traits_of(collective).rooted ? root : 0};
}

TEST(LevelsCost, EveryMethodEndsOnEveryShape) {
    // With short links' handshakes from 4 KiB on: no message may wait for itself.
    for (const Hierarchy& hierarchy :
         {sites_of_nodes(2, 3, 4), nodes_below_switch(5, 3), one_node(7), one_node(2), uneven()}) {
        for (int op = 0; op < collective_count; ++op) {
            const auto collective = static_cast<Collective>(op);
            if (!traits_of(collective).sized) continue;
            for (const std::string& word : modelled_words(collective)) {
                for (const std::size_t bytes : {std::size_t{64}, 100 * kib, mib}) {
                    for (const int root : {0, hierarchy.ranks() - 1}) {
                        const auto us =
                            levels_cost_us(hierarchy, LinkTable{}, levels_plan(hierarchy, word, 16 * kib),
                                           operation_of(collective, bytes, root));
                        ASSERT_TRUE(us) << name_of(collective) << ' ' << word << ' ' << bytes;
                        EXPECT_GT(*us, 0);
                    }
                }
            }
        }
    }
}

TEST(LevelsCost, ABroadcastBringsEverythingToEverybodyAndOverEachLinkOnce) {
    constexpr std::size_t bytes = 96 * kib;
    for (const Hierarchy& hierarchy : {sites_of_nodes(2, 3, 4), uneven()}) {
        for (const char* word :
             {"linear", "chain:2", "pipeline", "binary", "binomial", "knomial:3", "libnbc"}) {
            const auto schedule = levels_schedule(hierarchy, levels_plan(hierarchy, word, 16 * kib),
                                                  operation_of(Collective::bcast, bytes, 4), 100);
            ASSERT_TRUE(schedule);
            for (int r = 0; r < hierarchy.ranks(); ++r) {
                EXPECT_EQ(received(*schedule, r), r == 4 ? 0 : bytes) << word << ' ' << r;
            }
            const std::size_t sites = hierarchy.groups.front().children.size();
            EXPECT_EQ(traffic(hierarchy, *schedule)[0], (Traffic{6 * (sites - 1), bytes * (sites - 1)}))
                << word;
        }
    }
}

TEST(LevelsCost, AReduceSendsEveryVectorOnce) {
    constexpr std::size_t bytes = 64 * kib;
    const Hierarchy hierarchy = sites_of_nodes(2, 3, 4);
    for (const char* word : {"linear", "chain:2", "pipeline", "binary", "binomial"}) {
        const auto schedule = levels_schedule(hierarchy, levels_plan(hierarchy, word, 32 * kib),
                                              operation_of(Collective::reduce, bytes, 5), 100);
        ASSERT_TRUE(schedule);
        auto by_depth = traffic(hierarchy, *schedule);
        EXPECT_EQ(by_depth[0], (Traffic{2, bytes})) << word;
        EXPECT_EQ(by_depth[1], (Traffic{2 * 4, 4 * bytes})) << word;
        EXPECT_EQ(by_depth[2], (Traffic{2 * 18, 18 * bytes})) << word;
    }
}

TEST(LevelsCost, HalvingReduceLeavesNothingOut) {
    // Every rank but the root sends its vector once; gathered parts add to that: the root ends with all.
    for (int ranks = 2; ranks <= 17; ++ranks) {
        for (int root = 0; root < ranks; ++root) {
            const std::size_t bytes = 1024;
            const MessageSchedule schedule = halving_reduce_schedule(ranks, bytes, root);
            const Hierarchy node = one_node(ranks);
            FlatModel model(node, LinkTable{});
            EXPECT_TRUE(std::isfinite(latest(run_schedule(model, schedule)))) << ranks << ' ' << root;
            std::size_t combined = 0;
            for (const auto& steps : schedule.steps) {
                for (const ScheduleStep& step : steps) combined += step.combined;
            }
            EXPECT_EQ(combined, bytes * static_cast<std::size_t>(ranks - 1)) << ranks << ' ' << root;
            EXPECT_GE(received(schedule, root), bytes / 2);
        }
    }
}

TEST(LevelsCost, BlocksCrossEveryLevelOnceUpAndAllOfThemDown) {
    const Hierarchy hierarchy = nodes_below_switch(4, 3);
    constexpr std::size_t block = 1000;
    const Operation operation = operation_of(Collective::allgather, 12 * block);
    for (const char* word : {"tuned", "libnbc", "ring", "recursive_doubling", "bruck", "neighbor"}) {
        const auto schedule = levels_schedule(hierarchy, levels_plan(hierarchy, word, 4000), operation, 100);
        ASSERT_TRUE(schedule);
        auto by_depth = traffic(hierarchy, *schedule);
        EXPECT_EQ(by_depth[0].bytes, 4 * 3 * 3 * block) << word << ": each node gets the others' blocks";
        // Up: two blocks per node. Down: everything twice per node. A tuned broadcast may cut and overlap.
        EXPECT_GE(by_depth[1].bytes, 4 * (2 + 2 * 12) * block) << word;
    }
    for (const Collective collective : {Collective::gather, Collective::scatter}) {
        const auto schedule = levels_schedule(hierarchy, levels_plan(hierarchy, "linear"),
                                              operation_of(collective, 12 * block, 4), 100);
        ASSERT_TRUE(schedule);
        auto by_depth = traffic(hierarchy, *schedule);
        EXPECT_EQ(by_depth[0], (Traffic{3, 9 * block}));
        EXPECT_EQ(by_depth[1], (Traffic{8, 8 * block}));
    }
}

TEST(LevelsCost, UnequalSharesGoStraight) {
    const Hierarchy hierarchy = uneven();
    constexpr std::size_t block = 1000;
    const auto schedule = levels_schedule(hierarchy, levels_plan(hierarchy, "tuned"),
                                          operation_of(Collective::gather, 11 * block, 0), 100);
    ASSERT_TRUE(schedule);
    // Three sites of 6, 2 and 3 ranks.
    EXPECT_EQ(traffic(hierarchy, *schedule)[0], (Traffic{2, 5 * block}));
}

TEST(LevelsCost, APipelineCostsItsFillAndItsSlowestStage) {
    const Hierarchy hierarchy = nodes_below_switch(2, 2);
    constexpr std::size_t segment = 10000;
    const auto us = [&](const char* word, std::size_t segments, std::size_t cut = 10000) {
        return *levels_cost_us(hierarchy, round_links(), levels_plan(hierarchy, word, cut),
                               operation_of(Collective::bcast, segments * segment));
    };
    // Between nodes: 1000 us a segment, 2 x 5 + 50 beside. Inside: 100, 2 x 1 + 2.
    EXPECT_DOUBLE_EQ(us("linear", 1), 1060 + 104);
    EXPECT_DOUBLE_EQ(us("libnbc", 1), 1060 + 104);
    for (const std::size_t segments : {2U, 5U, 8U, 9U, 100U}) {
        const double expected = us("linear", 1) + 1000.0 * static_cast<double>(segments - 1);
        // A leader passes a segment on when a blocking call has brought the next one: two are left at the
        // end.
        EXPECT_NEAR(us("linear", segments), expected + 101, 1) << segments;
        EXPECT_NEAR(us("libnbc", segments), expected, 1) << segments;
    }
    EXPECT_GT(us("linear", 100, 0), us("linear", 100) * 1.05) << "nothing overlaps";
}

TEST(LevelsCost, OnOneLevelItIsTheComponentItself) {
    for (const int ranks : {2, 5, 8, 16}) {
        const Hierarchy node = one_node(ranks);
        for (const Collective collective :
             {Collective::bcast, Collective::reduce, Collective::allreduce, Collective::allgather,
              Collective::gather, Collective::scatter, Collective::barrier}) {
            for (const std::size_t bytes : {std::size_t{128}, 64 * kib}) {
                const Operation operation = operation_of(collective, bytes * static_cast<std::size_t>(ranks));
                EXPECT_NEAR(*levels_cost_us(node, round_links(), levels_plan(node, "tuned"), operation),
                            forward_cost_us(node, round_links(), operation),
                            0.001 * forward_cost_us(node, round_links(), operation))
                    << name_of(collective) << ' ' << ranks << ' ' << bytes;
            }
        }
    }
}

TEST(LevelsCost, WhatIsNotKnownIsNotPredicted) {
    const Hierarchy hierarchy = nodes_below_switch(2, 2);
    for (const char* word : {"sm", "basic", "adapt", "hcoll"}) {
        EXPECT_FALSE(levels_cost_us(hierarchy, LinkTable{}, levels_plan(hierarchy, word),
                                    operation_of(Collective::bcast, mib)));
        EXPECT_EQ(make_plan(hierarchy, LinkTable{},
                            overriding(Engine::levels, (std::string("node=") + word).c_str()),
                            operation_of(Collective::bcast, mib))
                      .predicted_us,
                  0);
    }
    EXPECT_FALSE(
        levels_cost_us(hierarchy, LinkTable{}, levels_plan(hierarchy, "tuned"), {Collective::gatherv, 0}));
    const Hierarchy wide = one_node(2048);
    EXPECT_FALSE(levels_cost_us(wide, LinkTable{}, levels_plan(wide, "ring"),
                                operation_of(Collective::allgather, 64 * mib)))
        << "four million messages";
}

TEST(LevelsCost, LongChainsAreNotModelled) {
    const LevelMethod libnbc = parse_level_methods("node=libnbc").front().method;
    const auto made = [&](int ranks, std::size_t bytes) {
        return group_schedule(libnbc, {LevelTask::bcast, ranks, 0, bytes, {}, false, false}).has_value();
    };
    EXPECT_TRUE(made(64, 64 * kib - 1));
    EXPECT_FALSE(made(64, 64 * kib));
    EXPECT_TRUE(made(4, 16384 * mib)) << "not in pieces";
}

TEST(LevelsCost, PlansByLevelsCarryIt) {
    const Hierarchy hierarchy = sites_of_nodes(2, 2, 4);
    const Operation operation = operation_of(Collective::bcast, mib);
    const Plan plan = make_plan(hierarchy, two_sites(50),
                                overriding(Engine::levels, "switch=tuned,node=libnbc"), operation);
    EXPECT_EQ(plan.predicted_us, *levels_cost_us(hierarchy, two_sites(50), plan, operation));
    EXPECT_GT(plan.predicted_us, mib / 25.0) << "the uplink's own limit";
}

}  // namespace
}  // namespace levels_test
