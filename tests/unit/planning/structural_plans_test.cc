// Plans by formulas that communicators with equal groups in other orders of ranks share.
#include "algorithms/planning/structural_plans.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

#include "algorithms/base/plan_hash.h"
#include "algorithms/cost/model.h"
#include "algorithms/openmpi_cost/forward_cost.h"
#include "algorithms/planning/plan_table.h"
#include "plans.h"
#include "random_shapes.h"
#include "topology/canonical_order.h"
#include "topology/sub_hierarchy.h"

namespace structural_plans_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;

Hierarchy shuffled(const Hierarchy& hierarchy, unsigned seed) {
    std::vector<int> kept(hierarchy.stop.size());
    std::iota(kept.begin(), kept.end(), 0);
    std::shuffle(kept.begin(), kept.end(), std::mt19937(seed));
    return strata::topology::sub_hierarchy(hierarchy, kept);
}

constexpr Collective collectives[] = {Collective::bcast, Collective::reduce, Collective::allreduce,
                                      Collective::allgather, Collective::gather};

class SharedPlans : public ::testing::Test {
protected:
    PlanTable::Entry first(const Hierarchy& hierarchy, Operation operation,
                           const std::shared_ptr<StructuralPlans>& shared) const {
        PlanTable table(hierarchy, settings, false, 1, shared);
        if (!traits_of(operation.collective).rooted)
            operation.root = table.planner().tree_root(operation.rank_order);
        return table.at(table.planner().class_of(operation), ByLevels::maybe);
    }

    static constexpr std::size_t plenty = std::size_t{1} << 20;
    PlanSettings settings;
    std::shared_ptr<StructuralPlans> shared = std::make_shared<StructuralPlans>(plenty);
};

/// Ranks may have made other plans before, so a found plan must be the one that would be made.
void expect_same(const PlanTable::Entry& with, const PlanTable::Entry& alone) {
    EXPECT_EQ(hash_of(with.plan), hash_of(alone.plan)) << with.plan.reason << " / " << alone.plan.reason;
    EXPECT_EQ(with.plan.predicted_us, alone.plan.predicted_us);
    EXPECT_EQ(with.plan.forward_us, alone.plan.forward_us);
    EXPECT_EQ(with.search_after, alone.search_after);
    EXPECT_FALSE(alone.found);
}

TEST_F(SharedPlans, AreThoseOfTheCommunicatorAlone) {
    int found = 0;
    for (unsigned seed = 1; seed <= 4; ++seed) {
        const Hierarchy hierarchy = shuffled(sites_of_nodes(2, 4, 4), seed);
        for (const Collective collective : collectives) {
            for (const std::size_t bytes : {8UL, 4096UL}) {
                const PlanTable::Entry with = first(hierarchy, {collective, bytes}, shared);
                expect_same(with, first(hierarchy, {collective, bytes}, nullptr));
                found += with.found ? 1 : 0;
            }
        }
    }
    EXPECT_GE(found, 30) << "else nothing is tested";
    EXPECT_LE(shared->bytes(), plenty);
}

/// With ranks far from the NIC, links inside nodes, and machines of unequal parts in another numbering.
TEST_F(SharedPlans, AreThoseOfIrregularCommunicatorsAlone) {
    settings.links.set({LevelKind::cluster, std::nullopt}, {10, 1, 1000, 4096, 1});
    settings.links.set({LevelKind::node, std::nullopt}, {0.7, 0.2, 7000, 4096, 4});
    settings.links.set({LevelKind::numa, std::nullopt}, {0.5, 0.2, 9000, 4096, 4});
    int found = 0;
    int planned = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        Random random(seed);
        Hierarchy hierarchy = random_hierarchy(random, {48, 5});
        if (hierarchy.ranks() < 3) continue;
        if (seed % 2 == 0) {
            for (int rank = 0; rank < hierarchy.ranks(); ++rank) {
                const int node = hierarchy.widest_in_node(rank);
                const bool far = node >= 0 && random.percent(50);
                hierarchy.receivers.push_back(far ? hierarchy.groups[node].leader : rank);
            }
        }
        const int root = random.between(0, hierarchy.ranks() - 1);
        const auto order = strata::topology::canonical_order(hierarchy, root);
        const Hierarchy other = renumbered(hierarchy, order);
        for (const Collective collective : {Collective::bcast, Collective::reduce, Collective::gather}) {
            for (const std::size_t bytes : {8UL, 1024UL, 65536UL}) {
                first(other, {collective, bytes, 0}, shared);
                const PlanTable::Entry with = first(hierarchy, {collective, bytes, root}, shared);
                expect_same(with, first(hierarchy, {collective, bytes, root}, nullptr));
                found += with.found ? 1 : 0;
                planned += with.plan.engine != Engine::forward ? 1 : 0;
            }
        }
    }
    EXPECT_GT(found, 50) << "else nothing is tested";
    EXPECT_GT(planned, 50) << "else nothing is tested";
}

