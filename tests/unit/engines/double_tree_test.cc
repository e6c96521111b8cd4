// Double trees: Bcast, Reduce and Allreduce by plans with such shapes on all or some levels.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "algorithms/engines/rails.h"
#include "double_tree_runs.h"
#include "rail_oracle.h"
#include "random_shapes.h"
#include "reduce_checks.h"
#include "windows.h"

namespace double_tree_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;
using strata::topology::Group;
using strata::topology::Hierarchy;

constexpr std::size_t eager_sizes[] = {0, 64, 1U << 30};

FabricOptions any_options(std::uint64_t seed) { return options_for(seed, eager_sizes[seed % 3]); }

/// Returns the errors of a broadcast that had to succeed.
std::string faults_of(const BcastCase& bcast, const RunReport& run) {
    std::string faults = run.text();
    for (std::size_t rank = 0; rank < run.codes.size(); ++rank) {
        if (run.codes[rank] != 0 || run.abandons[rank] != 0) {
            faults += "rank " + std::to_string(rank) + " returned " + std::to_string(run.codes[rank]) + "\n";
        }
    }
    return faults + window_faults(bcast.hierarchy, bcast.plan, Cut::by_level, run);
}

std::size_t bytes_of(const std::vector<SentMessage>& messages) {
    std::size_t bytes = 0;
    for (const SentMessage& message : messages) bytes += message.bytes;
    return bytes;
}

TEST(BcastDoubleTree, RandomTrees) {
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        Random random(seed);
        const BcastCase bcast = random_bcast_with_double_tree(random, 40, 2000);
        const RunReport run = run_double_tree(bcast, any_options(seed));
        ASSERT_EQ(faults_of(bcast, run), "") << "seed " << seed << ": " << describe(bcast);
        ASSERT_EQ(double_tree_faults(bcast, run.messages), "") << "seed " << seed << ": " << describe(bcast);
        const auto receivers = static_cast<std::size_t>(bcast.hierarchy.ranks() - 1);
        ASSERT_EQ(bytes_of(run.messages), receivers * bcast.bytes);
    }
}

TEST(ReduceDoubleTree, RandomTrees) {
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        Random random(seed);
        const ReduceCase reduce = random_reduction_with_double_tree(random, 32, 300);
        const ReduceRun run = run_double_tree(reduce, false, any_options(seed));
        ASSERT_EQ(faults_of(reduce, run), "") << "seed " << seed;
        ASSERT_EQ(double_tree_faults(reduce, false, run.report.messages), "")
            << "seed " << seed << ": " << describe(reduce);
    }
}

TEST(AllreduceDoubleTree, RandomTrees) {
    for (std::uint64_t seed = 1; seed <= 300; ++seed) {
        Random random(seed);
        const ReduceCase reduce = random_reduction_with_double_tree(random, 32, 300);
        const ReduceRun run = run_double_tree(reduce, true, any_options(seed));
        ASSERT_EQ(faults_of(reduce, run), "") << "seed " << seed;
        ASSERT_EQ(double_tree_faults(reduce, true, run.report.messages), "")
            << "seed " << seed << ": " << describe(reduce);
        for (const auto& result : run.results) {
            ASSERT_EQ(result, run.results.front()) << "different bits, seed " << seed;
        }
    }
}

/// Nothing to do: one rank, or no data.
TEST(DoubleTree, NoMessageOfNothing) {
    for (const int ranks : {1, 2, 6}) {
        for (const std::size_t length : {0U, 7U}) {
            if (ranks > 1 && length > 0) continue;
            const Hierarchy hierarchy = regular_hierarchy({ranks});
            const Plan plan = uniform_plan(hierarchy, {Algorithm::double_binary, 0, {}}, 4);
            const BcastCase bcast{hierarchy, plan, 0, length};
            const RunReport run = run_double_tree(bcast, {});
            EXPECT_EQ(faults_of(bcast, run), "");
            EXPECT_TRUE(run.messages.empty());
            ReduceCase reduce;
            reduce.hierarchy = hierarchy;
            reduce.plan = plan;
            reduce.elements = length;
            for (const bool everywhere : {false, true}) {
                const ReduceRun reduced = run_double_tree(reduce, everywhere, {});
                EXPECT_EQ(faults_of(reduce, reduced), "");
                EXPECT_TRUE(reduced.report.messages.empty());
            }
        }
    }
}

