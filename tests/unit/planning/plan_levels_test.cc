// Plans for the levels engine.
#include <gtest/gtest.h>

#include "algorithms/base/collective.h"
#include "algorithms/base/level_tasks.h"
#include "algorithms/base/link.h"
#include "algorithms/base/operation.h"
#include "algorithms/base/plan.h"
#include "algorithms/config/overrides.h"
#include "algorithms/planning/make_plan.h"
#include "make_hierarchy.h"
#include "plans.h"
#include "topology/hierarchy.h"

namespace plan_levels_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;

Plan planned(const Hierarchy& hierarchy, const Operation& operation, const Overrides& overrides) {
    return make_plan(hierarchy, LinkTable{}, overrides, operation);
}

std::string everywhere(std::string_view word) {
    std::string rules;
    for (const char* level : {"cluster", "switch", "node"}) {
        rules += (rules.empty() ? "" : ",") + std::string(level) + "=" + std::string(word);
    }
    return rules;
}

/// The method words that a collective accepts with the levels engine.
std::vector<std::string> words_of(Collective collective) {
    std::vector<std::string> words = {"sm", "tuned"};
    for (const AlgorithmInfo& entry : all_algorithms()) {
        const Overrides wish = overriding(Engine::levels, everywhere(entry.name).c_str());
        if (check(wish, collective).empty()) words.emplace_back(entry.name);
    }
    return words;
}

TEST(PlanLevels, EveryAlgorithmOfOpenMpiCanBeNamed) {
    const auto hierarchy = sites_of_nodes(2, 3, 4);
    for (int op = 0; op < collective_count; ++op) {
        const auto collective = static_cast<Collective>(op);
        const CollectiveTasks& tasks = traits_of(collective).tasks;
        for (const std::string& word : words_of(collective)) {
            for (const std::size_t bytes : {8U, 4U << 20U}) {
                const Operation operation{collective, traits_of(collective).sized ? bytes : 0};
                const Plan plan =
                    planned(hierarchy, operation, overriding(Engine::levels, everywhere(word).c_str()));
                EXPECT_EQ(plan.engine, Engine::levels) << word;
                const auto named = algorithm_from_name(word);
                const bool topmost = !named || word == "auto" || info(*named).tasks.meets(tasks.topmost);
                const bool below = !named || word == "auto" || info(*named).tasks.meets(tasks.below);
                EXPECT_TRUE(topmost || below) << word;
                for (std::size_t l = 0; l < plan.levels.size(); ++l) {
                    const LevelMethod& method = plan.levels[l].method;
                    EXPECT_NE(method.algorithm, Algorithm::automatic);
                    const bool kept = named ? method.algorithm == *named : method.component == word;
                    if (word != "auto") {
                        EXPECT_EQ(kept || (l == 0 ? !topmost : !below), true) << word << " on " << l;
                    }
                }
                EXPECT_EQ(plan.reason, topmost && below
                                           ? "set by the user"
                                           : "set by the user; " + word + " is for the topmost level");
            }
        }
    }
}

TEST(PlanLevels, AWordThatNoTreeHasAsksForThem) {
    const auto hierarchy = sites_of_nodes(2, 3, 4);
    const auto engine = [&](Collective collective, const char* rules) {
        return planned(hierarchy, {collective, 4096}, overriding(Engine::automatic, rules)).engine;
    };
    EXPECT_EQ(engine(Collective::reduce, "node=rabenseifner"), Engine::levels);
    EXPECT_EQ(engine(Collective::allgather, "switch=bruck"), Engine::levels);
    EXPECT_EQ(engine(Collective::barrier, "node=sm"), Engine::levels);
    EXPECT_EQ(engine(Collective::allgather, "switch=recursive_doubling"), Engine::tree);
    EXPECT_EQ(engine(Collective::allgather, "switch=recursive_doubling,node=bruck"), Engine::levels);
    EXPECT_EQ(planned(hierarchy, {Collective::allgather, 4096},
                      overriding(Engine::levels, "switch=recursive_doubling"))
                  .levels.front()
                  .method.algorithm,
              Algorithm::recursive_doubling);
    EXPECT_EQ(engine(Collective::allreduce, "switch=recursive_doubling"), Engine::tree);
    EXPECT_NE(engine(Collective::reduce, "numa=rabenseifner"), Engine::levels) << "there is no such level";
}

TEST(PlanLevels, ReductionsWithAFixedOrderTakeTheTree) {
    const auto hierarchy = sites_of_nodes(2, 3, 4);
    Operation operation{Collective::allreduce, 4096};
    operation.reproducible = true;
    const Plan engine = planned(hierarchy, operation, overriding(Engine::levels));
    EXPECT_EQ(engine.engine, Engine::tree);
    EXPECT_EQ(engine.reason, "the order must not depend on the size");
    const Plan word = planned(hierarchy, operation, overriding(Engine::automatic, "node=sm"));
    EXPECT_EQ(word.engine, Engine::tree);
    EXPECT_EQ(word.reason, "the order must not depend on the size; sm has no fixed order");
}

}  // namespace
}  // namespace plan_levels_test
