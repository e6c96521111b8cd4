// Reductions and broadcasts of few segments, with given link costs inside nodes.
#include <gtest/gtest.h>

#include "algorithms/cost/model.h"
#include "algorithms/planning/make_plan.h"
#include "plans.h"

namespace short_segments_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;
using namespace strata::topology;

constexpr LevelKey node_level{LevelKind::node, 0};

/// Default links inside nodes, as given values, and processors that combine slowly.
LinkTable told() {
    LinkTable links;
    const LinkParameters usual = links.at(node_level);
    links.set_some({LevelKind::node, std::nullopt}, {.latency_us = usual.latency_us,
                                                     .overhead_us = usual.overhead_us,
                                                     .bytes_per_us = usual.bytes_per_us});
    links.set_combine(1000);
    return links;
}

LinkTable guessed() {
    LinkTable links;
    links.set_combine(1000);
    return links;
}

double us(const LinkTable& links, Collective collective, std::size_t bytes, std::size_t segment) {
    Plan plan;
    plan.levels = {{node_level, {Algorithm::binomial, 0, {}}, segment}};
    plan.window = 4;
    return tree_cost_us(make_hierarchy(node_level, {}, 16), links, plan, {collective, bytes});
}

/// The root combines the leaves' segments while it waits for those of larger subtrees, within the windows.
TEST(ShortSegments, AreCombinedInTurn) {
    for (const std::size_t segments : {2, 4}) {
        EXPECT_LT(us(told(), Collective::reduce, segments * 4096, 4096),
                  0.9 * us(guessed(), Collective::reduce, segments * 4096, 4096));
    }
    for (const std::size_t segments : {1, 5, 64}) {
        EXPECT_DOUBLE_EQ(us(told(), Collective::reduce, segments * 4096, 4096),
                         us(guessed(), Collective::reduce, segments * 4096, 4096));
    }
    EXPECT_DOUBLE_EQ(us(told(), Collective::bcast, 8192, 4096), us(guessed(), Collective::bcast, 8192, 4096));
}

/// The root of a binomial tree of 16 combines two segments of four children, 1 us each; deeper ranks are
/// done by then.
TEST(ShortSegments, ByHand) {
    LinkTable links = told();
    links.set_some(
        {LevelKind::node, std::nullopt},
        {.latency_us = 0, .overhead_us = 0, .bytes_per_us = 1e9, .eager_bytes = 1 << 20, .offloaded = true});
    links.set_combine(1024);
    EXPECT_NEAR(us(links, Collective::reduce, 2048, 1024), 8, 0.01);
    EXPECT_NEAR(us(links, Collective::reduce, 2048, 0), 8, 0.01);
}

TEST(ShortSegments, AreTriedWhereCombinesAreSlow) {
    const Hierarchy node = make_hierarchy(node_level, {}, 32);
    const auto segment = [&](const LinkTable& links, Collective collective, std::size_t bytes = 4096) {
        return make_plan(node, links, overriding(Engine::tree), {collective, bytes})
            .levels.front()
            .segment_bytes;
    };
    EXPECT_GT(segment(told(), Collective::reduce), 0U);
    EXPECT_LE(segment(told(), Collective::reduce), 2048U);
    constexpr std::size_t eager = 3840;  // the largest size without a handshake
    EXPECT_EQ(segment(guessed(), Collective::reduce), eager);
    EXPECT_EQ(segment(told(), Collective::bcast), eager);
    EXPECT_GE(segment(told(), Collective::reduce, 65536), eager);
}

/// Ranks that finish a segment long before the next one arrives.
TEST(ShortSegments, FillDeepTreesOfBroadcasts) {
    const Hierarchy node = make_hierarchy(node_level, {}, 160);
    const auto segment = [&](std::size_t bytes, std::optional<double> bytes_per_us, double overhead = 0.2) {
        LinkTable links;
        links.set_some({LevelKind::node, std::nullopt}, {.latency_us = 0.3,
                                                         .overhead_us = overhead,
                                                         .bytes_per_us = bytes_per_us,
                                                         .eager_bytes = 1 << 20});
        if (!bytes_per_us) links = {};
        return make_plan(node, links, overriding(Engine::tree), {Collective::bcast, bytes})
            .levels.front()
            .segment_bytes;
    };
    constexpr double slow = 3500;
    EXPECT_GE(segment(8192, slow), 1024U);
    EXPECT_LE(segment(8192, slow), 2048U);
    EXPECT_EQ(segment(4096, slow), 0U) << "two would be too few";
    EXPECT_LT(segment(1 << 20, slow, 0.01), 4096U) << "cheap ones";
    EXPECT_GE(segment(4 << 20, slow, 0.01), 4096U) << "they would be too many";
    EXPECT_EQ(segment(8192, {}), 3840U) << "no given link costs";
}

/// A NIC that takes 100 us for every message takes at least that for each of 16.
TEST(ShortSegments, GapsSetThePace) {
    const Hierarchy nodes = nodes_below_switch(4, 2);
    const auto predicted = [&](std::optional<double> gap, Collective collective) {
        LinkTable links;
        links.set_some({LevelKind::switch_, std::nullopt}, {.overhead_us = 1, .gap_us = gap});
        return tree_cost_us(nodes, links, uniform(nodes, Algorithm::pipeline, 4096), {collective, 65536});
    };
    for (const Collective collective : {Collective::bcast, Collective::reduce}) {
        EXPECT_GT(predicted(100, collective), 1500);
        EXPECT_LT(predicted(1, collective), 1000);
        EXPECT_DOUBLE_EQ(predicted({}, collective), predicted(1, collective));
    }
}

}  // namespace
}  // namespace short_segments_test
