// The model's patterns of coll/tuned: bytes over the boundaries of nodes and sites against numbers derived
// by hand, and the bytes that every rank must send and receive.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <utility>

#include "algorithms/openmpi_cost/tuned.h"
#include "plans.h"

namespace tuned_patterns_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;
using enum Algorithm;

/// Returns the schedule of a base algorithm of Open MPI's Reduce.
MessageSchedule reduce_of(Algorithm algorithm, int ranks, std::size_t bytes, int root) {
    return schedule_of({LevelTask::reduce, algorithm, bytes, root}, ranks);
}

struct Traffic {
    std::size_t messages = 0;
    std::size_t bytes = 0;
    bool operator==(const Traffic&) const = default;
    friend std::ostream& operator<<(std::ostream& out, const Traffic& traffic) {
        return out << traffic.messages << " messages, " << traffic.bytes << " bytes";
    }
};

/// The bytes from the ranks of one colour to those of other colours.
Traffic crossing(const MessageSchedule& schedule, const std::vector<int>& colour) {
    Traffic traffic;
    for (std::size_t rank = 0; rank < schedule.steps.size(); ++rank) {
        for (const ScheduleStep& step : schedule.steps[rank]) {
            if (step.to < 0 || colour[rank] == colour[step.to]) continue;
            ++traffic.messages;
            traffic.bytes += step.bytes;
        }
    }
    return traffic;
}

/// 16 ranks, four per node, two nodes per site: in block order and cyclic.
struct Layout {
    std::vector<int> node;
    std::vector<int> site;
};
Layout block() { return {blocks(16, 4), blocks(16, 8)}; }
Layout cyclic() {
    Layout layout;
    for (int rank = 0; rank < 16; ++rank) {
        layout.node.push_back(rank % 4);
        layout.site.push_back(rank % 4 / 2);
    }
    return layout;
}

void expect(const MessageSchedule& schedule, Traffic block_nodes, Traffic block_sites, Traffic cyclic_nodes,
            Traffic cyclic_sites) {
    EXPECT_EQ(crossing(schedule, block().node), block_nodes);
    EXPECT_EQ(crossing(schedule, block().site), block_sites);
    EXPECT_EQ(crossing(schedule, cyclic().node), cyclic_nodes);
    EXPECT_EQ(crossing(schedule, cyclic().site), cyclic_sites);
}

constexpr std::size_t m = 1600;  // a vector
constexpr std::size_t b = 100;   // a block

TEST(TunedPatterns, ReduceAcrossBoundaries) {
    // Binomial edges lead 8 ranks back from one rank, 4 from two, 2 from four, 1 from eight. In blocks those
    // of 4 and 8 leave a node and that of 8 a site; in cyclic order those of 1 and 2, and those of 2.
    expect(reduce_of(binomial, 16, m, 0), {3, 3 * m}, {1, m}, {12, 12 * m}, {4, 4 * m});
    // 0-1 0-2 1-3 | 1-5 2-4 2-6 3-7 4-8 5-9 6-10, 3-11 4-12 5-13 6-14 7-15: the steps of 4 and 8 keep the
    // remainder by 4. Of 8: 3-11 4-12 5-13 6-14 7-15; of 4: 1-5 2-6 3-7 4-8 5-9 6-10; of 2: 0-2 1-3 2-4; 0-1.
    expect(reduce_of(binary, 16, m, 0), {12, 12 * m}, {8, 8 * m}, {4, 4 * m}, {3, 3 * m});
    expect(reduce_of(pipeline, 16, m, 0), {3, 3 * m}, {1, m}, {15, 15 * m}, {7, 7 * m});
    expect(reduce_of(linear, 16, m, 0), {12, 12 * m}, {8, 8 * m}, {12, 12 * m}, {8, 8 * m});
}

