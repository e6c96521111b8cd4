// The plans that the cache keeps for later communicators.
#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "algorithms/planning/plan_cache.h"
#include "plans.h"
#include "topology/fact_hash.h"

namespace plan_cache_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;

class CachedPlans : public ::testing::Test {
protected:
    PlanCache::SharedTable make(int nodes) const {
        return std::shared_ptr<PlanTable>(new PlanTable(sites_of_nodes(2, nodes, 2), settings, false, 1));
    }
    static std::uint64_t hash_of(const PlanCache::SharedTable& plan_table) {
        return strata::topology::hash_of(plan_table->hierarchy());
    }
    static void add(PlanCache& plan_cache, const PlanCache::SharedTable& plan_table) {
        plan_cache.add(hash_of(plan_table), plan_table);
    }
    static PlanCache::SharedTable find(PlanCache& plan_cache, const Hierarchy& hierarchy, int rails = 1) {
        return plan_cache.find(strata::topology::hash_of(hierarchy), hierarchy, rails);
    }
    /// Returns a table that only the cache owns.
    std::weak_ptr<PlanTable> put(PlanCache& plan_cache, int nodes, std::size_t plans = 0) const {
        const auto plan_table = make(nodes);
        add(plan_cache, plan_table);
        write(*plan_table, plans);
        plan_cache.give_back(plan_table);
        return plan_table;
    }
    static void write(PlanTable& plan_table, std::size_t plans) {
        for (std::size_t plan = 0; plan < plans; ++plan) {
            Operation operation;
            operation.bytes = std::size_t{8} << plan;
            plan_table.at(plan_table.planner().class_of(operation), ByLevels::maybe);
        }
    }
    std::size_t empty_bytes(int nodes) const { return make(nodes)->memory(); }

    PlanSettings settings;
    static constexpr std::size_t plenty = std::size_t{1} << 30;
};

TEST_F(CachedPlans, SharesTheTableOfAnEqualHierarchy) {
    PlanCache plan_cache(plenty);
    const auto plan_table = make(2);
    add(plan_cache, plan_table);
    EXPECT_EQ(find(plan_cache, sites_of_nodes(2, 2, 2)), plan_table);
    EXPECT_EQ(find(plan_cache, sites_of_nodes(2, 2, 2), 2), nullptr);  // other rails
    EXPECT_EQ(find(plan_cache, sites_of_nodes(2, 3, 2)), nullptr);
    EXPECT_EQ(plan_cache.find(hash_of(plan_table), sites_of_nodes(2, 3, 2), 1),
              nullptr);  // with an equal hash
    plan_cache.clear();
    EXPECT_EQ(find(plan_cache, sites_of_nodes(2, 2, 2)), nullptr);
    plan_cache.give_back(plan_table);
    EXPECT_EQ(find(plan_cache, sites_of_nodes(2, 2, 2)), nullptr);
    EXPECT_EQ(plan_cache.bytes(), 0U);
}

TEST_F(CachedPlans, KeepsThoseUsedLast) {
    PlanCache plan_cache(empty_bytes(2) + empty_bytes(3));
    const auto first = put(plan_cache, 2);
    const auto second = put(plan_cache, 3);
    const auto third = put(plan_cache, 4);
    EXPECT_FALSE(first.expired() || second.expired() || third.expired());
    EXPECT_NE(find(plan_cache, first.lock()->hierarchy()), nullptr);
    put(plan_cache, 1);  // three others do not fit
    EXPECT_FALSE(first.expired());
    EXPECT_TRUE(second.expired());
    EXPECT_EQ(find(plan_cache, sites_of_nodes(2, 3, 2)), nullptr);
}

TEST_F(CachedPlans, CountsATableWhenItIsReleased) {
    constexpr std::size_t plans = 12;
    PlanCache plan_cache(empty_bytes(1) * 3);
    const auto empty = put(plan_cache, 1);
    EXPECT_EQ(plan_cache.bytes(), empty.lock()->memory());
    const auto full = put(plan_cache, 2, plans);
    EXPECT_EQ(plan_cache.bytes(), empty.lock()->memory() + full.lock()->memory());
    ASSERT_GT(full.lock()->memory(), empty_bytes(1) * 3);
    const auto last = put(plan_cache, 3);
    EXPECT_TRUE(full.expired());
    EXPECT_FALSE(empty.expired() || last.expired());
    EXPECT_EQ(plan_cache.bytes(), empty.lock()->memory() + last.lock()->memory());
}

TEST_F(CachedPlans, KeepsTheLastOneWhateverItTakes) {
    PlanCache plan_cache(1);
    const auto plan_table = put(plan_cache, 4, 4);
    EXPECT_EQ(find(plan_cache, sites_of_nodes(2, 4, 2)), plan_table.lock());
    put(plan_cache, 3);
    EXPECT_TRUE(plan_table.expired());
    EXPECT_EQ(find(plan_cache, sites_of_nodes(2, 4, 2)), nullptr);
}

TEST_F(CachedPlans, FindsWhatIsInUseEvenIfItIsNotKept) {
    PlanCache plan_cache(1);
    const auto plan_table = make(2);
    add(plan_cache, plan_table);
    put(plan_cache, 3);
    EXPECT_EQ(find(plan_cache, sites_of_nodes(2, 2, 2)), plan_table);
}

TEST_F(CachedPlans, IsNotSlowedDownByExpiredTables) {
    PlanCache plan_cache(1);
    for (int round = 0; round < 300; ++round) put(plan_cache, 1 + round % 3);
    EXPECT_NE(find(plan_cache, sites_of_nodes(2, 3, 2)), nullptr);
    EXPECT_EQ(find(plan_cache, sites_of_nodes(2, 1, 2)), nullptr);
}

}  // namespace
}  // namespace plan_cache_test
