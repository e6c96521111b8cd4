// The facts about plans that ranks compare.
#include <gtest/gtest.h>

#include <cfenv>
#include <functional>
#include <set>

#include "algorithms/base/plan_hash.h"
#include "algorithms/planning/probe_plans.h"
#include "plans.h"

namespace plan_hash_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;

Plan some_plan() {
    Plan plan;
    plan.engine = Engine::tree;
    plan.levels = {{{LevelKind::switch_, 1}, {Algorithm::chain, 2, {}}, 4096},
                   {{LevelKind::node, 0}, {Algorithm::binomial, 0, {}}, 8192}};
    plan.skipped = {{LevelKind::package, 0}};
    return plan;
}

TEST(PlanHash, DetectsEveryChangeOfMessages) {
    const std::vector<std::function<void(Plan&)>> changes = {
        [](Plan&) {},
        [](Plan& p) { p.engine = Engine::ring; },
        [](Plan& p) { p.levels[0].level.height = 0; },
        [](Plan& p) { p.levels[0].method.algorithm = Algorithm::knomial; },
        [](Plan& p) { p.levels[0].method.radix = 4; },
        [](Plan& p) {
            p.levels[1].method = {Algorithm::component, 0, "tuned"};
        },
        [](Plan& p) {
            p.levels[1].method = {Algorithm::component, 0, "basic"};
        },
        [](Plan& p) { p.levels[1].segment_bytes = 4096; },
        [](Plan& p) { p.levels.pop_back(); },
        [](Plan& p) { p.skipped.clear(); },
        [](Plan& p) { p.skipped[0].kind = LevelKind::numa; },
        [](Plan& p) { ++p.window; },
        [](Plan& p) { p.network_window_bytes = 1; },
        [](Plan& p) { p.nic_local = true; },
        [](Plan& p) { p.rails = 2; },
    };
    std::set<std::uint64_t> seen;
    for (const auto& change : changes) {
        Plan plan = some_plan();
        change(plan);
        EXPECT_TRUE(seen.insert(hash_of(plan)).second) << "change " << seen.size();
    }
}

TEST(PlanHash, DoesNotTellWhoAskedOrWhatIsPredicted) {
    Plan plan = some_plan();
    plan.predicted_us = 17;
    plan.forward_us = 18;
    plan.reason = "because";
    plan.engine_source.origin = Origin::parameter;
    EXPECT_EQ(hash_of(plan), hash_of(some_plan()));
}

// On other ranks it must not differ because of the caller's modes.
TEST(ProbePlans, AreTheSameHoweverTheCallerRounds) {
    const std::uint64_t usual = probe_plans();
    for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
        std::fesetround(mode);
        const std::uint64_t other = probe_plans();
        std::fesetround(FE_TONEAREST);
        EXPECT_EQ(other, usual);
    }
}

}  // namespace
}  // namespace plan_hash_test
