// Predicted times of coll/tuned's patterns: sums computed by hand, bounds of the links, and the estimates
// for many ranks against the patterns run message by message.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <random>

#include "algorithms/cost/links.h"
#include "algorithms/cost/model.h"
#include "algorithms/openmpi_cost/forward_cost.h"
#include "algorithms/openmpi_cost/tuned.h"
#include "plans.h"

namespace tuned_cost_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;

/// Returns the schedule of a base algorithm of Open MPI's Reduce.
MessageSchedule reduce_of(Algorithm algorithm, int ranks, std::size_t bytes, int root) {
    return schedule_of({LevelTask::reduce, algorithm, bytes, root}, ranks);
}

/// Two sites of two nodes of four, the ranks' nodes given.
Hierarchy four_nodes(const std::vector<int>& node) {
    std::vector<int> site;
    for (const int n : node) site.push_back(n / 2);
    return make_hierarchy(top_switch, {{leaf_switch, site}, {node_level, node}},
                          static_cast<int>(node.size()));
}
std::vector<int> dealt() {
    std::vector<int> node;
    for (int rank = 0; rank < 16; ++rank) node.push_back(rank % 4);
    return node;
}

TEST(TunedCost, ShortOnesByHand) {
    const LinkTable links = round_links();
    const double combine = 8 / combined_bytes_per_us;
    const double hop = 1 + 0.08 + 2 + 1;
    // Reduce on 8 ranks: binary, 0 <- 1 2, 1 <- 3 5, 2 <- 4 6, 3 <- 7. The vector of 7 takes three hops and
    // is combined on each; 1 receives and combines 5's vector, which arrived long ago, before it sends; 0
    // does so with 2's.
    EXPECT_DOUBLE_EQ(forward_cost_us(one_node(8), links, {Collective::reduce, 8, 0}),
                     3 * (hop + combine) + 2 * (1.08 + combine));
    // Allreduce on 4: two exchanges, whose latency covers the work at both ends.
    EXPECT_DOUBLE_EQ(forward_cost_us(one_node(4), links, {Collective::allreduce, 16}),
                     2 * (1 + 0.16 + 2 + 1 + 2 * combine));
    EXPECT_DOUBLE_EQ(forward_cost_us(one_node(16), links, {Collective::barrier}), 4 * 4);
    // Allgather on 4, a byte each: one byte, then two.
    EXPECT_DOUBLE_EQ(forward_cost_us(one_node(4), links, {Collective::allgather, 4}), 4.01 + 4.02);
    for (int op = 0; op < collective_count; ++op) {
        EXPECT_EQ(forward_cost_us(one_node(1), links, {static_cast<Collective>(op), 8}), 0);
    }
}

TEST(TunedCost, TheUplinkCarriesWhatThePatternSendsOverIt) {
    // Bytes over the busier direction of the uplink between two sites, in units of the size:
    // test_tuned_patterns counts both directions. 25 bytes per microsecond.
    struct Case {
        Collective collective;
        double block;
        double cyclic;
    };
    const Case cases[] = {{Collective::reduce, 1, 4},
                          {Collective::allreduce, 1, 4},
                          {Collective::allgather, 64 / 16.0, 16 / 16.0},
                          {Collective::allgatherv, 15 / 16.0, 60 / 16.0}};
    const std::size_t bytes = 16 * mib;
    for (const Case& expected : cases) {
        const auto us = [&](const std::vector<int>& node) {
            return forward_cost_us(four_nodes(node), two_sites(50), {expected.collective, bytes, 0});
        };
        const double once = static_cast<double>(bytes) / 25;
        const std::string name(name_of(expected.collective));
        EXPECT_GT(us(blocks(16, 4)), expected.block * once) << name;
        EXPECT_LT(us(blocks(16, 4)), 1.45 * expected.block * once) << name;
        EXPECT_GT(us(dealt()), expected.cyclic * once) << name;
        EXPECT_LT(us(dealt()), 1.45 * expected.cyclic * once) << name;
    }
}

TEST(TunedCost, GrowsWithBytesWithinOneAlgorithm) {
    const Hierarchy nodes = nodes_below_switch(4, 4);
    for (int op = 0; op < collective_count; ++op) {
        const auto collective = static_cast<Collective>(op);
        if (!traits_of(collective).sized || collective == Collective::barrier) continue;
        for (std::size_t bytes = 32 * mib; bytes < 1024 * mib; bytes *= 2) {
            EXPECT_LT(forward_cost_us(nodes, LinkTable{}, {collective, bytes}),
                      forward_cost_us(nodes, LinkTable{}, {collective, 2 * bytes}))
                << name_of(collective) << ' ' << bytes;
        }
    }
}

