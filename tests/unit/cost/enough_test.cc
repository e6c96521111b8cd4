// Predictions that stop early because another candidate is faster.
#include <gtest/gtest.h>

#include <limits>

#include "algorithms/cost/model.h"
#include "plans.h"

namespace enough_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;

constexpr Algorithm methods[] = {
    Algorithm::linear,       Algorithm::pipeline,           Algorithm::binomial,
    Algorithm::ring,         Algorithm::recursive_doubling, Algorithm::rabenseifner,
    Algorithm::double_binary};
constexpr Collective collectives[] = {Collective::bcast,  Collective::reduce,  Collective::allreduce,
                                      Collective::gather, Collective::scatter, Collective::allgather};

/// Links with all values given, and buses.
LinkTable busy_links() {
    LinkTable links = round_links();
    LinkSetting bus;
    bus.bus_bytes_per_us = 150;
    links.set_some({LevelKind::node, std::nullopt}, bus);
    return links;
}

std::vector<LevelPlan> plans_for(const CostModel& model, Algorithm top, Algorithm below,
                                 std::size_t segment) {
    std::vector<LevelPlan> plans;
    for (const LevelKey level : model.levels())
        plans.push_back({level, {plans.empty() ? top : below, 0, {}}, segment});
    return plans;
}

/// Calls action(model, plans, bytes) for many candidates.
template <typename Action>
void each_candidate(Action&& action) {
    const std::vector<Hierarchy> hierarchies{one_node(2), one_node(11), nodes_below_switch(3, 4),
                                             sites_of_nodes(2, 3, 3), sites_of_nodes(3, 8, 4)};
    for (const Hierarchy& hierarchy : hierarchies) {
        for (const LinkTable& links : {round_links(), busy_links()}) {
            for (const Collective collective : collectives) {
                const Operation operation{collective, 100000, hierarchy.ranks() / 2};
                const bool nodes_merged = hierarchy.levels().size() > 1;
                std::vector<std::vector<LevelKey>> skips{{}};
                if (nodes_merged) skips.push_back({hierarchy.levels().back()});
                for (const auto& skipped : skips) {
                    const auto model = make_cost_model(hierarchy, links, operation, skipped);
                    for (const Algorithm top : methods) {
                        for (const Algorithm below : {Algorithm::linear, Algorithm::binomial}) {
                            for (const std::size_t segment : {0, 8192})
                                action(*model, plans_for(*model, top, below, segment), operation.bytes);
                        }
                    }
                }
            }
        }
    }
}

TEST(EnoughCost, IsNoLessThanAskedFor) {
    int early = 0;
    each_candidate([&](CostModel& model, const std::vector<LevelPlan>& plans, std::size_t bytes) {
        const double exact = model.cost_us(plans, bytes, Window{});
        for (const double part : {0.01, 0.3, 0.9, 1.0}) {
            const double us = model.cost_us(plans, bytes, Window{}, exact * part);
            EXPECT_GE(us, exact * part);
            EXPECT_LE(us, exact);
            early += us < exact ? 1 : 0;
        }
    });
    EXPECT_GT(early, 1000);
}

TEST(EnoughCost, ChangesNothingForAFasterCandidate) {
    each_candidate([](CostModel& model, const std::vector<LevelPlan>& plans, std::size_t bytes) {
        const double exact = model.cost_us(plans, bytes, Window{});
        for (const double enough : {exact * 1.0001, exact * 3, std::numeric_limits<double>::infinity()})
            EXPECT_EQ(model.cost_us(plans, bytes, Window{}, enough), exact);
    });
}

/// An abandoned candidate leaves no state behind.
TEST(EnoughCost, TheNextCandidateIsPredictedAsEver) {
    each_candidate([](CostModel& model, const std::vector<LevelPlan>& plans, std::size_t bytes) {
        const double exact = model.cost_us(plans, bytes, Window{});
        model.cost_us(plans, bytes, Window{}, exact / 10);
        EXPECT_EQ(model.cost_us(plans, bytes, Window{}), exact);
    });
}

}  // namespace
}  // namespace enough_test
