// When the planner selects the levels engine automatically.
#include <gtest/gtest.h>

#include "algorithms/openmpi_cost/levels.h"
#include "algorithms/planning/delegation.h"
#include "algorithms/planning/make_plan.h"
#include "algorithms/report/plan_listing.h"
#include "plans.h"

namespace delegation_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;

/// 50 us between the nodes, as measured.
LinkTable measured() {
    LinkTable links;
    links.set({LevelKind::switch_, std::nullopt}, {50, 5, 1200, 65536});
    return links;
}

std::optional<Delegation> evaluated(const Hierarchy& hierarchy, const LinkTable& links,
                                    const Operation& operation, const Overrides& overrides = {}) {
    return evaluate_delegation(hierarchy, links, overrides, operation,
                               make_plan(hierarchy, links, overrides, operation));
}

TEST(Delegation, ShortAllgathersOfFewNodesTakeOneHop) {
    // In the tree engine all blocks go up one tree and down again: two hops between the nodes.
    const Hierarchy hierarchy = nodes_below_switch(4, 4);
    const Operation operation{Collective::allgather, kib};
    const Plan chosen = make_plan(hierarchy, measured(), {}, operation);
    const auto delegation = evaluated(hierarchy, measured(), operation);
    ASSERT_TRUE(delegation);
    EXPECT_EQ(delegation->plan.engine, Engine::levels);
    EXPECT_EQ(delegation->plan.levels.size(), 2U);
    EXPECT_EQ(delegation->plan.sources.size(), 2U);
    EXPECT_EQ(delegation->plan.predicted_us,
              *levels_cost_us(hierarchy, measured(), delegation->plan, operation));
    EXPECT_LT(delegation->plan.predicted_us, 0.95 * chosen.predicted_us);
    EXPECT_LT(delegation->plan.predicted_us, 0.95 * chosen.forward_us);
    EXPECT_DOUBLE_EQ(delegation->gain_us, chosen.predicted_us - delegation->plan.predicted_us);
}

TEST(Delegation, ItPaysWhenAsMuchWasMissedAsItCosts) {
    const auto delegation = evaluated(nodes_below_switch(4, 4), measured(), {Collective::allgather, kib});
    ASSERT_TRUE(delegation);
    EXPECT_EQ(delegation->setup_us, delegation_setup_us(nodes_below_switch(4, 4), measured()));
    EXPECT_GT(delegation->setup_us, 4 * 2 * 50) << "two levels, several short collectives each";
    EXPECT_FALSE(delegation->pays(0));
    unsigned calls = 0;
    while (!delegation->pays(calls)) ++calls;
    EXPECT_GE(calls * delegation->gain_us, delegation->setup_us);
    EXPECT_LT((calls - 1) * delegation->gain_us, delegation->setup_us);
    EXPECT_EQ(delegation->first_call, calls);
    EXPECT_EQ((Delegation{{}, 10, 30}.first_call), 3U);
    EXPECT_EQ((Delegation{{}, 10, 0}.first_call), 0U);
}

TEST(Delegation, ListingsTellIt) {
    const Hierarchy hierarchy = nodes_below_switch(4, 4);
    const auto listed = [&](bool with) {
        PlanListing listing;
        listing.plans = list_plans(
            hierarchy, {{Collective::allgather}, 0, {}},
            [&](const Operation& operation) { return make_plan(hierarchy, measured(), {}, operation); },
            [](Collective) { return std::vector<std::size_t>{}; },
            [&](const Operation& operation, const Plan& plan) {
                return with ? evaluate_delegation(hierarchy, measured(), {}, operation, plan) : std::nullopt;
            });
        return listing;
    };
    EXPECT_EQ(listing_text(listed(false)).find("its communicators"), std::string::npos);
    EXPECT_EQ(plans_json(listed(false)).find("delegation"), std::string::npos);
    const PlanListing listing = listed(true);
    EXPECT_TRUE(listing.plans.front().delegation);
    EXPECT_FALSE(listing.plans.back().delegation) << "a ring is faster";
    for (const ListedPlan& plan : listing.plans) {
        for (const std::size_t bytes : {plan.from, plan.to}) {
            const auto exact = evaluated(hierarchy, measured(), {Collective::allgather, bytes});
            EXPECT_EQ(exact.has_value(), plan.delegation.has_value()) << bytes;
        }
    }
    const Delegation& first = *listing.plans.front().delegation;
    const std::string calls = std::to_string(first.first_call);
    EXPECT_NE(listing_text(listing).find("after " + calls + " calls: saves "), std::string::npos)
        << listing_text(listing);
    EXPECT_NE(plans_json(listing).find("\"delegation\":{\"calls\":" + calls + ",\"gain_us\":"),
              std::string::npos);
}

TEST(Delegation, NotWithoutNeed) {
    const Hierarchy hierarchy = nodes_below_switch(4, 4);
    const Operation operation{Collective::allgather, kib};
    EXPECT_FALSE(evaluated(hierarchy, LinkTable{}, operation)) << "these links are not measured";
    EXPECT_FALSE(evaluated(hierarchy, measured(), operation, overriding(Engine::tree)));
    EXPECT_FALSE(evaluated(hierarchy, measured(), operation, overriding(Engine::automatic, "node=binary")));
    EXPECT_FALSE(evaluated(hierarchy, measured(), operation, overriding(Engine::levels, "node=tuned")));
    EXPECT_FALSE(evaluated(one_node(16), measured(), operation));
    EXPECT_FALSE(evaluated(hierarchy, measured(), {Collective::bcast, kib})) << "a set for every root";
    EXPECT_FALSE(evaluated(hierarchy, measured(), {Collective::allgather, 64 * mib})) << "a ring is faster";
    for (const std::size_t bytes : {std::size_t{8}, kib, mib}) {
        EXPECT_FALSE(evaluated(hierarchy, measured(), {Collective::allreduce, bytes}))
            << "the bits of a sum must not change from one call to the next";
    }
}

/// What components would take is listed wherever the model knows their messages.
TEST(Delegation, ListingsTellWhatComponentsTake) {
    const Hierarchy hierarchy = nodes_below_switch(4, 4);
    for (const Collective collective : {Collective::bcast, Collective::reduce, Collective::allreduce}) {
        const Operation operation{collective, mib};
        const Plan chosen = make_plan(hierarchy, measured(), {}, operation);
        const auto fastest = fastest_by_components(hierarchy, measured(), operation, chosen);
        ASSERT_TRUE(fastest);
        EXPECT_EQ(fastest->predicted_us, *levels_cost_us(hierarchy, measured(), *fastest, operation));
        EXPECT_GT(fastest->predicted_us, chosen.predicted_us) << name_of(collective);
        const auto listed = [&](bool with) {
            PlanListing listing;
            listing.plans = list_plans(
                hierarchy, {{collective}, 0, {mib}}, [&](const Operation&) { return chosen; },
                [](Collective) { return std::vector<std::size_t>{}; }, {},
                [&](const Operation&, const Plan&) { return with ? fastest : std::nullopt; });
            return listing;
        };
        EXPECT_EQ(listed(true).plans.front().delegated_us, fastest->predicted_us);
        EXPECT_NE(plans_json(listed(true)).find("\"delegated_us\":"), std::string::npos);
        EXPECT_EQ(plans_json(listed(false)).find("\"delegated_us\":"), std::string::npos);
        EXPECT_NE(listing_text(listed(true)), listing_text(listed(false)));
    }
    EXPECT_FALSE(fastest_by_components(one_node(4), measured(), {Collective::bcast, mib}, {}));
}

}  // namespace
}  // namespace delegation_test