TEST(TunedPatterns, AllreduceAcrossBoundaries) {
    // Rounds over distances 1, 2, 4, 8 with m/2, m/4, m/8, m/16 from each of 16 ranks, and back.
    expect(allreduce_schedule(rabenseifner, 16, m), {64, 6 * m}, {32, 2 * m}, {64, 24 * m}, {32, 8 * m});
    expect(allreduce_schedule(recursive_doubling, 16, m), {32, 32 * m}, {16, 16 * m}, {32, 32 * m},
           {16, 16 * m});
}

TEST(TunedPatterns, AllgatherAcrossBoundaries) {
    // Distances 1, 2, 4, 8 with as many blocks from each of 16 ranks.
    expect(allgather_schedule(recursive_doubling, 16, b), {32, 192 * b}, {16, 128 * b}, {32, 48 * b},
           {16, 32 * b});
    // The same, always to lower ranks: in block order 4, 8, 16 and 16 of 16 leave a node, 2, 4, 8 and 16 a
    // site; in cyclic order all of the first two leave a node, half of the first and all of the second a
    // site.
    expect(allgather_schedule(bruck, 16, b), {44, (4 + 16 + 64 + 128) * b}, {30, (2 + 8 + 32 + 128) * b},
           {32, (16 + 32) * b}, {24, (8 + 32) * b});
    expect(allgather_schedule(ring, 16, b), {60, 60 * b}, {30, 30 * b}, {240, 240 * b}, {120, 120 * b});
    // One block within the pairs 0-1, 2-3, ..., then two within 15-0, 1-2, ... (four times) and 0-1, ...
    // (three times): in block order 4 pairs of the former leave a node and 2 a site; in cyclic order all
    // leave a node, and those of the former a site.
    expect(allgather_schedule(neighbor, 16, b), {32, 64 * b}, {16, 32 * b}, {128, (16 + 7 * 32) * b},
           {64, 128 * b});
}

TEST(TunedPatterns, GatherAndScatterAcrossBoundaries) {
    for (const bool gathers : {true, false}) {
        const auto schedule = [&](Algorithm algorithm) {
            return gathers ? gather_schedule(algorithm, 16, b, 0) : scatter_schedule(algorithm, 16, b, 0);
        };
        // As in reduce, with the blocks behind each edge.
        expect(schedule(binomial), {3, 16 * b}, {1, 8 * b}, {12, 16 * b}, {4, 8 * b});
        expect(schedule(linear), {12, 12 * b}, {8, 8 * b}, {12, 12 * b}, {8, 8 * b});
    }
    expect(scatter_schedule(linear_nb, 16, b, 0), {12, 12 * b}, {8, 8 * b}, {12, 12 * b}, {8, 8 * b});
    // An empty message before and after each block.
    expect(gather_schedule(linear_sync, 16, b, 0), {36, 12 * b}, {24, 8 * b}, {36, 12 * b}, {24, 8 * b});
}

TEST(TunedPatterns, BarrierAcrossBoundaries) {
    expect(barrier_schedule(recursive_doubling, 16), {32, 0}, {16, 0}, {32, 0}, {16, 0});
    expect(barrier_schedule(bruck, 16), {44, 0}, {30, 0}, {32, 0}, {24, 0});
    expect(barrier_schedule(linear, 16), {24, 0}, {16, 0}, {24, 0}, {16, 0});
    expect(barrier_schedule(recursive_tree, 16), {6, 0}, {2, 0}, {24, 0}, {8, 0});
}

TEST(TunedPatterns, TheCountSeesAMessageTooMany) {
    MessageSchedule schedule = reduce_of(binomial, 16, m, 0);
    schedule.send(15, 0, 1);
    EXPECT_EQ(crossing(schedule, block().node), (Traffic{4, 3 * m + 1}));
}

struct Shares {
    std::vector<std::size_t> sent;
    std::vector<std::size_t> got;
    std::vector<std::size_t> combined;
};

