// What is worth measuring: every engine, other shapes and segments, each of them expressible by parameters.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "plans.h"
#include "strata/algorithms/candidates.h"

namespace {

using namespace strata::testing;
using namespace strata::algorithms;

Operation of(Collective collective, std::size_t bytes) { return {collective, bytes, 0}; }

std::set<Engine> engines_among(const std::vector<Plan>& plans) {
    std::set<Engine> engines;
    for (const Plan& plan : plans) engines.insert(plan.engine);
    return engines;
}

/// What the parameters of a plan ask for.
Overrides asked_by(const Plan& plan, Collective collective) {
    Overrides overrides;
    for (const auto& [name, value] : plan_parameters(plan, collective)) {
        if (name.ends_with("_level_algorithms")) {
            overrides.methods = parse_level_methods(value);
        } else if (name.ends_with("_segsize")) {
            overrides.segments = parse_level_sizes(value);
        } else {
            overrides.engine = *engine_from_name(value);
        }
    }
    return overrides;
}

TEST(Candidates, EveryEngineIsThere) {
    const auto hierarchy = sites_of_nodes(2, 2, 4);
    const auto links = two_sites(500);
    for (const auto& [collective, engines] :
         {std::pair{Collective::bcast, std::set{Engine::tree, Engine::forward}},
          std::pair{Collective::reduce, std::set{Engine::tree, Engine::forward}},
          std::pair{Collective::scatter, std::set{Engine::tree, Engine::forward}}}) {
        for (const std::size_t bytes : {8 * 1, 65536, 4194304}) {
            const auto plans = candidate_plans(hierarchy, links, {}, of(collective, bytes), 0.5);
            EXPECT_EQ(engines_among(plans), engines) << name_of(collective) << bytes;
        }
    }
    const auto nodes = nodes_below_switch(4, 4);
    for (const Collective collective : {Collective::allreduce, Collective::allgather}) {
        const auto plans = candidate_plans(nodes, {}, {}, of(collective, mib), 0.5);
        EXPECT_EQ(engines_among(plans), (std::set{Engine::tree, Engine::ring, Engine::forward}));
    }
}

TEST(Candidates, AnExchangeIsAWayOfItsOwn) {
    for (const std::size_t bytes : {std::size_t{8}, mib}) {
        const auto plans =
            candidate_plans(nodes_below_switch(4, 4), {}, {}, of(Collective::allreduce, bytes), 0.5);
        EXPECT_TRUE(std::any_of(plans.begin(), plans.end(), exchanges_on_top)) << bytes;
        EXPECT_TRUE(std::any_of(plans.begin(), plans.end(), [](const Plan& plan) {
            return plan.engine == Engine::tree && !exchanges_on_top(plan);
        })) << bytes;
    }
}

TEST(Candidates, BestFirstDistinctAndFew) {
    for (int op = 0; op < collective_count; ++op) {
        for (const std::size_t bytes : {std::size_t{8}, 64 * kib, 4 * mib}) {
            const auto collective = static_cast<Collective>(op);
            if (collective == Collective::barrier && bytes > 8) continue;
            const Operation operation = of(collective, collective == Collective::barrier ? 0 : bytes);
            const auto plans = candidate_plans(sites_of_nodes(2, 3, 4), two_sites(50), {}, operation, 0.5);
            EXPECT_EQ(plans.empty(), !traits_of(collective).sized) << name_of(collective);
            EXPECT_LE(plans.size(), most_candidates);
            for (std::size_t i = 1; i < plans.size(); ++i) {
                EXPECT_LE(plans[i - 1].predicted_us, plans[i].predicted_us);
                for (std::size_t j = 0; j < i; ++j) {
                    EXPECT_FALSE(plans[i].engine == plans[j].engine && plans[i].levels == plans[j].levels &&
                                 plans[i].engine != Engine::forward);
                }
            }
        }
    }
}

TEST(Candidates, TheModelsOwnChoiceIsAmongThem) {
    const auto hierarchy = sites_of_nodes(2, 2, 4);
    for (const Collective collective : {Collective::bcast, Collective::reduce, Collective::allreduce,
                                        Collective::allgather, Collective::gather, Collective::barrier}) {
        const Operation operation = of(collective, collective == Collective::barrier ? 0 : 256 * kib);
        Overrides all_levels;
        all_levels.keep_levels = true;
        const Plan own = make_plan(hierarchy, two_sites(100), all_levels, operation);
        const auto plans = candidate_plans(hierarchy, two_sites(100), {}, operation, 0.2);
        EXPECT_TRUE(std::any_of(plans.begin(), plans.end(), [&](const Plan& plan) {
            return plan.engine == own.engine && (own.engine == Engine::forward || plan.levels == own.levels);
        })) << name_of(collective);
    }
}

TEST(Candidates, ParametersAskForTheSamePlan) {
    const auto hierarchy = sites_of_nodes(2, 2, 6);
    const auto links = two_sites(500);
    for (int op = 0; op < collective_count; ++op) {
        const auto collective = static_cast<Collective>(op);
        const Operation operation = of(collective, collective == Collective::barrier ? 0 : mib);
        for (const Plan& plan : candidate_plans(hierarchy, links, {}, operation, 0.5)) {
            const Plan again = make_plan(hierarchy, links, asked_by(plan, collective), operation);
            EXPECT_EQ(again.engine, plan.engine) << name_of(collective);
            if (plan.engine != Engine::forward) {
                EXPECT_EQ(again.levels, plan.levels) << name_of(collective);
            }
            EXPECT_DOUBLE_EQ(again.predicted_us, plan.predicted_us) << name_of(collective);
        }
    }
}

TEST(Candidates, SlowOnesAreLeftOutButForTheBestOfAnEngine) {
    const auto hierarchy = sites_of_nodes(2, 2, 4);
    const auto within = [&](double share) {
        return candidate_plans(hierarchy, two_sites(500), {}, of(Collective::bcast, 4 * mib), share, 1000);
    };
    const auto plans = within(0.1);
    ASSERT_FALSE(plans.empty());
    const auto slow = std::count_if(plans.begin(), plans.end(), [&](const Plan& plan) {
        return plan.predicted_us > 1.1 * plans.front().predicted_us;
    });
    EXPECT_LE(slow, 2);  // the best tree or the previous component
    EXPECT_GT(within(5).size(), plans.size());
}

TEST(Candidates, WhatTheUserFixedStays) {
    const auto plans = candidate_plans(sites_of_nodes(2, 2, 6), two_sites(500),
                                       overriding(Engine::tree, "node=chain:3", "switch=32k"),
                                       of(Collective::bcast, mib), 0.5);
    ASSERT_FALSE(plans.empty());
    for (const Plan& plan : plans) {
        EXPECT_EQ(plan.engine, Engine::tree);
        EXPECT_EQ(plan.at(node_level).method, (LevelMethod{Algorithm::chain, 3, {}}));
        EXPECT_EQ(plan.at(top_switch).segment_bytes, 32 * kib);
    }
}

}  // namespace
