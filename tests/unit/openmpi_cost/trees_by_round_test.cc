// The estimate of trees round by round, compared with their message schedules.
#include <gtest/gtest.h>

#include <cmath>

#include "algorithms/openmpi_cost/tuned.h"
#include "plans.h"

namespace trees_by_round_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;

constexpr TunedCall calls[] = {
    {LevelTask::bcast, Algorithm::binomial},         {LevelTask::bcast, Algorithm::knomial},
    {LevelTask::bcast, Algorithm::binary},           {LevelTask::reduce, Algorithm::binomial},
    {LevelTask::gather, Algorithm::binomial},        {LevelTask::scatter, Algorithm::binomial},
    {LevelTask::scatter, Algorithm::linear_nb},      {LevelTask::barrier, Algorithm::recursive_tree},
    {LevelTask::reduce, Algorithm::in_order_binary}, {LevelTask::bcast, Algorithm::linear},
    {LevelTask::reduce, Algorithm::linear},
};

/// Returns estimated / scheduled time.
double ratio(const Hierarchy& hierarchy, const TunedCall& call) {
    FlatModel estimated(hierarchy, {});
    FlatModel scheduled(hierarchy, {});
    const auto us = by_round_us(estimated, call);
    EXPECT_TRUE(us) << info(call.algorithm).name;
    return *us / schedule_us(scheduled, schedule_of(call, hierarchy.ranks()));
}

TEST(TreesByRound, TakeAsLongAsTheirMessages) {
    double logarithms = 0;
    int count = 0;
    for (const auto& [nodes, ranks] : {std::pair{4, 4}, {12, 4}, {100, 3}, {73, 7}, {64, 8}}) {
        const Hierarchy hierarchy = nodes_below_switch(nodes, ranks);
        for (TunedCall call : calls) {
            for (const std::size_t bytes : {8UL, 4 * kib, 256 * kib}) {
                for (const int root : {0, hierarchy.ranks() / 2 + 1}) {
                    call.bytes = call.task == LevelTask::barrier ? 0 : bytes;
                    call.root = call.task == LevelTask::barrier ? 0 : root;
                    const double error = std::abs(std::log(ratio(hierarchy, call)));
                    EXPECT_LT(error, 0.35) << info(call.algorithm).name << ' ' << hierarchy.ranks() << ' '
                                           << bytes << ' ' << root;
                    logarithms += error;
                    ++count;
                }
            }
        }
    }
    EXPECT_LT(logarithms / count, 0.04);
}

TEST(TreesByRound, AreExactForPowersOfTwoInBlockOrder) {
    const Hierarchy hierarchy = nodes_below_switch(64, 8);
    for (TunedCall call : calls) {
        const bool from_the_nearest = call.task == LevelTask::bcast && call.algorithm == Algorithm::binomial;
        if (from_the_nearest || call.algorithm == Algorithm::binary ||
            call.algorithm == Algorithm::in_order_binary)
            continue;  // their messages of one round begin at different times
        call.bytes = call.task == LevelTask::barrier ? 0 : 4 * kib;
        EXPECT_NEAR(ratio(hierarchy, call), 1, 1e-9)
            << info(call.algorithm).name << static_cast<int>(call.task);
    }
}

TEST(TreesByRound, LinearPatternsAreExact) {
    for (const auto& [nodes, ranks] : {std::pair{4, 4}, {73, 7}}) {
        const Hierarchy hierarchy = nodes_below_switch(nodes, ranks);
        for (const LevelTask task : {LevelTask::bcast, LevelTask::reduce}) {
            for (const std::size_t bytes : {8UL, 4 * kib, 256 * kib}) {
                for (const int root : {0, hierarchy.ranks() / 2 + 1}) {
                    EXPECT_NEAR(ratio(hierarchy, {task, Algorithm::linear, bytes, root}), 1, 1e-9)
                        << hierarchy.ranks() << ' ' << bytes << ' ' << root << ' ' << static_cast<int>(task);
                }
            }
        }
    }
}

TEST(TreesByRound, OtherPatternsAreLeftToTheirSchedules) {
    const Hierarchy hierarchy = nodes_below_switch(4, 4);
    FlatModel model(hierarchy, {});
    EXPECT_FALSE(by_round_us(model, {LevelTask::bcast, Algorithm::scatter_allgather, 1 << 20}));
    EXPECT_FALSE(by_round_us(model, {LevelTask::allreduce, Algorithm::recursive_doubling, 8}));
    EXPECT_FALSE(by_round_us(model, {LevelTask::gather, Algorithm::linear, 8}));
}

}  // namespace
}  // namespace trees_by_round_test