/// One element travels in the first tree only; elements are never divided.
TEST(DoubleTree, FewElements) {
    for (const Operator op : {Operator::sum_8, Operator::sum_double}) {
        for (const std::size_t elements : {1U, 2U, 3U}) {
            for (const Algorithm algorithm : {Algorithm::double_binary, Algorithm::split_binary}) {
                ReduceCase reduce;
                reduce.hierarchy = regular_hierarchy({3, 4});
                reduce.plan = uniform_plan(reduce.hierarchy, {algorithm, 0, {}}, 0);
                reduce.op = op;
                reduce.elements = elements;
                for (const bool everywhere : {false, true}) {
                    const ReduceRun run = run_double_tree(reduce, everywhere, any_options(elements));
                    EXPECT_EQ(faults_of(reduce, run), "");
                    const std::size_t trees = elements == 1 ? 1 : 2;
                    EXPECT_EQ(run.report.messages.size(), 11 * trees * (everywhere ? 2 : 1));
                    for (const SentMessage& message : run.report.messages) {
                        EXPECT_EQ(message.bytes % strata::testing::bytes_of(op), 0U);
                    }
                }
            }
        }
    }
}

/// In place over all halves: each segment is overwritten only after its last read.
TEST(AllreduceDoubleTree, EveryPlacementUnderManySchedules) {
    const Hierarchy hierarchy = dealt_out(4, 4);
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        Random random(seed);
        ReduceCase reduce = random_reduction_with_double_tree(random, 4, 60);
        reduce.hierarchy = hierarchy;
        reduce.plan = uniform_plan(hierarchy, {Algorithm::double_binary, 0, {}}, 12);
        if (seed % 3 == 0) {
            reduce.plan.skipped = {reduce.plan.levels.back().level};
            reduce.plan.levels.pop_back();
        }
        reduce.plan.window = 1 + static_cast<int>(seed % 4);
        reduce.root = random.between(0, 15);
        for (const Placement placement :
             {Placement::separate, Placement::in_place, Placement::packed_in_place}) {
            reduce.placement = placement;
            for (const bool everywhere : {false, true}) {
                const ReduceRun run = run_double_tree(reduce, everywhere, any_options(seed));
                ASSERT_EQ(faults_of(reduce, run), "") << seed;
                ASSERT_EQ(double_tree_faults(reduce, everywhere, run.report.messages), "") << seed;
            }
        }
    }
}

/// Sums of floating-point numbers: every order rounds differently.
TEST(ReduceDoubleTree, TheSameBitsWhateverArrivesFirst) {
    int different_roots = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Random random(seed);
        ReduceCase reduce = random_reduction_with_double_tree(random, 24, 100);
        reduce.op = Operator::sum_double;
        for (const bool everywhere : {false, true}) {
            const auto result = [&](std::uint64_t schedule) {
                const ReduceRun run = run_double_tree(reduce, everywhere, any_options(schedule));
                EXPECT_EQ(faults_of(reduce, run), "");
                return run.results[static_cast<std::size_t>(reduce.root)];
            };
            const int root = reduce.root;
            const std::vector<std::byte> first = result(1);
            for (std::uint64_t schedule = 2; schedule <= 6; ++schedule) {
                ASSERT_EQ(result(schedule), first) << describe(reduce);
            }
            reduce.root = (root + 1) % reduce.hierarchy.ranks();
            different_roots += result(1) == first ? 0 : 1;
            reduce.root = root;
        }
    }
    EXPECT_GT(different_roots, 10);  // the numbers are such that an order shows
}