/// The tree engine's model must agree for the same edges without segments. Full trees only: in others a
/// long message waits until an earlier receive completes.
TEST(TunedCost, AgreesWithTheEnginesModelOnTheSameTree) {
    for (const int ranks : {2, 4, 8, 16, 32}) {
        for (const Hierarchy& hierarchy : {one_node(ranks), make_hierarchy(leaf_switch, {}, ranks)}) {
            for (const LinkTable& links : {LinkTable{}, round_links()}) {
                for (const std::size_t bytes : {8, 1000, 100000}) {
                    const auto schedule_us = [&](const MessageSchedule& schedule) {
                        FlatModel model(hierarchy, links);
                        return latest(run_schedule(model, schedule));
                    };
                    const auto tree_us = [&](Collective collective, Algorithm shape, std::size_t total) {
                        return tree_cost_us(hierarchy, links, uniform(hierarchy, shape, 0),
                                            {collective, total, 0});
                    };
                    for (const Algorithm shape : {Algorithm::binomial, Algorithm::pipeline}) {
                        const double us = schedule_us(reduce_of(shape, ranks, bytes, 0));
                        EXPECT_NEAR(tree_us(Collective::reduce, shape, bytes), us, 0.01 * us) << ranks;
                    }
                    const double us = schedule_us(gather_schedule(Algorithm::binomial, ranks, bytes, 0));
                    const std::size_t total = bytes * static_cast<std::size_t>(ranks);
                    EXPECT_NEAR(tree_us(Collective::gather, Algorithm::binomial, total), us, 0.01 * us)
                        << ranks;
                }
            }
        }
    }
}

TEST(TunedCost, OperatorsThatDoNotCommuteTakeTheirOwnPatterns) {
    Operation operation{Collective::allreduce, 64 * mib};
    const Hierarchy node = one_node(16);
    const double halving = forward_cost_us(node, LinkTable{}, operation);
    operation.rank_order = true;
    EXPECT_GT(forward_cost_us(node, LinkTable{}, operation), 1.5 * halving) << "whole vectors, four times";
}

/// Hierarchies of some shapes, ranks in block order, cyclic and shuffled.
std::vector<Hierarchy> orders(int least_ranks) {
    std::mt19937 random(7);
    std::vector<Hierarchy> all;
    for (const int sites : {1, 2, 4}) {
        for (const int nodes : {2, 4}) {
            for (const int per_node : {3, 4, 8}) {
                const int ranks = sites * nodes * per_node;
                if (ranks < least_ranks || ranks > 64) continue;
                std::vector<int> node = blocks(ranks, per_node);
                std::vector<int> cyclic;
                for (int rank = 0; rank < ranks; ++rank) cyclic.push_back(rank % (sites * nodes));
                std::vector<int> shuffled = node;
                std::shuffle(shuffled.begin(), shuffled.end(), random);
                for (const std::vector<int>& order : {node, cyclic, shuffled}) {
                    std::vector<std::pair<LevelKey, std::vector<int>>> levels{{node_level, order}};
                    std::vector<int> site;
                    for (const int n : order) site.push_back(n / nodes);
                    if (sites > 1) levels.insert(levels.begin(), {leaf_switch, site});
                    all.push_back(make_hierarchy(sites > 1 ? top_switch : leaf_switch, levels, ranks));
                }
            }
        }
    }
    return all;
}

constexpr std::size_t estimated_sizes[] = {8, 1000, 20000, 100000, 1000000};

TEST(TunedRings, TheEstimateOfARingIsALowerBoundAndClose) {
    for (const Hierarchy& hierarchy : orders(4)) {
        for (const LinkTable& links : {LinkTable{}, round_links(), two_sites(500)}) {
            for (const std::size_t bytes : estimated_sizes) {
                for (const std::size_t combined : {std::size_t{0}, bytes}) {
                    const int ranks = hierarchy.ranks();
                    FlatModel model(hierarchy, links);
                    const double exact =
                        latest(run_schedule(model, ring_schedule(ranks, bytes, ranks - 1, combined)));
                    const double estimate = ring_estimate_us(hierarchy, links, bytes, ranks - 1, combined);
                    EXPECT_LE(estimate, 1.01 * exact) << ranks << " ranks, " << bytes;
                    EXPECT_GE(estimate, 0.72 * exact) << ranks << " ranks, " << bytes;
                }
            }
        }
    }
}