/// Bytes by rank; expects every message to have its receive.
Shares shares_of(const MessageSchedule& schedule) {
    const std::size_t ranks = schedule.steps.size();
    Shares shares{std::vector<std::size_t>(ranks), std::vector<std::size_t>(ranks),
                  std::vector<std::size_t>(ranks)};
    std::map<std::pair<int, int>, int> open;
    for (int rank = 0; rank < static_cast<int>(ranks); ++rank) {
        for (const ScheduleStep& step : schedule.steps[rank]) {
            shares.combined[rank] += step.combined;
            if (step.from >= 0) --open[{step.from, rank}];
            if (step.to < 0) continue;
            ++open[{rank, step.to}];
            shares.sent[rank] += step.bytes;
            shares.got[step.to] += step.bytes;
        }
    }
    for (const auto& [pair, count] : open) EXPECT_EQ(count, 0) << pair.first << " to " << pair.second;
    return shares;
}

constexpr int all_ranks[] = {2, 3, 4, 5, 6, 7, 8, 11, 12, 16, 17, 24, 33, 64, 100};

TEST(TunedPatterns, EveryRankGetsItsBlocks) {
    for (const int ranks : all_ranks) {
        const std::size_t others = static_cast<std::size_t>(ranks - 1) * b;
        for (const Algorithm algorithm : {recursive_doubling, bruck, ring, neighbor}) {
            if (algorithm == recursive_doubling && whole_power(ranks) != ranks) continue;
            if (algorithm == neighbor && ranks % 2 != 0) continue;
            const Shares shares = shares_of(allgather_schedule(algorithm, ranks, b));
            for (const std::size_t got : shares.got) EXPECT_EQ(got, others) << info(algorithm).name;
        }
        for (const int root : {0, ranks / 2, ranks - 1}) {
            for (const Algorithm algorithm : {binomial, linear, linear_sync}) {
                const Shares shares = shares_of(gather_schedule(algorithm, ranks, b, root));
                EXPECT_EQ(shares.got[root], others) << info(algorithm).name << ' ' << ranks;
                for (int r = 0; r < ranks; ++r) {
                    EXPECT_EQ(shares.sent[r] + (r == root ? ranks * b : 0), shares.got[r] + b);
                }
            }
            for (const Algorithm algorithm : {binomial, linear, linear_nb}) {
                const Shares shares = shares_of(scatter_schedule(algorithm, ranks, b, root));
                EXPECT_EQ(shares.sent[root], others) << info(algorithm).name << ' ' << ranks;
                for (int r = 0; r < ranks; ++r) {
                    EXPECT_EQ(shares.got[r] + (r == root ? ranks * b : 0), shares.sent[r] + b);
                }
            }
        }
    }
}

TEST(TunedPatterns, EveryVectorIsCombinedOnce) {
    const auto sum = [](const std::vector<std::size_t>& entries) {
        std::size_t total = 0;
        for (const std::size_t entry : entries) total += entry;
        return total;
    };
    for (const int ranks : all_ranks) {
        const std::size_t others = static_cast<std::size_t>(ranks - 1) * m;
        for (const int root : {0, ranks / 2, ranks - 1}) {
            for (const Algorithm algorithm : {linear, pipeline, binary, binomial, in_order_binary}) {
                const Shares shares = shares_of(reduce_of(algorithm, ranks, m, root));
                EXPECT_EQ(sum(shares.combined), others) << info(algorithm).name << ' ' << ranks;
                const bool moved = algorithm == in_order_binary && root != ranks - 1;
                EXPECT_EQ(sum(shares.sent), others + (moved ? m : 0));
                EXPECT_EQ(shares.sent[root], moved && ranks > 1 ? shares.sent[root] : 0U);
            }
        }
        // Each half of a vector, each quarter, ...: combined once per pair, so that nothing is combined
        // twice.
        EXPECT_EQ(sum(shares_of(allreduce_schedule(rabenseifner, ranks, m)).combined), others);
        EXPECT_EQ(sum(shares_of(ring_schedule(ranks, m, ranks - 1, m)).combined),
                  others * static_cast<std::size_t>(ranks));
    }
}

