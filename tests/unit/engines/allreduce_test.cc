#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "algorithms/engines/reduce_tree.h"
#include "consecutive_shapes.h"
#include "random_shapes.h"
#include "reduce_checks.h"
#include "reduce_oracle.h"
#include "reduce_runs.h"

namespace allreduce_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;
using strata::topology::Hierarchy;

constexpr std::size_t all_eager = 1U << 30;
constexpr Placement all_placements[] = {Placement::separate, Placement::in_place, Placement::packed_in_place};

ReduceCase uniform_case(const Hierarchy& hierarchy, Algorithm algorithm, std::size_t segment_bytes, int root,
                        std::size_t elements, Operator op = Operator::sum_8) {
    ReduceCase reduce;
    reduce.hierarchy = hierarchy;
    reduce.plan = uniform_plan(hierarchy, {algorithm, 0, {}}, segment_bytes);
    reduce.root = root;
    reduce.elements = elements;
    reduce.op = op;
    reduce.rank_order = !commutes(op);
    return reduce;
}

using Call = ReduceRun (*)(const ReduceCase&, const FabricOptions&, Arenas*);
constexpr Call both_engines[] = {run_allreduce, run_exchange};

TEST(AllreduceTree, EveryRankCountWindowAndPlacement) {
    for (const int ranks : {1, 2, 3, 4, 7, 8, 11, 16}) {
        for (const int window : {0, 1, 2, 7, 100}) {
            for (const Placement placement : all_placements) {
                ReduceCase reduce = uniform_case(regular_hierarchy({ranks}), Algorithm::binomial, 10,
                                                 ranks / 2, 65, Operator::matrix_8);
                reduce.plan.window = window;
                reduce.placement = placement;
                for (const std::size_t eager : {std::size_t{0}, all_eager}) {
                    EXPECT_EQ(faults_of(reduce, run_allreduce(reduce, options_for(5, eager))), "");
                }
            }
        }
    }
}

/// Final segments overwrite own ones (MPI_IN_PLACE): the fabric detects every send whose buffer changes
/// before it has completed, and these seeds cause many late completions.
TEST(AllreduceTree, InPlaceUnderManySchedules) {
    const Hierarchy hierarchy = regular_hierarchy({2, 2, 3});
    for (const Algorithm algorithm : {Algorithm::pipeline, Algorithm::linear, Algorithm::binomial}) {
        for (std::uint64_t seed = 1; seed <= 60; ++seed) {
            ReduceCase reduce = uniform_case(hierarchy, algorithm, 12, static_cast<int>(seed % 12), 40,
                                             seed % 2 == 0 ? Operator::matrix_32 : Operator::sum_32);
            reduce.placement = Placement::in_place;
            reduce.plan.window = 1 + static_cast<int>(seed % 4);
            ASSERT_EQ(
                faults_of(reduce, run_allreduce(reduce, options_for(seed, seed % 3 == 0 ? 0 : all_eager))),
                "")
                << seed;
        }
    }
}

/// A segment turns around at once: the child sends the next one only when it has the previous final one.
TEST(AllreduceTree, SegmentsTurnRoundAtOnce) {
    const ReduceCase reduce = uniform_case(regular_hierarchy({3}), Algorithm::pipeline, 10, 0, 100);
    const ReduceRun run = run_reduction(
        reduce, options_for(1, 0), true,
        [&](int rank, Transport& transport, ReduceBuffers buffers, Reduction& reduction, Arena& arena) {
            if (rank != 2) {
                return complete(
                    transport,
                    allreduce_tree(transport, reduction_links(reduce.hierarchy, reduce.plan, 0, rank, false),
                                   buffers, reduction, arena, 4));
            }
            int code = 0;
            for (std::size_t end = 10; end <= 100 && code == 0; end += 10) {
                buffers.own.produce(end);
                code = transport.send(buffers.own.data() + end - 10, 10, 1);
                code = code == 0 ? transport.recv(buffers.result->data() + end - 10, 10, 1) : code;
                buffers.result->consume(end);
            }
            return code;
        });
    EXPECT_EQ(faults_of(reduce, run), "");
}

TEST(AllreduceTree, FewestCallsForOneMessage) {
    const ReduceCase reduce = uniform_case(regular_hierarchy({2, 2, 2}), Algorithm::binomial, 0, 0, 1000);
    const ReduceRun run = run_allreduce(reduce, options_for(1, 0));
    EXPECT_EQ(faults_of(reduce, run), "");
    EXPECT_EQ(run.report.operations[7], 2);  // a leaf: send, receive
    EXPECT_EQ(run.report.operations[2], 4);  // one child: receive, send, receive, send
}

