// Candidates worth measuring: every engine, other shapes and segments, each expressible by parameters.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "algorithms/config/rules.h"
#include "algorithms/planning/candidates.h"
#include "algorithms/planning/make_plan.h"
#include "plans.h"

namespace candidates_test {
namespace {

using namespace strata::testing;
using namespace strata::algorithms;

constexpr LevelKey numa_level{LevelKind::numa, 0};

/// Four nodes at two sites, each of two NUMA domains of three ranks.
Hierarchy deep_nodes() {
    return make_hierarchy(
        top_switch, {{leaf_switch, blocks(24, 12)}, {node_level, blocks(24, 6)}, {numa_level, blocks(24, 3)}},
        24);
}

/// One hop inside a node costs more than the messages of a longer row.
LinkTable slow_hops(double site_latency_us) {
    LinkTable links = two_sites(site_latency_us);
    links.set({LevelKind::node, std::nullopt}, {50, 0.5, 5000, 1024 * mib});
    links.set({LevelKind::numa, std::nullopt}, {50, 0.5, 5000, 1024 * mib});
    return links;
}

Operation of(Collective collective, std::size_t bytes) { return {collective, bytes, 0}; }

std::set<Engine> engines_among(const std::vector<Plan>& plans) {
    std::set<Engine> engines;
    for (const Plan& plan : plans) engines.insert(plan.engine);
    engines.erase(Engine::levels);  // only where it is close: LevelsLeftToComponents
    return engines;
}

/// The parameters that request a plan.
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

/// The model does not know its time, so it neither hides other candidates nor is hidden by them.
TEST(Candidates, BoardsInsideANodeOnly) {
    const auto count = [](const std::vector<Plan>& plans, bool boards) {
        return std::ranges::count_if(
            plans, [boards](const Plan& plan) { return (plan.engine == Engine::node) == boards; });
    };
    const Hierarchy node = make_hierarchy(node_level, {{numa_level, blocks(8, 4)}}, 8);
    for (const Collective collective : {Collective::bcast, Collective::reduce, Collective::allreduce,
                                        Collective::gather, Collective::barrier}) {
        const Operation operation = of(collective, collective == Collective::barrier ? 0 : 64 * kib);
        const auto plans = candidate_plans(node, {}, {}, operation, 0.5);
        EXPECT_EQ(count(plans, true), 1) << name_of(collective);
        EXPECT_GT(count(plans, false), 1) << name_of(collective);
        EXPECT_EQ(count(candidate_plans(nodes_below_switch(4, 4), {}, {}, operation, 0.5), true), 0);
    }
    EXPECT_EQ(count(candidate_plans(node, {}, {}, of(Collective::gatherv, 64 * kib), 0.5), true), 0);
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
    int skips = 0;
    for (const Hierarchy& hierarchy : {sites_of_nodes(2, 2, 4), deep_nodes()}) {
        for (const LinkTable& links : {LinkTable{}, two_sites(100), slow_hops(50)}) {
            for (const Collective collective :
                 {Collective::bcast, Collective::reduce, Collective::allreduce, Collective::allgather,
                  Collective::gather, Collective::barrier}) {
                for (const std::size_t bytes : {std::size_t{64}, 256 * kib}) {
                    const Operation operation = of(collective, collective == Collective::barrier ? 0 : bytes);
                    const Plan own = make_plan(hierarchy, links, {}, operation);
                    const auto plans = candidate_plans(hierarchy, links, {}, operation, 0.2);
                    EXPECT_TRUE(
                        std::any_of(plans.begin(), plans.end(),
                                    [&](const Plan& plan) {
                                        return plan.engine == own.engine &&
                                               (own.engine == Engine::forward ||
                                                (plan.levels == own.levels && plan.skipped == own.skipped));
                                    }))
                        << name_of(collective) << bytes;
                    skips += own.skipped.empty() ? 0 : 1;
                }
            }
        }
    }
    EXPECT_GT(skips, 5);
}

TEST(Candidates, ParametersAskForTheSamePlan) {
    int skips = 0;
    int by_components = 0;
    for (const Hierarchy& hierarchy : {sites_of_nodes(2, 2, 6), deep_nodes()}) {
        for (const LinkTable& links : {two_sites(500), slow_hops(50)}) {
            for (int op = 0; op < 2 * collective_count; ++op) {
                const auto collective = static_cast<Collective>(op % collective_count);
                const std::size_t bytes = op < collective_count ? 1024 : mib;
                const Operation operation = of(collective, collective == Collective::barrier ? 0 : bytes);
                for (const Plan& plan : candidate_plans(hierarchy, links, {}, operation, 0.5)) {
                    const Plan again = make_plan(hierarchy, links, asked_by(plan, collective), operation);
                    EXPECT_EQ(again.engine, plan.engine) << name_of(collective);
                    EXPECT_EQ(again.skipped, plan.skipped) << name_of(collective);
                    EXPECT_EQ(again.nic_local, plan.nic_local) << name_of(collective);
                    if (plan.engine != Engine::forward) {
                        EXPECT_EQ(again.levels, plan.levels) << name_of(collective);
                    }
                    EXPECT_DOUBLE_EQ(again.predicted_us, plan.predicted_us) << name_of(collective);
                    skips += plan.skipped.empty() ? 0 : 1;
                    by_components += plan.engine == Engine::levels ? 1 : 0;
                }
            }
        }
    }
    EXPECT_GT(skips, 20);
    EXPECT_GT(by_components, 5);
}

TEST(Candidates, RulesAskForTheSamePlan) {
    const Hierarchy hierarchy = deep_nodes();
    const Operation operation = of(Collective::bcast, 1024);
    int skips = 0;
    for (const Plan& plan : candidate_plans(hierarchy, slow_hops(50), {}, operation, 0.5)) {
        Rule rule;
        rule.collectives = 1U << static_cast<unsigned>(Collective::bcast);
        rule.engine = plan.engine;
        const Overrides asked = asked_by(plan, Collective::bcast);
        for (const auto& method : asked.methods) {
            rule.levels.push_back({method.level, {}, method.method, std::nullopt});
        }
        for (const auto& size : asked.segments) {
            rule.levels.push_back({size.level, {}, std::nullopt, size.bytes});
        }
        const Resolved resolved = resolve({}, {rule}, hierarchy, operation);
        EXPECT_TRUE(resolved.ignored_values.empty());
        const Plan again = make_plan(hierarchy, slow_hops(50), resolved.overrides, operation);
        EXPECT_EQ(again.engine, plan.engine);
        EXPECT_EQ(again.skipped, plan.skipped);
        if (plan.engine != Engine::forward) {
            EXPECT_EQ(again.levels, plan.levels);
        }
        skips += plan.skipped.empty() ? 0 : 1;
    }
    EXPECT_GT(skips, 0);
}

/// All levels, only nodes, no inner levels, a chain of all: unless the links make the candidate hopeless.
TEST(Candidates, OtherLevelsAreTried) {
    const auto skipped = [](const LinkTable& links, bool keep_levels) {
        Overrides overrides;
        overrides.keep_levels = keep_levels;
        std::set<std::vector<LevelKey>> all;
        for (const Plan& plan :
             candidate_plans(deep_nodes(), links, overrides, of(Collective::bcast, 64), 1000, 1000)) {
            all.insert(plan.skipped);
        }
        return all;
    };
    const std::vector<LevelKey> both{leaf_switch, numa_level};
    std::vector<LevelKey> all_but_one = deep_nodes().levels();
    all_but_one.erase(all_but_one.begin());
    EXPECT_EQ(
        skipped(slow_hops(50), false),
        (std::set<std::vector<LevelKey>>{{}, {numa_level}, both, all_but_one}));  // no other level gains
    EXPECT_EQ(skipped(two_sites(50), false),
              (std::set<std::vector<LevelKey>>{{}, {numa_level}, {leaf_switch}, both, all_but_one}));
    EXPECT_EQ(skipped(slow_hops(50), true), std::set<std::vector<LevelKey>>{{}});
}

/// Where no processor is shared; parameters request the same plans (ParametersAskForTheSamePlan).
TEST(Candidates, AllRanksAlike) {
    const auto among_all = [](const Hierarchy& hierarchy, Collective collective, std::size_t bytes) {
        LinkTable links = two_sites(50);
        links.set({LevelKind::node, std::nullopt}, {0.5, 0.4, 3000, 4096});
        std::set<Algorithm> found;
        for (const Plan& plan : candidate_plans(hierarchy, links, {}, of(collective, bytes), 1.0, 40)) {
            if (plan.engine == Engine::forward || plan.levels.size() > 1) continue;
            found.insert(plan.levels.front().method.algorithm);
            const Plan again = make_plan(hierarchy, links, asked_by(plan, collective), of(collective, bytes));
            EXPECT_EQ(again.skipped, plan.skipped) << again.reason;
            EXPECT_EQ(again.levels, plan.levels);
            EXPECT_EQ(again.engine, plan.engine);
        }
        return found;
    };
    Hierarchy nodes = nodes_below_switch(4, 4);
    EXPECT_EQ(among_all(nodes, Collective::allreduce, 65536),
              (std::set{Algorithm::rabenseifner, Algorithm::ring, Algorithm::double_binary}));
    EXPECT_EQ(among_all(nodes, Collective::allgather, 4 * mib), std::set{Algorithm::ring});
    const std::set rooted{Algorithm::pipeline, Algorithm::double_binary};
    EXPECT_EQ(among_all(nodes, Collective::bcast, 4 * mib), rooted);
    EXPECT_EQ(among_all(nodes, Collective::reduce, 4 * mib), rooted);
    EXPECT_EQ(among_all(nodes, Collective::gather, 4 * mib), std::set<Algorithm>{});
    nodes.oversubscription = 8;
    EXPECT_EQ(among_all(nodes, Collective::allreduce, 65536), std::set<Algorithm>{});
}

/// Components are candidates where their messages are known, unless hopeless.
TEST(Candidates, LevelsLeftToComponents) {
    const auto of_components = [](double within) {
        const auto plans = candidate_plans(nodes_below_switch(4, 4), round_links(), {},
                                           of(Collective::allgather, mib), within, 1000);
        return std::count_if(plans.begin(), plans.end(), [&](const Plan& plan) {
            EXPECT_GT(plan.predicted_us, 0);
            EXPECT_TRUE(plan.engine != Engine::levels ||
                        plan.predicted_us <= (1 + within) * plans.front().predicted_us);
            return plan.engine == Engine::levels;
        });
    };
    EXPECT_EQ(of_components(100), 1);
    EXPECT_LE(of_components(0), 1);
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
    EXPECT_LE(slow, 2);  // the best tree or the underlying component
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
}  // namespace candidates_test
