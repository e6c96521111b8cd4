// The sources of a plan's values.
#include <gtest/gtest.h>

#include "algorithms/planning/make_plan.h"
#include "plans.h"

namespace sources_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;

constexpr Source parameter{Origin::parameter, 0};
constexpr Source built_in{};

Plan plan_of(Collective collective, const Overrides& overrides, bool rank_order = false) {
    const Operation operation{collective, mib, 0, rank_order};
    return make_plan(sites_of_nodes(2, 3, 4), round_links(), overrides, operation);
}

TEST(Sources, OfAnUnchangedPlan) {
    const Plan plan = plan_of(Collective::bcast, {});
    EXPECT_EQ(plan.engine_source, built_in);
    EXPECT_EQ(plan.sources, std::vector<LevelSources>(plan.levels.size()));
}

TEST(Sources, OfWhatIsFixed) {
    const Plan plan =
        plan_of(Collective::bcast, overriding(Engine::tree, "node=binary,switch=auto", "switch=5k"));
    EXPECT_EQ(plan.engine_source, parameter);
    EXPECT_EQ(plan.sources, (std::vector<LevelSources>{
                                {built_in, parameter}, {built_in, parameter}, {parameter, built_in}}));
}

TEST(Sources, OfTheOneSegmentOfAReduction) {
    const auto segment_source = [](const char* sizes, std::size_t level) {
        return plan_of(Collective::reduce, overriding(Engine::tree, "", sizes)).sources.at(level).segment;
    };
    EXPECT_EQ(segment_source("switch1=5k", 2), parameter) << "the topmost level's holds for all";
    EXPECT_EQ(segment_source("node=5k", 2), built_in) << "this one does not hold";
}

TEST(Sources, OfWhatCannotBeUsed) {
    // Recursive doubling leaves messages whole; in rank order binary becomes binomial.
    const Plan exchange =
        plan_of(Collective::allreduce, overriding(Engine::tree, "switch1=recursive_doubling", "5k"));
    EXPECT_EQ(exchange.sources.front(), (LevelSources{parameter, built_in}));
    const Plan ordered = plan_of(Collective::reduce, overriding(Engine::tree, "node=binary"), true);
    EXPECT_EQ(ordered.at(node_level).method.algorithm, Algorithm::binomial);
    EXPECT_EQ(ordered.sources.back().method, built_in);
}

TEST(Sources, OfAForwardedOperation) {
    EXPECT_EQ(plan_of(Collective::bcast, overriding(Engine::forward)).engine_source, parameter);
    EXPECT_EQ(plan_of(Collective::gatherv, {}).engine_source, built_in);
}

}  // namespace
}  // namespace sources_test
