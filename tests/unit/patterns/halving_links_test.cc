// The pairs of recursive halving.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <set>
#include <vector>

#include "algorithms/patterns/reduction_links.h"
#include "algorithms/patterns/tree.h"
#include "random_shapes.h"
#include "reduce_runs.h"
#include "skipped_levels.h"

namespace halving_links_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;
using strata::topology::Hierarchy;
using strata::topology::LevelKey;
using strata::topology::LevelKind;

constexpr LevelKey leaf_switch{LevelKind::switch_, 0};
constexpr LevelKey top_switch{LevelKind::switch_, 1};

/// A group of ranks that stop in it.
strata::topology::Group group_of(LevelKey level, int parent, const std::vector<int>& members) {
    strata::topology::Group group;
    group.level = level;
    group.parent = parent;
    group.depth = parent + 1;
    group.members = group.direct = members;
    group.leader = members.front();
    return group;
}

/// Leaf switches with that many nodes of one rank each, below one switch.
Hierarchy switches(const std::vector<int>& nodes) {
    Hierarchy hierarchy;
    std::vector<int> all(static_cast<std::size_t>(std::accumulate(nodes.begin(), nodes.end(), 0)));
    std::iota(all.begin(), all.end(), 0);
    hierarchy.groups.push_back(group_of(top_switch, -1, all));
    hierarchy.groups.front().direct.clear();
    auto first = all.begin();
    for (const int count : nodes) {
        const auto group = static_cast<int>(hierarchy.groups.size());
        hierarchy.groups.front().children.push_back(group);
        hierarchy.groups.push_back(group_of(leaf_switch, 0, {first, first + count}));
        hierarchy.groups.back().object = static_cast<std::uint64_t>(group);
        hierarchy.stop.insert(hierarchy.stop.end(), static_cast<std::size_t>(count), group);
        first += count;
    }
    return hierarchy;
}

Plan nodes_alone() {
    Plan plan;
    plan.levels.push_back({top_switch, {Algorithm::rabenseifner, 0, {}}, 0});
    plan.skipped.push_back(leaf_switch);
    return plan;
}

using Places = std::vector<std::pair<int, int>>;

Places places(const Hierarchy& hierarchy, const Plan& plan) {
    Places result;
    for (const HalvingPlace& place : halving_places(hierarchy, plan))
        result.emplace_back(place.rank, place.partner);
    return result;
}

TEST(HalvingPlaces, PairsStayBelowTheirSwitch) {
    const auto of = [](const std::vector<int>& nodes) { return places(switches(nodes), nodes_alone()); };
    EXPECT_EQ(of({2, 2}), (Places{{0, -1}, {1, -1}, {2, -1}, {3, -1}}));
    EXPECT_EQ(of({3, 3}), (Places{{0, 1}, {2, -1}, {3, 4}, {5, -1}}));
    EXPECT_EQ(of({2, 4}), (Places{{0, -1}, {1, -1}, {2, 3}, {4, 5}}));
    EXPECT_EQ(of({3, 2}), (Places{{0, 1}, {2, -1}, {3, -1}, {4, -1}}));
    EXPECT_EQ(of({2, 4, 2}),
              (Places{{2, -1}, {3, -1}, {4, -1}, {5, -1}, {0, -1}, {1, -1}, {6, -1}, {7, -1}}));
    EXPECT_EQ(of({4, 4, 4}), (Places{{8, -1}, {9, -1}, {10, -1}, {11, -1}, {0, 1}, {2, 3}, {4, 5}, {6, 7}}));
    // More than one node too many in each: some pairs reach beyond their switch.
    EXPECT_EQ(of({3, 3, 3, 3, 3}),
              (Places{{0, 1}, {2, 5}, {6, 7}, {8, 11}, {12, 13}, {14, -1}, {3, 4}, {9, 10}}));
}

/// Rounds at distances below 2^i stay inside a switch of 2^i nodes.
TEST(HalvingPlaces, LongMessagesStayBelowASwitch) {
    for (const std::vector<int>& nodes : {std::vector<int>{4, 4}, {1, 1, 2, 4, 8}, {2, 8, 2, 4}, {6, 6}}) {
        const Hierarchy hierarchy = switches(nodes);
        const auto all = halving_places(hierarchy, nodes_alone());
        for (std::size_t block = 0; block < all.size(); ++block) {
            const auto own_switch = [&](std::size_t place) { return hierarchy.stop[all[place].rank]; };
            const auto size = static_cast<std::size_t>(std::count_if(
                all.begin(), all.end(),
                [&](const HalvingPlace& place) { return hierarchy.stop[place.rank] == own_switch(block); }));
            ASSERT_TRUE(std::has_single_bit(size));
            for (std::size_t distance = 1; distance < size; distance *= 2) {
                EXPECT_EQ(own_switch(block), own_switch(block ^ distance)) << block << ' ' << distance;
            }
        }
    }
}

TEST(HalvingPlaces, AreTheCoreOnce) {
    int paired = 0;
    for (std::uint64_t seed = 1; seed <= 500; ++seed) {
        Random random(seed);
        const Hierarchy hierarchy = random_hierarchy(random, {60, 6});
        Plan plan = random_tree_plan(random, hierarchy, 100);
        skip_some(random, hierarchy, plan);
        const std::vector<int> core = exchange_core(hierarchy, plan, false);
        const auto all = halving_places(hierarchy, plan);
        ASSERT_EQ(all.size(), std::bit_floor(core.size())) << seed;
        std::multiset<int> members;
        for (const HalvingPlace& place : all) {
            members.insert(place.rank);
            if (place.partner >= 0) members.insert(place.partner);
            paired += place.partner >= 0 ? 1 : 0;
        }
        ASSERT_EQ(members, std::multiset<int>(core.begin(), core.end())) << seed;
    }
    EXPECT_GT(paired, 300);
}

TEST(HalvingLinks, AreTheExchangesInAnotherOrder) {
    for (std::uint64_t seed = 1; seed <= 100; ++seed) {
        Random random(seed);
        const Hierarchy hierarchy = random_hierarchy(random, {40, 5});
        Plan plan = random_tree_plan(random, hierarchy, 100);
        skip_some(random, hierarchy, plan);
        plan.levels.front().method = {Algorithm::rabenseifner, 0, {}};
        const Places all = places(hierarchy, plan);
        for (int rank = 0; rank < hierarchy.ranks(); ++rank) {
            const ExchangeLinks links = halving_links(hierarchy, plan, rank);
            const ExchangeLinks exchange = exchange_links(hierarchy, plan, rank, false);
            EXPECT_EQ(links.below.parent.peer, exchange.below.parent.peer);
            EXPECT_EQ(links.below.children.size(), exchange.below.children.size());
            if (links.position >= 0) {
                const auto& [own, partner] = all.at(static_cast<std::size_t>(links.position));
                EXPECT_EQ(own, rank);
                EXPECT_EQ(partner, links.partner);
                ASSERT_EQ(links.core.size(), all.size());
                for (std::size_t place = 0; place < all.size(); ++place)
                    EXPECT_EQ(links.core[place], all[place].first);
            } else if (exchange.position >= 0) {
                EXPECT_TRUE(links.core.empty());
                EXPECT_NE(std::find(all.begin(), all.end(), std::pair(links.partner, rank)), all.end());
            } else {
                EXPECT_TRUE(links.core.empty());
                EXPECT_EQ(links.partner, -1);
            }
        }
    }
}

}  // namespace
}  // namespace halving_links_test