TEST(AllreduceExchange, EverySizeOfTheCoreInOrder) {
    for (int ranks = 1; ranks <= 18; ++ranks) {
        for (const Placement placement : all_placements) {
            for (const std::size_t eager : {std::size_t{0}, all_eager}) {
                ReduceCase reduce = uniform_case(regular_hierarchy({ranks}), Algorithm::recursive_doubling,
                                                 10, 0, 17, Operator::matrix_32);
                reduce.placement = placement;
                const ReduceRun run =
                    run_exchange(reduce, options_for(static_cast<std::uint64_t>(ranks), eager));
                EXPECT_EQ(faults_of(reduce, run), "");
                EXPECT_TRUE(check_exchange_bytes(reduce.hierarchy, true, reduce.bytes(), run.report.messages)
                                .empty());
            }
        }
    }
}

TEST(AllreduceExchange, GroupsBelowTheCore) {
    for (const std::vector<int>& counts : {std::vector<int>{2, 2}, {3, 2, 2}, {5, 3}, {7, 1}, {6, 2, 3}}) {
        for (const Placement placement : all_placements) {
            ReduceCase reduce =
                uniform_case(regular_hierarchy(counts), Algorithm::linear, 0, 0, 33, Operator::matrix_8);
            reduce.placement = placement;
            reduce.plan.levels.front().method = {Algorithm::recursive_doubling, 0, {}};
            EXPECT_EQ(faults_of(reduce, run_exchange(reduce, options_for(3, 0))), "");
        }
    }
}

TEST(AllreduceExchange, FewestCalls) {
    const ReduceCase reduce = uniform_case(regular_hierarchy({4, 2}), Algorithm::linear, 0, 0, 10);
    const ReduceRun run = run_exchange(reduce, options_for(1, 0));
    EXPECT_EQ(faults_of(reduce, run), "");
    EXPECT_EQ(run.report.operations[1], 2);  // below the core: send, receive
    EXPECT_EQ(run.report.operations[0], 9);  // receive; begin, twice (receive, send, wait); send
}

TEST(Allreduce, ZeroBytes) {
    ReduceCase reduce = uniform_case(regular_hierarchy({3, 2}), Algorithm::linear, 0, 0, 0);
    EXPECT_TRUE(run_allreduce(reduce, {}).report.messages.empty());
    const ReduceRun run = run_exchange(reduce, options_for(1, 0));
    EXPECT_EQ(faults_of(reduce, run), "");
    EXPECT_TRUE(check_exchange_bytes(reduce.hierarchy, false, 0, run.report.messages).empty());
}

/// Sums of floating-point numbers: all ranks get the same bits, and get them again under another schedule.
TEST(Allreduce, TheSameBitsEverywhereAndAgain) {
    for (const Call engine : both_engines) {
        for (std::uint64_t seed = 1; seed <= 40; ++seed) {
            Random random(seed);
            ReduceCase reduce = random_reduction(random, 24, 100);
            reduce.op = Operator::sum_double;
            reduce.plan = random_tree_plan(random, reduce.hierarchy, reduce.bytes());
            std::vector<std::byte> first;
            for (std::uint64_t schedule = 1; schedule <= 3; ++schedule) {
                const ReduceRun run =
                    engine(reduce, options_for(schedule, schedule == 2 ? all_eager : 0), nullptr);
                ASSERT_EQ(faults_of(reduce, run), "");
                first = first.empty() ? run.results[0] : first;
                for (const std::vector<std::byte>& result : run.results) {
                    ASSERT_EQ(result, first) << describe(reduce);
                }
            }
        }
    }
}

/// In rank order neither an election nor the number of elements changes the bits of an element.
TEST(Allreduce, RankOrderKeepsTheBits) {
    for (const Call engine : both_engines) {
        for (std::uint64_t seed = 1; seed <= 20; ++seed) {
            Random random(seed);
            ReduceCase reduce = random_reduction(random, 24, 100);
            reduce.op = Operator::sum_double;
            reduce.rank_order = true;
            reduce.plan = random_tree_plan(random, reduce.hierarchy, reduce.bytes());
            const std::size_t bytes = reduce.bytes();
            const std::vector<std::byte> first = engine(reduce, options_for(1, 0), nullptr).results[0];
            reduce.hierarchy = with_other_leaders(random, reduce.hierarchy);
            ASSERT_EQ(engine(reduce, options_for(2, 0), nullptr).results[0], first) << describe(reduce);
            reduce.elements += 40;
            std::vector<std::byte> longer = engine(reduce, options_for(3, 0), nullptr).results[0];
            longer.resize(bytes);
            ASSERT_EQ(longer, first) << describe(reduce);
        }
    }
}

