// Places for the items of a group, and for the trees below them, in two trees at once.
#include "algorithms/patterns/deal_out.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "random.h"

namespace deal_out_test {
namespace {

using namespace strata::algorithms;
using strata::testing::Random;

std::size_t at(int number) { return static_cast<std::size_t>(number); }

/// Returns "" when one tree gives one place to every item but the first and to every outside member, and no
/// item is below itself.
std::string check_tree(const Dealt& group, const DealtOut& below, std::size_t tree) {
    std::vector<int> parent(at(group.items), -1);
    std::vector<int> places(at(group.outside[tree]), 0);
    for (int item = 0; item < group.items; ++item) {
        for (const int one : below[at(item)][tree]) {
            if (one < 0) {
                if (-1 - one >= group.outside[tree] || ++places[at(-1 - one)] > 1)
                    return "invalid outside member";
            } else if (one >= group.items || one == group.first[tree] || parent[at(one)] >= 0) {
                return "item " + std::to_string(one) + " has a second place";
            } else {
                parent[at(one)] = item;
            }
        }
    }
    if (std::count(places.begin(), places.end(), 0) > 0) return "an outside member has no place";
    for (int item = 0; item < group.items; ++item) {
        int steps = 0;
        for (int walk = item; walk != group.first[tree]; walk = parent[at(walk)]) {
            if (parent[at(walk)] < 0 || ++steps > group.items) {
                return "no way from the first to item " + std::to_string(item);
            }
        }
    }
    return {};
}

/// Returns "" when no item is served before an outside member, as with two places each.
std::string check_order(const DealtOut& below) {
    for (const Both<std::vector<int>>& own : below) {
        for (const auto& children : own) {
            if (!std::is_partitioned(children.begin(), children.end(), [](int one) { return one < 0; })) {
                return "an item is served before something outside";
            }
        }
    }
    return {};
}

int places_of(const Both<std::vector<int>>& own) { return static_cast<int>(own[0].size() + own[1].size()); }

/// Two, or as many as all have to have in the mean.
int usual(const Dealt& group) {
    const int all = group.outside[0] + group.outside[1] + 2 * (group.items - 1);
    return std::max(2, (all + group.items - 1) / group.items);
}

/// Returns "" when no item has more places below it than usual.
std::string check_places(const Dealt& group, const DealtOut& below) {
    for (int item = 0; item < group.items; ++item) {
        const int places = places_of(below[at(item)]);
        if (places > usual(group)) {
            return "item " + std::to_string(item) + " has " + std::to_string(places) + " places";
        }
    }
    return {};
}

std::string check(const Dealt& group, const DealtOut& below) {
    for (const std::size_t tree : {0, 1}) {
        if (std::string fault = check_tree(group, below, tree); !fault.empty()) return fault;
    }
    if (std::string fault = check_order(below); usual(group) == 2 && !fault.empty()) return fault;
    return check_places(group, below);
}

std::string words(const Dealt& group) {
    std::string text = std::to_string(group.items) + " items, first";
    for (const std::size_t tree : {0, 1}) {
        text += " " + std::to_string(group.first[tree]) + " (" + std::to_string(group.outside[tree]) +
                " outside)";
    }
    return text;
}

/// How trees may enter groups: one item for both, or neighbours with the second in front.
std::vector<Both<int>> entries(int items) {
    std::vector<Both<int>> all;
    for (int item = 0; item < items; ++item) {
        all.push_back({item, item});
        if (items > 1) all.push_back({item, (item + items - 1) % items});
    }
    return all;
}

TEST(DealOut, Documented) {
    const Dealt group{5, {0, 4}, {1, 1}};
    const DealtOut below = deal_out(group);
    const std::vector<std::vector<int>> first{{-1, 1}, {2, 3}, {4}, {}, {}};
    const std::vector<std::vector<int>> second{{}, {}, {0}, {2, 1}, {-1, 3}};
    for (std::size_t item = 0; item < 5; ++item) {
        EXPECT_EQ(below[item][0], first[item]) << item;
        EXPECT_EQ(below[item][1], second[item]) << item;
    }
}

TEST(DealOut, EveryWayIntoSmallGroups) {
    constexpr int most_outside = 4;
    for (int items = 1; items <= 9; ++items) {
        for (const Both<int>& first : entries(items)) {
            for (int outside = 0; outside < (most_outside + 1) * (most_outside + 1); ++outside) {
                const Dealt group{items, first, {outside / (most_outside + 1), outside % (most_outside + 1)}};
                ASSERT_EQ(check(group, deal_out(group)), "") << words(group);
            }
        }
    }
}

TEST(DealOut, RandomGroups) {
    for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
        Random random(seed);
        Dealt group;
        group.items = random.between(2, 60);
        const auto ways = entries(group.items);
        group.first = ways[random.below(ways.size())];
        group.outside = {random.between(0, 12), random.between(0, 12)};
        ASSERT_EQ(check(group, deal_out(group)), "") << words(group) << " seed " << seed;
    }
}

/// Any two first items give trees.
TEST(DealOut, AnyTwoFirstItems) {
    for (std::uint64_t seed = 1; seed <= 2000; ++seed) {
        Random random(seed);
        Dealt group;
        group.items = random.between(1, 12);
        group.first = {random.between(0, group.items - 1), random.between(0, group.items - 1)};
        group.outside = {random.between(0, 5), random.between(0, 5)};
        const DealtOut below = deal_out(group);
        for (const std::size_t tree : {0, 1}) {
            ASSERT_EQ(check_tree(group, below, tree), "") << words(group);
        }
        for (const auto& own : below) ASSERT_LE(places_of(own), usual(group) + 1) << words(group);
    }
}

/// An inner item of one tree is almost always a leaf of the other.
TEST(DealOut, InnerItemsOfOneTreeAreLeavesOfTheOther) {
    for (int items = 2; items <= 100; ++items) {
        const Dealt group{items, {0, items - 1}, {}};
        const DealtOut below = deal_out(group);
        ASSERT_EQ(check(group, below), "");
        int in_both = 0;
        for (const auto& own : below) in_both += !own[0].empty() && !own[1].empty() ? 1 : 0;
        EXPECT_LE(in_both, 1) << items;
    }
}

/// The bound is tight.
TEST(DealOut, WhereMoreThanTwoPlacesAreNeeded) {
    const auto most = [](const Dealt& group, int item) { return places_of(deal_out(group)[at(item)]); };
    EXPECT_EQ(most({2, {0, 1}, {0, 3}}, 1), 3) << "five in all for two";
    EXPECT_EQ(most({3, {0, 0}, {1, 0}}, 0), 2) << "one is passed on";
}

TEST(DealOut, TheChecksCanFail) {
    const Dealt group{5, {0, 4}, {1, 1}};
    const DealtOut right = deal_out(group);
    const auto fault = [&](auto&& change, Dealt of) {
        DealtOut wrong = right;
        change(wrong);
        return check(of, wrong);
    };
    EXPECT_EQ(fault([](DealtOut&) {}, group), "");
    EXPECT_NE(fault([](DealtOut& wrong) { wrong[3][0].push_back(-1); }, group), "");
    EXPECT_NE(fault([](DealtOut& wrong) { wrong[3][0].push_back(4); }, group), "");
    EXPECT_NE(fault([](DealtOut& wrong) { wrong[0][0].erase(wrong[0][0].begin()); }, group), "");
    EXPECT_NE(fault([](DealtOut& wrong) { wrong[2][0].clear(); }, group), "");
    EXPECT_NE(fault([](DealtOut& wrong) { std::swap(wrong[0][0][0], wrong[0][0][1]); }, group), "");
    EXPECT_NE(fault(
                  [](DealtOut& wrong) {
                      wrong[1][0] = {2, 3, 4}, wrong[2][0].clear();
                  },
                  group),
              "")
        << "three below one";
    EXPECT_NE(fault([](DealtOut& wrong) { wrong[2][0] = {}, wrong[4][0] = {4}; }, group), "")
        << "below itself";
}

}  // namespace
}  // namespace deal_out_test
