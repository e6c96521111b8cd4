#include <gtest/gtest.h>

#include <map>
#include <tuple>

#include "algorithms/openmpi_cost/message_schedule.h"
#include "algorithms/openmpi_cost/forward_cost.h"
#include "algorithms/openmpi_cost/tuned.h"
#include "make_hierarchy.h"

namespace strata::algorithms {
namespace schedules_test {
namespace {

using namespace strata::testing;

constexpr Collective modelled[] = {Collective::bcast,      Collective::reduce, Collective::allreduce,
                                   Collective::allgather,  Collective::gather, Collective::scatter,
                                   Collective::allgatherv, Collective::barrier};
constexpr std::size_t some_bytes[] = {1, 8, 100, 2048, 20000, 65536, 300000, 1 << 20, 5 << 20};

TEST(UnderlyingSchedules, EveryMessageIsReceived) {
    for (const Collective op : modelled) {
        for (const int ranks : {2, 3, 5, 8, 17, 48, 100, 300, 600}) {
            for (const std::size_t bytes : some_bytes) {
                for (const MessageSchedule& schedule : underlying_schedules({op, bytes, ranks / 3}, ranks)) {
                    std::map<std::tuple<int, int, int>, int> open;
                    for (int rank = 0; rank < ranks; ++rank) {
                        for (const ScheduleStep& step : schedule.steps[rank]) {
                            if (step.to >= 0) ++open[{rank, step.to, step.channel}];
                            if (step.from >= 0) --open[{step.from, rank, step.channel}];
                        }
                    }
                    for (const auto& [way, count] : open) {
                        EXPECT_EQ(count, 0) << name_of(op) << ' ' << ranks << ' ' << bytes;
                    }
                }
            }
        }
    }
}

/// Returns the ranks whose data each rank's result depends on, after all schedules.
std::vector<std::vector<bool>> reach(const std::vector<MessageSchedule>& schedules, int ranks) {
    std::vector<std::vector<bool>> has(ranks, std::vector<bool>(ranks, false));
    for (int rank = 0; rank < ranks; ++rank) has[rank][rank] = true;
    for (const MessageSchedule& schedule : schedules) {
        std::map<std::tuple<int, int, int>, std::vector<std::vector<bool>>> under_way;
        std::vector<std::size_t> next(ranks, 0);
        std::vector<bool> sent(ranks, false);
        for (bool moved = true; moved;) {
            moved = false;
            for (int rank = 0; rank < ranks; ++rank) {
                while (next[rank] < schedule.steps[rank].size()) {
                    const ScheduleStep& step = schedule.steps[rank][next[rank]];
                    if (step.to >= 0 && !sent[rank]) {
                        under_way[{rank, step.to, step.channel}].push_back(has[rank]);
                        sent[rank] = moved = true;
                    }
                    if (step.from >= 0) {
                        auto& queue = under_way[{step.from, rank, step.channel}];
                        if (queue.empty()) break;
                        for (int i = 0; i < ranks; ++i) has[rank][i] = has[rank][i] || queue.front()[i];
                        queue.erase(queue.begin());
                    }
                    ++next[rank];
                    sent[rank] = false;
                    moved = true;
                }
            }
        }
        for (int rank = 0; rank < ranks; ++rank)
            EXPECT_EQ(next[rank], schedule.steps[rank].size()) << "rank " << rank << " waits in vain";
    }
    return has;
}

TEST(UnderlyingSchedules, EveryRankGetsItsResult) {
    for (const Collective op : modelled) {
        const CollectiveTraits traits = traits_of(op);
        for (const int ranks : {2, 3, 6, 8, 13, 48, 100, 270}) {
            for (const std::size_t bytes : some_bytes) {
                const int root = ranks / 3;
                const auto has = reach(underlying_schedules({op, bytes, root}, ranks), ranks);
                for (int rank = 0; rank < ranks; ++rank) {
                    for (int from = 0; from < ranks; ++from) {
                        const bool due = !traits.rooted || (traits.up ? rank == root : from == root);
                        EXPECT_TRUE(!due || has[rank][from]) << name_of(op) << ' ' << ranks << ' ' << bytes
                                                             << ": " << rank << " from " << from;
                    }
                }
            }
        }
    }
}

// The executed messages equal the predicted ones.
TEST(UnderlyingSchedules, TakeAsLongAsPredicted) {
    for (const Collective op : modelled) {
        for (const int ranks : {4, 16, 50, 64}) {
            for (const std::size_t bytes : {std::size_t{8}, std::size_t{4000}, std::size_t{1} << 20}) {
                const Operation operation{op, bytes, 0};
                const auto hierarchy = one_node(ranks);
                double us = 0;
                for (const MessageSchedule& schedule : underlying_schedules(operation, ranks)) {
                    FlatModel model(hierarchy, LinkTable{});
                    us += schedule_us(model, schedule);
                }
                EXPECT_NEAR(us / forward_cost_us(hierarchy, LinkTable{}, operation), 1, 0.1)
                    << name_of(op) << ' ' << ranks << ' ' << bytes;
            }
        }
    }
}

TEST(UnderlyingSchedules, NoneForAloneAndForWhatIsNotModelled) {
    EXPECT_TRUE(underlying_schedules({Collective::bcast, 8, 0}, 1).empty());
    EXPECT_TRUE(underlying_schedules({Collective::gatherv, 8, 0}, 4).empty());
}

}  // namespace
}  // namespace schedules_test
}  // namespace strata::algorithms