TEST(TunedPatterns, TheInOrderTreeCombinesNeighbouringRanges) {
    // Of 16: 15 combines 14, behind which are 8..14, and 7, behind which are 0..7.
    const MessageSchedule schedule = reduce_of(in_order_binary, 16, m, 15);
    ASSERT_EQ(schedule.steps[15].size(), 2U);
    EXPECT_EQ(schedule.steps[15][0].from, 14);
    EXPECT_EQ(schedule.steps[15][1].from, 7);
    EXPECT_EQ(schedule.steps[7][0].from, 6);
    EXPECT_EQ(schedule.steps[7][1].from, 3);
    EXPECT_EQ(schedule.steps[14][0].from, 13);
    EXPECT_EQ(schedule.steps[14][1].from, 10);
}

TEST(TunedPatterns, AllEnd) {
    for (const int ranks : all_ranks) {
        for (const std::size_t bytes : {std::size_t{0}, std::size_t{8}, 3 * kib, 100 * kib, mib}) {
            LinkTable links;  // handshakes above 4 KiB
            const Hierarchy node = one_node(ranks);
            const auto expect_end = [&](const MessageSchedule& schedule) {
                shares_of(schedule);
                FlatModel model(node, links);
                const double us = latest(run_schedule(model, schedule));
                EXPECT_GT(us, 1);
                EXPECT_LT(us, 1e9) << ranks << ' ' << bytes;
            };
            for (const Algorithm algorithm : {recursive_doubling, rabenseifner}) {
                expect_end(allreduce_schedule(algorithm, ranks, bytes));
            }
            for (const Algorithm algorithm : {linear, pipeline, binary, binomial, in_order_binary}) {
                expect_end(reduce_of(algorithm, ranks, bytes, ranks / 2));
            }
            for (const Algorithm algorithm : {bruck, ring}) {
                expect_end(allgather_schedule(algorithm, ranks, bytes));
            }
            for (const Algorithm algorithm : {binomial, linear, linear_sync}) {
                expect_end(gather_schedule(algorithm, ranks, bytes, ranks / 2));
            }
            for (const Algorithm algorithm : {binomial, linear, linear_nb}) {
                expect_end(scatter_schedule(algorithm, ranks, bytes, ranks / 2));
            }
            if (ranks % 2 == 0) expect_end(neighbor_schedule(ranks, bytes));
        }
        for (const Algorithm algorithm : {linear, recursive_doubling, bruck, recursive_tree}) {
            const Hierarchy node = one_node(ranks);
            FlatModel model(node, round_links());
            EXPECT_LT(latest(run_schedule(model, barrier_schedule(algorithm, ranks))), 1e6) << ranks;
        }
    }
}

// The square of the radix exceeds an int.
TEST(TunedPatterns, TreesOfAWideRadixReachEverybodyOnce) {
    for (const int radix : {2, 65535, 65536}) {
        const int ranks = 65536 + 2;
        const FlatChildren children = knomial_children(ranks, radix);
        std::vector<int> parents(static_cast<std::size_t>(ranks), 0);
        for (int v = 0; v < ranks; ++v) {
            for (const int child : children[static_cast<std::size_t>(v)]) {
                EXPECT_GT(child, v);
                ASSERT_LT(child, ranks);
                ++parents[static_cast<std::size_t>(child)];
            }
        }
        EXPECT_EQ(parents.front(), 0) << radix;
        EXPECT_EQ(std::count(parents.begin() + 1, parents.end(), 1), ranks - 1) << radix;
    }
    EXPECT_EQ(knomial_children(65538, 65536).front().front(), 65536);
}

}  // namespace
}  // namespace tuned_patterns_test