TEST(TunedRings, TheEstimateOfANeighbourExchangeIsClose) {
    for (const Hierarchy& hierarchy : orders(16)) {
        if (hierarchy.ranks() % 2 != 0) continue;
        for (const LinkTable& links : {LinkTable{}, round_links(), two_sites(500)}) {
            for (const std::size_t bytes : estimated_sizes) {
                FlatModel model(hierarchy, links);
                const double exact = latest(run_schedule(model, neighbor_schedule(hierarchy.ranks(), bytes)));
                const double estimate = neighbor_estimate_us(hierarchy, links, bytes);
                EXPECT_LE(estimate, 1.15 * exact) << hierarchy.ranks() << " ranks, " << bytes;
                EXPECT_GE(estimate, 0.6 * exact) << hierarchy.ranks() << " ranks, " << bytes;
            }
        }
    }
}

TEST(TunedRings, ManyRanksAreEstimated) {
    // 1000 ranks: a million messages each.
    const Hierarchy many = sites_of_nodes(4, 10, 25);
    const auto us = [](const Hierarchy& hierarchy, Algorithm algorithm) {
        FlatRounds rounds(hierarchy);
        return call_us(hierarchy, LinkTable{}, {LevelTask::allgather, algorithm, kib}, rounds);
    };
    EXPECT_EQ(us(many, Algorithm::ring), ring_estimate_us(many, LinkTable{}, kib, 999, 0));
    EXPECT_EQ(us(many, Algorithm::neighbor), neighbor_estimate_us(many, LinkTable{}, kib));
    const Hierarchy few = sites_of_nodes(2, 2, 4);
    FlatModel model(few, LinkTable{});
    EXPECT_EQ(us(few, Algorithm::ring), latest(run_schedule(model, ring_schedule(16, kib, 15, 0))));
}

// From one rank to the next rounds are no longer run, but estimated: the prediction must not notice.
TEST(TunedCost, NothingJumpsWhereEstimatesBegin) {
    constexpr int last = 455;
    ASSERT_FALSE(many_rounds(last));
    ASSERT_TRUE(many_rounds(last + 1));
    for (std::size_t bytes = 8; bytes <= 64 * mib; bytes *= 2) {
        const Operation operation{Collective::allreduce, bytes, 0};
        const double run = forward_cost_us(one_node(last), LinkTable{}, operation);
        const double estimated = forward_cost_us(one_node(last + 1), LinkTable{}, operation);
        EXPECT_NEAR(estimated / run, 1, 0.05) << bytes;
    }
}

TEST(TunedRings, OtherPatternsHaveFewMessages) {
    const auto messages = [](const MessageSchedule& schedule) {
        std::size_t count = 0;
        for (const auto& steps : schedule.steps) {
            for (const ScheduleStep& step : steps) count += step.to >= 0 ? 1 : 0;
        }
        return count;
    };
    for (const int ranks : {100, 1000, 1024, 5000}) {
        const std::size_t rounds = std::bit_width(static_cast<unsigned>(ranks));
        const std::size_t most = 2 * rounds * static_cast<std::size_t>(ranks);
        for (std::size_t bytes = 1; bytes < 1024 * mib; bytes *= 2) {
            for (const bool commutes : {true, false}) {
                const Algorithm reduce = tuned_reduce_algorithm(ranks, bytes, commutes);
                EXPECT_LE(messages(reduce_of(reduce, ranks, bytes, 0)), most);
                const Algorithm allreduce = tuned_allreduce_algorithm(ranks, bytes, commutes);
                EXPECT_LE(messages(allreduce_schedule(allreduce, ranks, bytes)), most);
            }
            const Algorithm gather = tuned_gather_algorithm(ranks, bytes);
            EXPECT_LE(messages(gather_schedule(gather, ranks, bytes, 0)), most);
            const Algorithm scatter = tuned_scatter_algorithm(ranks, bytes);
            EXPECT_LE(messages(scatter_schedule(scatter, ranks, bytes, 0)), most);
        }
        EXPECT_LE(messages(barrier_schedule(tuned_barrier_algorithm(ranks), ranks)), most);
        EXPECT_LE(messages(allgather_schedule(Algorithm::bruck, ranks, 8)), most);
    }
}

}  // namespace
}  // namespace tuned_cost_test