/// The same as a broadcast down the same tree.
TEST(AllreduceTree, TheWidestLevelIsServedFirst) {
    const Hierarchy hierarchy = regular_hierarchy({3, 3, 3});
    for (const std::size_t segment : {std::size_t{0}, std::size_t{10}}) {
        const ReduceCase reduce = uniform_case(hierarchy, Algorithm::binomial, segment, 14, 100);
        const ReduceRun run = run_allreduce(reduce, options_for(1, 0));
        EXPECT_EQ(faults_of(reduce, run), "");
        std::vector<int> served;
        for (const SentMessage& message : run.report.messages) {
            if (message.from == reduce.root && message.sequence == 0) {
                served.push_back(message.to);
            }
        }
        std::vector<int> expected;
        for (const TreeLinks::Edge& edge : tree_links(hierarchy, reduce.plan, 14, 14).children) {
            expected.push_back(edge.peer);
        }
        EXPECT_EQ(served, expected);
        EXPECT_EQ(expected.size(), 6U);
    }
}

TEST(Allreduce, NoMemoryIsTakenAfterTheFirstCalls) {
    for (const Call engine : both_engines) expect_no_memory_after_the_first_calls({engine, random_reduction});
}

TEST(Allreduce, AllRanksAtOnce) {
    for (const Call engine : both_engines)
        expect_right_results_of_all_ranks_at_once({engine, random_reduction});
}

TEST(Allreduce, EveryCallOfEveryRankMayFail) {
    for (const Call engine : both_engines) expect_every_failure_to_come_back({engine, random_reduction});
}

TEST(Allreduce, BufferAndOperatorErrorsComeBack) {
    const Hierarchy hierarchy = regular_hierarchy({2, 4});
    for (const Call engine : both_engines) {
        for (const std::size_t segment : {std::size_t{0}, std::size_t{16}}) {
            for (int rank = 0; rank < 8; ++rank) {
                for (const auto kind :
                     {Mishap::Kind::produce, Mishap::Kind::consume, Mishap::Kind::combine}) {
                    ReduceCase reduce = uniform_case(hierarchy, Algorithm::linear, segment, 0, 100);
                    reduce.mishap = {rank, kind, 1, 77};
                    const bool happens = kind != Mishap::Kind::combine || rank % 4 == 0;
                    const std::vector<std::string> faults =
                        check_contained(engine(reduce, {}, nullptr).report, rank, happens ? 77 : 0);
                    EXPECT_TRUE(faults.empty()) << faults.front() << " rank " << rank << " kind "
                                                << static_cast<int>(kind) << " segment " << segment;
                }
            }
        }
    }
}

/// Ranks that left the barrier before all had entered.
int early_leavers(const Hierarchy& hierarchy, const FabricOptions& options,
                  const std::function<int(int, Transport&)>& barrier, std::string& problems) {
    std::atomic<int> entered{0};
    std::atomic<int> early{0};
    const RunReport run = run_ranks(hierarchy.ranks(), options, [&](int rank, Transport& transport) {
        ++entered;
        const int code = barrier(rank, transport);
        early += entered == hierarchy.ranks() ? 0 : 1;
        return code;
    });
    problems = run.text();
    return early;
}

/// Vectors that a rank holds besides its own and its result.
int vectors_taken(ReduceCase reduce, int rank) {
    reduce.elements = 100000;
    reduce.op = Operator::sum_8;
    Arenas arenas(static_cast<std::size_t>(reduce.hierarchy.ranks()));
    const ReduceRun run = run_exchange(reduce, options_for(1, 0), &arenas);
    EXPECT_EQ(faults_of(reduce, run), "");
    EXPECT_EQ(faults_of(reduce, run_exchange(reduce, options_for(1, 0), &arenas)), "");
    const double held = static_cast<double>(arenas[static_cast<std::size_t>(rank)].held());
    return static_cast<int>(std::lround(held / static_cast<double>(reduce.elements)));
}

