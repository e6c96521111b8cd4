// Lines of the log about one choice.
#include <gtest/gtest.h>

#include "algorithms/report/choice_text.h"
#include "plans.h"

namespace choice_text_test {
namespace {

using namespace strata::testing;
using namespace strata::algorithms;

Plan plan_of(const Hierarchy& hierarchy, Algorithm on_top, Algorithm below) {
    Plan plan = uniform(hierarchy, below, 0);
    plan.engine = Engine::tree;
    plan.levels.front().method.algorithm = on_top;
    plan.predicted_us = 100.717;
    plan.forward_us = 4217;
    return plan;
}

TEST(ChoiceText, SizesOfAClass) {
    EXPECT_EQ(size_range_text(65536, 81920), "64-80 KiB");
    EXPECT_EQ(size_range_text(896, 1024), "896-1024 B");
    EXPECT_EQ(size_range_text(5, 6), "5 B");
    EXPECT_EQ(size_range_text(8, 10), "8-10 B");
}

TEST(ChoiceText, ShapesAreGroupedByMethod) {
    const Hierarchy hierarchy = sites_of_nodes(2, 2, 4);
    ASSERT_EQ(hierarchy.levels().size(), 3U);
    EXPECT_EQ(shape_text(plan_of(hierarchy, Algorithm::linear, Algorithm::linear)), "linear on all levels");
    Plan plan = plan_of(hierarchy, Algorithm::recursive_doubling, Algorithm::linear);
    EXPECT_EQ(shape_text(plan), "recursive_doubling on switch1, linear below");
    plan.levels.back().method = {Algorithm::chain, 2, {}};
    EXPECT_EQ(shape_text(plan), "recursive_doubling on switch1, linear on switch0, chain:2 on node");
    plan = plan_of(hierarchy, Algorithm::linear, Algorithm::linear);
    plan.skipped = {plan.levels.back().level};
    plan.levels.pop_back();
    EXPECT_EQ(shape_text(plan), "linear on switch1/switch0");  // not "all levels"
}

TEST(ChoiceText, TimesAreThoseOfBothWays) {
    Plan plan = plan_of(sites_of_nodes(2, 2, 4), Algorithm::linear, Algorithm::linear);
    EXPECT_EQ(choice_text(plan, "tuned"), "tree (linear on all levels), predicted 101, fallback 4217 us");
    plan.predicted_us = 0;
    EXPECT_EQ(choice_text(plan, "tuned"), "tree (linear on all levels), predicted unknown, fallback 4217 us");
    plan.engine = Engine::rails;
    plan.rails = 2;
    EXPECT_EQ(choice_text(plan, "tuned"),
              "rails (2 NICs, each linear on all levels), predicted unknown, fallback 4217 us");
    plan.engine = Engine::forward;
    EXPECT_EQ(choice_text(plan, "tuned"), "passed through to tuned, predicted 4217 us");
    plan.forward_us = 0;
    EXPECT_EQ(choice_text(plan, ""), "passed through");
}

TEST(ChoiceText, OperationsNameARootOnlyIfTheyHaveOne) {
    EXPECT_EQ(operation_text({Collective::bcast, 8, 3}), "bcast of 8 bytes from rank 3");
    EXPECT_EQ(operation_text({Collective::reduce, 8, 3}), "reduce of 8 bytes to rank 3");
    EXPECT_EQ(operation_text({Collective::allreduce, 8, 3}), "allreduce of 8 bytes");
    EXPECT_EQ(operation_text({Collective::gatherv, 0, 3}), "gatherv to rank 3");
    EXPECT_EQ(operation_text({Collective::barrier, 0, 3}), "barrier");
}

TEST(ChoiceText, DetailsNameSegmentsReasonAndSources) {
    Plan plan = plan_of(sites_of_nodes(1, 2, 4), Algorithm::linear, Algorithm::binomial);
    plan.levels.back().segment_bytes = 8192;
    plan.reason = "set by the user";
    plan.engine_source = {Origin::rules_file, 7};
    EXPECT_EQ(details_text(plan, Collective::bcast, "r.json"),
              "tree (switch1 linear, switch0 binomial, node binomial/8192), predicted 100.717 us, "
              "fallback 4217 us: set by the user; engine from r.json:7");
}

}  // namespace
}  // namespace choice_text_test