/// A root far from its NIC: a NIC-local rank receives the messages from other nodes, in both halves.
TEST(ReduceDoubleTree, ThroughAReceiver) {
    int moved = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        Random random(seed);
        ReduceCase reduce = random_reduction_with_double_tree(random, 32, 200);
        for (int rank = 0; rank < reduce.hierarchy.ranks(); ++rank) {
            const int node = reduce.hierarchy.widest_in_node(rank);
            reduce.hierarchy.receivers.push_back(node < 0 ? rank : reduce.hierarchy.groups[node].leader);
        }
        if (!reduce.plan.skipped.empty()) continue;  // separate nodes
        reduce.plan.nic_local = true;
        const ReduceRun run = run_double_tree(reduce, false, any_options(seed));
        ASSERT_EQ(faults_of(reduce, run), "") << "seed " << seed;
        const int receiver = reduce.hierarchy.receiver_of(reduce.root);
        const auto entering = std::count_if(run.report.messages.begin(), run.report.messages.end(),
                                            [&](const SentMessage& message) {
                                                const int node = reduce.hierarchy.widest_in_node(reduce.root);
                                                return message.to == reduce.root && node >= 0 &&
                                                       !reduce.hierarchy.contains(node, message.from);
                                            });
        if (receiver == reduce.root) continue;
        EXPECT_EQ(entering, 0) << "seed " << seed << ": " << describe(reduce);
        ++moved;
    }
    EXPECT_GT(moved, 20);
}

/// Levels with a double tree as shape use one tree with another method on top, or with blocks.
TEST(DoubleTree, NoneBelowExchangesAndRings) {
    for (const Algorithm top : {Algorithm::recursive_doubling, Algorithm::rabenseifner, Algorithm::ring}) {
        for (const Algorithm below : {Algorithm::double_binary, Algorithm::split_binary}) {
            ReduceCase reduce;
            reduce.hierarchy = regular_hierarchy({4, 5});
            reduce.plan = uniform_plan(reduce.hierarchy, {below, 0, {}}, 64);
            reduce.plan.levels.front().method = {top, 0, {}};
            reduce.plan.engine =
                top == Algorithm::ring ? strata::algorithms::Engine::ring : strata::algorithms::Engine::tree;
            reduce.elements = 100;
            EXPECT_FALSE(has_double_tree(reduce.plan));
            const ReduceRun run = run_double_tree(reduce, true, options_for(3));
            EXPECT_EQ(faults_of(reduce, run), "");
            reduce.plan.levels.back().method = {Algorithm::binary, 0, {}};
            EXPECT_EQ(run.report.messages, run_double_tree(reduce, true, options_for(3)).report.messages);
        }
    }
    Plan forward = uniform_plan(regular_hierarchy({4}), {Algorithm::double_binary, 0, {}}, 64);
    EXPECT_TRUE(has_double_tree(forward));
    forward.engine = strata::algorithms::Engine::forward;
    EXPECT_FALSE(has_double_tree(forward));
}

TEST(DoubleTreeOracle, CanFail) {
    const Hierarchy hierarchy = regular_hierarchy({3, 3});
    const BcastCase bcast{hierarchy, uniform_plan(hierarchy, {Algorithm::double_binary, 0, {}}, 10), 0, 101};
    const RunReport run = run_double_tree(bcast, any_options(1));
    EXPECT_EQ(double_tree_faults(bcast, run.messages), "");
    const auto fault = [&](auto&& change) {
        std::vector<SentMessage> messages = run.messages;
        change(messages);
        return double_tree_faults(bcast, messages);
    };
    EXPECT_NE(fault([](auto& messages) { messages.pop_back(); }), "");
    EXPECT_NE(fault([](auto& messages) { messages.front().rail = 1 - messages.front().rail; }), "");
    EXPECT_NE(fault([](auto& messages) { messages.push_back(messages.front()); }), "");
    EXPECT_NE(fault([](auto& messages) { std::swap(messages.front().from, messages.front().to); }), "");
    BcastCase whole = bcast;
    whole.plan = uniform_plan(hierarchy, {Algorithm::binary, 0, {}}, 10);
    EXPECT_NE(double_tree_faults(bcast, run_tree(whole, any_options(1)).messages), "");

    ReduceCase reduce;
    reduce.hierarchy = hierarchy;
    reduce.plan = bcast.plan;
    reduce.elements = 31;
    const ReduceRun up = run_double_tree(reduce, false, any_options(1));
    EXPECT_EQ(double_tree_faults(reduce, false, up.report.messages), "");
    EXPECT_NE(double_tree_faults(reduce, true, up.report.messages), "");
}