/// The engine takes an extra vector only when none is free after combining those of the children.
TEST(AllreduceExchange, NoVectorIsTakenForNothing) {
    ReduceCase reduce;
    reduce.hierarchy = dealt_out(4, 2);  // ranks 4 to 7 send to 0 to 3
    reduce.plan = uniform_plan(reduce.hierarchy, {Algorithm::binomial, 0, {}}, 0);
    reduce.plan.levels.front().method = {Algorithm::recursive_doubling, 0, {}};
    reduce.placement = Placement::separate;
    EXPECT_EQ(vectors_taken(reduce, 0), 1) << "the child's lies in the result";
    EXPECT_EQ(vectors_taken(reduce, 4), 0) << "a leaf";
    reduce.placement = Placement::in_place;
    EXPECT_EQ(vectors_taken(reduce, 0), 1) << "the child's; then its place and the result take turns";
    reduce.hierarchy = regular_hierarchy({4});
    EXPECT_EQ(vectors_taken(reduce, 0), 1) << "nothing to combine into: one for the rounds";
    reduce.hierarchy = regular_hierarchy({3});
    EXPECT_EQ(vectors_taken(reduce, 0), 0) << "the lower one of a pair waits for the result";
    EXPECT_EQ(vectors_taken(reduce, 1), 1);
    EXPECT_EQ(vectors_taken(reduce, 2), 1);
}

TEST(Barrier, NoRankLeavesBeforeAllHaveEntered) {
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        Random random(seed);
        const Hierarchy hierarchy = random_hierarchy(random, {32, 5});
        Plan plan = random_tree_plan(random, hierarchy, 100);
        plan.levels.front().method = {Algorithm::recursive_doubling, 0, {}};
        FabricOptions options = options_for(seed, seed % 2 == 0 ? 0 : all_eager);
        options.schedule = seed % 10 == 0 ? Schedule::concurrent : Schedule::sequential;
        std::string problems;
        EXPECT_EQ(early_leavers(
                      hierarchy, options,
                      [&](int rank, Transport& transport) {
                          Arena arena;
                          return complete(
                              transport, barrier_exchange(
                                             transport, exchange_links(hierarchy, plan, rank, false), arena));
                      },
                      problems),
                  0);
        ASSERT_EQ(problems, "") << "seed " << seed;
    }
}

TEST(Barrier, TheCounterFindsWhatIsNone) {
    const Hierarchy hierarchy = regular_hierarchy({4, 2});
    const Plan plan = uniform_plan(hierarchy, {Algorithm::linear, 0, {}}, 0);
    int early = 0;
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        std::string problems;
        early += early_leavers(
            hierarchy, options_for(seed, all_eager),
            [&](int rank, Transport& transport) {
                ExchangeLinks links = exchange_links(hierarchy, plan, rank, false);
                if (links.position >= 0) {
                    links.core = {rank};  // every node separately
                    links.position = 0;
                }
                Arena arena;
                return complete(transport, barrier_exchange(transport, links, arena));
            },
            problems);
        EXPECT_EQ(problems, "");
    }
    EXPECT_GT(early, 10);
}

TEST(Barrier, FailuresComeBack) {
    const Hierarchy hierarchy = regular_hierarchy({3, 2});
    const Plan plan = uniform_plan(hierarchy, {Algorithm::linear, 0, {}}, 0);
    for (int rank = 0; rank < 6; ++rank) {
        for (const int operation : {1, 2}) {
            FabricOptions options = options_for(1, 0);
            options.failure = {rank, operation, 77};
            const RunReport run = run_ranks(6, options, [&](int self, Transport& transport) {
                Arena arena;
                return complete(
                    transport,
                    barrier_exchange(transport, exchange_links(hierarchy, plan, self, false), arena));
            });
            EXPECT_TRUE(check_contained(run, rank, 77).empty());
        }
    }
}

TEST(Allreduce, ProgrammingErrors) {
    const ReduceCase reduce = uniform_case(regular_hierarchy({1}), Algorithm::linear, 10, 0, 100);
    for (const bool exchange : {false, true}) {
        const ReduceRun run = run_reduction(
            reduce, {}, true, [&](int, auto& transport, ReduceBuffers buffers, auto& reduction, auto& arena) {
                const ReduceBuffers none{buffers.own, nullptr};
                return exchange
                           ? complete(transport,
                                      allreduce_exchange(transport, {{}, {0}, 0}, none, reduction, arena))
                           : complete(transport, allreduce_tree(transport, {}, none, reduction, arena, 1));
            });
        EXPECT_TRUE(run.report.mentions("has no result"));
    }
}

}  // namespace
}  // namespace allreduce_test