TEST_F(SharedPlans, AreWeighedInEveryOrder) {
    const Hierarchy blocks = sites_of_nodes(2, 4, 4);
    const Operation operation{Collective::allgather, 128 * 32};
    const PlanTable::Entry in_order = first(blocks, operation, shared);
    EXPECT_FALSE(in_order.found);
    for (unsigned seed = 1; seed < 4; ++seed) {
        const Hierarchy hierarchy = shuffled(blocks, seed);
        const PlanTable::Entry other = first(hierarchy, operation, shared);
        EXPECT_TRUE(other.found);
        Operation there = operation;
        there.root = hierarchy.groups.front().leader;
        EXPECT_EQ(other.plan.forward_us, forward_cost_us(hierarchy, settings.links, there));
        EXPECT_NE(other.plan.forward_us, in_order.plan.forward_us) << "else nothing is tested";
    }
}

TEST_F(SharedPlans, AnOrderOfRanksIsNotShared) {
    const Operation operation{Collective::allreduce, 8, 0, true};
    for (unsigned seed = 0; seed < 3; ++seed)
        EXPECT_FALSE(first(shuffled(sites_of_nodes(2, 4, 4), seed), operation, shared).found);
    EXPECT_EQ(shared->bytes(), 0U);
}

TEST_F(SharedPlans, OtherOperationsAndRootsHaveOthers) {
    const Hierarchy machine = sites_of_nodes(2, 2, 4);
    EXPECT_FALSE(first(machine, {Collective::bcast, 64}, shared).found);
    EXPECT_TRUE(first(machine, {Collective::bcast, 64}, shared).found);
    EXPECT_TRUE(first(machine, {Collective::bcast, 64, 5}, shared).found) << "an equal place";
    EXPECT_FALSE(first(dealt_out(2, 2, 4), {Collective::bcast, 64, 5}, nullptr).found);
    EXPECT_FALSE(first(machine, {Collective::bcast, 128}, shared).found);
    EXPECT_FALSE(first(machine, {Collective::reduce, 64}, shared).found);
    EXPECT_FALSE(first(sites_of_nodes(2, 2, 5), {Collective::bcast, 64}, shared).found);
}

TEST_F(SharedPlans, AreBounded) {
    const auto few = std::make_shared<StructuralPlans>(4096);
    for (int nodes = 2; nodes < 40; ++nodes) {
        first(sites_of_nodes(2, nodes, 2), {Collective::bcast, 64}, few);
        EXPECT_LE(few->bytes(), 4096U);
        EXPECT_GT(few->bytes(), 0U);
    }
    EXPECT_FALSE(first(sites_of_nodes(2, 2, 2), {Collective::bcast, 64}, few).found);
}

TEST_F(SharedPlans, LargeCommunicatorsHaveTheirOwn) {
    for (int turn = 0; turn < 2; ++turn)
        EXPECT_FALSE(first(nodes_below_switch(33, 8), {Collective::bcast, 64}, shared).found);
}

/// Trees and exchanges depend on what canonical_order() calls the structure, and on nothing else.
TEST(StructuralPlans, CanonicalNumbersTakeAsLong) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        Random random(seed);
        const Hierarchy hierarchy = random_hierarchy(random, {40, 5});
        const bool exchanges = seed % 2 == 0;
        const int root =
            exchanges ? hierarchy.groups.front().leader : random.between(0, hierarchy.ranks() - 1);
        const Collective collective = exchanges ? Collective::allreduce : Collective::bcast;
        const auto order = strata::topology::canonical_order(hierarchy, root);
        const Hierarchy other = renumbered(hierarchy, order);
        ASSERT_EQ(validate(other), "");
        std::vector<strata::topology::LevelKey> skipped = hierarchy.levels();
        skipped.erase(skipped.begin());
        std::erase_if(skipped, [&](const auto&) { return random.percent(50); });
        for (const Algorithm shape :
             {Algorithm::linear, Algorithm::binomial, Algorithm::knomial, Algorithm::recursive_doubling}) {
            if (shape == Algorithm::recursive_doubling && !exchanges) continue;
            Plan plan = uniform_plan(hierarchy, {Algorithm::binomial, 0, {}}, exchanges ? 0 : 8192);
            plan.levels.front().method = {shape, 0, {}};
            plan.skipped = skipped;
            std::erase_if(plan.levels, [&](const LevelPlan& level) {
                return std::ranges::find(skipped, level.level) != skipped.end();
            });
            EXPECT_DOUBLE_EQ(tree_cost_us(hierarchy, LinkTable{}, plan, {collective, 100'000, root}),
                             tree_cost_us(other, LinkTable{}, plan, {collective, 100'000, 0}))
                << seed << ' ' << info(shape).name;
        }
    }
}

}  // namespace
}  // namespace structural_plans_test