CheckedEngine checked(bool everywhere) {
    return {[everywhere](const ReduceCase& reduce, const FabricOptions& options, Arenas* arenas) {
                return run_double_tree(reduce, everywhere, options, arenas);
            },
            random_reduction_with_double_tree};
}

TEST(ReduceDoubleTree, NoMemoryIsTakenAfterTheFirstCalls) {
    expect_no_memory_after_the_first_calls(checked(false));
}
TEST(ReduceDoubleTree, AllRanksAtOnce) { expect_right_results_of_all_ranks_at_once(checked(false)); }
TEST(ReduceDoubleTree, EveryCallOfEveryRankMayFail) { expect_every_failure_to_come_back(checked(false)); }
TEST(AllreduceDoubleTree, AllRanksAtOnce) { expect_right_results_of_all_ranks_at_once(checked(true)); }
TEST(AllreduceDoubleTree, EveryCallOfEveryRankMayFail) { expect_every_failure_to_come_back(checked(true)); }

TEST(BcastDoubleTree, AllRanksAtOnce) {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        Random random(seed);
        const BcastCase bcast = random_bcast_with_double_tree(random, 24, 1000);
        FabricOptions options = any_options(seed);
        options.schedule = Schedule::concurrent;
        ASSERT_EQ(faults_of(bcast, run_double_tree(bcast, options)), "");
    }
}

TEST(BcastDoubleTree, EveryCallOfEveryRankMayFail) {
    int failures = 0;
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
        Random random(seed);
        const BcastCase bcast = random_bcast_with_double_tree(random, 12, 200);
        ReduceCase ranks;
        ranks.hierarchy = bcast.hierarchy;
        const auto faults = check_every_failure(
            ranks, any_options(seed),
            [&](const ReduceCase&, const FabricOptions& options) {
                return ReduceRun{run_double_tree(bcast, options), {}};
            },
            6, failures);
        EXPECT_TRUE(faults.empty()) << faults.front() << "\n" << describe(bcast);
    }
    EXPECT_GT(failures, 100);
}

TEST(ReduceDoubleTree, BufferAndOperatorErrorsComeBack) {
    constexpr int injected = 77;
    for (const bool everywhere : {false, true}) {
        for (const Mishap::Kind kind :
             {Mishap::Kind::produce, Mishap::Kind::consume, Mishap::Kind::combine}) {
            int happened = 0;
            for (int rank = 0; rank < 8; ++rank) {
                ReduceCase reduce;
                reduce.hierarchy = regular_hierarchy({2, 4});
                reduce.plan = uniform_plan(reduce.hierarchy, {Algorithm::double_binary, 0, {}}, 8);
                reduce.root = 2;
                reduce.elements = 40;
                reduce.mishap = {rank, kind, 2, injected};
                const ReduceRun run = run_double_tree(reduce, everywhere, any_options(2));
                if (run.report.codes[static_cast<std::size_t>(rank)] == 0) continue;  // it has no such call
                ++happened;
                const auto faults = check_contained(run.report, rank, injected);
                EXPECT_TRUE(faults.empty()) << faults.front();
            }
            EXPECT_EQ(happened > 1, everywhere || kind != Mishap::Kind::consume)
                << "only the root has a result";
            EXPECT_GT(happened, 0);
        }
    }
}

TEST(ReduceDoubleTree, ARootWithoutAResultIsAProgrammingError) {
    ReduceCase reduce;
    reduce.hierarchy = regular_hierarchy({2});
    reduce.plan = uniform_plan(reduce.hierarchy, {Algorithm::double_binary, 0, {}}, 8);
    reduce.elements = 10;
    const ReduceRun run = run_reduction(
        reduce, {}, false,
        [&](int rank, auto& transport, ReduceBuffers buffers, auto& reduction, auto& arena) {
            const std::vector<ReductionLinks> links(
                2, reduction_links(reduce.hierarchy, reduce.plan, 0, rank, false, Half::first));
            return rank != 0 ? 0
                             : complete(transport, reduce_trees(transport, links, {buffers.own, nullptr},
                                                                reduction, arena, 1));
        });
    EXPECT_TRUE(run.report.mentions("has no result"));
}

}  // namespace
}  // namespace double_tree_test
