#include "algorithms/engines/reduce_tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "random_shapes.h"
#include "reduce_checks.h"
#include "reduce_runs.h"

namespace reduce_tree_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;
using strata::topology::Hierarchy;

constexpr std::size_t all_eager = 1U << 30;

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

TEST(ReduceTree, SizesAroundTheSegment) {
    constexpr std::size_t segment = 48;
    const Hierarchy hierarchy = regular_hierarchy({2, 2, 4});
    for (const std::size_t bytes : {std::size_t{0}, std::size_t{1}, segment - 1, segment, segment + 1,
                                    2 * segment - 1, 2 * segment, 10 * segment + 5}) {
        for (int root = 0; root < hierarchy.ranks(); root += 3) {
            for (const std::size_t eager : {std::size_t{0}, all_eager}) {
                for (const Algorithm algorithm :
                     {Algorithm::binomial, Algorithm::pipeline, Algorithm::linear}) {
                    ReduceCase reduce = uniform_case(hierarchy, algorithm, segment, root, bytes);
                    reduce.placement = static_cast<Placement>(root % 3);
                    const ReduceRun run = run_reduce(reduce, options_for(bytes + 1, eager));
                    EXPECT_EQ(faults_of(reduce, run), "");
                    EXPECT_EQ(run.report.messages.size(), (bytes + segment - 1) / segment * 15);
                }
            }
        }
    }
}

TEST(ReduceTree, EveryRankCountAndWindow) {
    for (const int ranks : {1, 2, 3, 4, 7, 8, 11, 16}) {
        for (const int window : {0, 1, 2, 7, 100}) {
            for (const Placement placement :
                 {Placement::separate, Placement::in_place, Placement::packed_in_place}) {
                ReduceCase reduce = uniform_case(regular_hierarchy({ranks}), Algorithm::binomial, 10,
                                                 ranks / 2, 65, Operator::matrix_8);
                reduce.plan.window = window;
                reduce.placement = placement;
                EXPECT_EQ(faults_of(reduce, run_reduce(reduce, options_for(5, 0))), "");
            }
        }
    }
}

TEST(ReduceTree, ElementsAreNeverCut) {
    const Hierarchy hierarchy = regular_hierarchy({2, 3});
    for (const Operator op : all_operators) {
        const std::size_t element = bytes_of(op);
        for (const std::size_t segment : {1U, 4U, 7U, 16U, 25U, 1000U}) {
            for (const std::size_t elements : {1U, 2U, 7U, 30U}) {
                const ReduceCase reduce =
                    uniform_case(hierarchy, Algorithm::binomial, segment, 2, elements, op);
                const ReduceRun run = run_reduce(reduce, options_for(segment, 0));
                EXPECT_EQ(faults_of(reduce, run), "");
                const std::size_t most = std::max(element, segment / element * element);
                for (const SentMessage& message : run.report.messages) {
                    EXPECT_EQ(message.bytes % element, 0U);
                    EXPECT_LE(message.bytes, most);
                }
                EXPECT_EQ(run.report.messages.size(), (elements * element + most - 1) / most * 5);
            }
        }
    }
}

TEST(ReduceTree, MoreChildrenThanTheScratchMemoryHolds) {
    for (const std::size_t segment : {std::size_t{0}, std::size_t{10}}) {
        ReduceCase reduce = uniform_case(regular_hierarchy({400}), Algorithm::linear, segment, 1, 30);
        reduce.plan.window = 3;
        EXPECT_EQ(faults_of(reduce, run_reduce(reduce, options_for(3, 0))), "");
    }
}

TEST(ReduceTree, TheWindowIsUsed) {
    ReduceCase reduce = uniform_case(regular_hierarchy({2, 4}), Algorithm::linear, 10, 0, 500);
    reduce.plan.window = 5;
    const ReduceRun run = run_reduce(reduce, options_for(1, 0));
    for (const int child : {1, 2, 3, 4}) {
        EXPECT_EQ(run.report.in_flight.at({child, 0}), 5);
    }
}

/// A rank in the middle of a chain forwards the first segment before it has the second: the last rank sends
/// the second only after the root's signal about the first.
TEST(ReduceTree, SegmentsStreamThroughTheTree) {
    constexpr std::size_t segment = 10;
    const ReduceCase reduce = uniform_case(regular_hierarchy({3}), Algorithm::pipeline, segment, 0, 100);
    const ReduceRun run = run_reduction(
        reduce, options_for(1, 0), false,
        [&](int rank, Transport& transport, ReduceBuffers buffers, Reduction& reduction, Arena& arena) {
            if (rank == 1) {
                return complete(
                    transport,
                    reduce_tree(transport, reduction_links(reduce.hierarchy, reduce.plan, 0, 1, false),
                                buffers, reduction, arena, 4));
            }
            std::byte token{};
            int code = 0;
            for (std::size_t begin = 0; begin < reduce.bytes() && code == 0; begin += segment) {
                buffers.own.produce(begin + segment);
                std::byte* const own = buffers.own.data() + begin;
                if (rank == 2) {
                    code = transport.send(own, segment, 1);
                    code = code == 0 ? transport.recv(&token, 1, 0) : code;
                    continue;
                }
                std::byte* const result = buffers.result->data() + begin;
                code = transport.recv(result, segment, 1);
                reduction.combine(own, result, segment);
                buffers.result->consume(begin + segment);
                code = code == 0 ? transport.send(&token, 1, 2) : code;
            }
            return code;
        });
    EXPECT_EQ(faults_of(reduce, run), "");
}

/// The first child comes last: the others can send a window of segments without it.
TEST(ReduceTree, ASlowChildDelaysNoOtherRankWithinTheWindow) {
    ReduceCase reduce = uniform_case(regular_hierarchy({4}), Algorithm::linear, 10, 0, 40);
    reduce.plan.window = 4;
    const std::vector<int> order = [&] {
        std::vector<int> children;
        for (const TreeLinks::Edge& edge :
             reduction_links(reduce.hierarchy, reduce.plan, 0, 0, false).children) {
            children.push_back(edge.peer);
        }
        return children;
    }();
    const ReduceRun run = run_reduction(
        reduce, options_for(1, 0), false,
        [&](int rank, Transport& transport, ReduceBuffers buffers, Reduction& reduction, Arena& arena) {
            std::byte token{};
            if (rank == order[0]) {
                for (const int sibling : {order[1], order[2]}) {
                    if (const int code = transport.recv(&token, 1, sibling); code != 0) {
                        return code;
                    }
                }
            }
            const int code = complete(
                transport,
                reduce_tree(transport, reduction_links(reduce.hierarchy, reduce.plan, 0, rank, false),
                            buffers, reduction, arena, reduce.plan.window));
            return code == 0 && (rank == order[1] || rank == order[2]) ? transport.send(&token, 1, order[0])
                                                                       : code;
        });
    EXPECT_EQ(faults_of(reduce, run), "");
}

/// Links that no hierarchy produces: own contributions in the middle and at the end of an inner rank's
/// operands.
TEST(ReduceTree, OwnContributionAnywhere) {
    for (const Operator op : {Operator::matrix_8, Operator::matrix_32}) {
        for (const std::size_t segment : {0U, 12U, 24U}) {
            for (std::uint64_t seed = 1; seed <= 12; ++seed) {
                const auto edge = [&](int peer) { return TreeLinks::Edge{peer, 0, segment}; };
                std::vector<ReductionLinks> links(8);
                links[0] = {{}, {edge(1), edge(4)}, static_cast<int>(seed % 3)};
                links[1] = {edge(0), {edge(2), edge(3)}, 1};
                links[4] = {edge(0), {edge(5), edge(6), edge(7)}, 3};
                for (const int leaf : {2, 3, 5, 6, 7}) {
                    links[leaf].parent = edge(leaf < 4 ? 1 : 4);
                }
                ReduceCase reduce =
                    uniform_case(regular_hierarchy({8}), Algorithm::linear, segment, 0, 50, op);
                reduce.placement = static_cast<Placement>(seed % 3);
                reduce.order = {2, 1, 3, 5, 6, 7, 4};
                const int own_place[] = {0, 3, 7};
                reduce.order.insert(reduce.order.begin() + own_place[seed % 3], 0);
                for (const int window : {1, 3}) {
                    reduce.plan.window = window;
                    for (const bool everywhere : {false, true}) {
                        const ReduceRun run = run_reduction(
                            reduce, options_for(seed, seed % 2 == 0 ? 0 : all_eager), everywhere,
                            [&](int rank, auto& transport, auto buffers, auto& reduction, auto& arena) {
                                const auto engine = everywhere ? allreduce_tree : reduce_tree;
                                return complete(transport, engine(transport, links[rank], buffers, reduction,
                                                                  arena, window));
                            });
                        EXPECT_EQ(faults_of(reduce, run), "") << seed << " " << everywhere;
                    }
                }
            }
        }
    }
}

TEST(ReduceTree, FewestCallsForOneMessage) {
    const ReduceCase reduce = uniform_case(regular_hierarchy({2, 2, 2}), Algorithm::binomial, 1000, 0, 1000);
    const ReduceRun run = run_reduce(reduce, options_for(1, 0));
    EXPECT_EQ(faults_of(reduce, run), "");
    EXPECT_EQ(run.report.operations[7], 1);  // a leaf: one blocking send
    EXPECT_EQ(run.report.operations[2], 2);  // one child: a blocking receive and a blocking send
    EXPECT_GE(run.report.operations[4], 5);  // begin, two receives, at least one wait, send
    EXPECT_LE(run.report.operations[4], 6);
}

/// Sums of floating-point numbers: every order rounds differently.
TEST(ReduceTree, TheSameBitsWhateverArrivesFirst) {
    int different_roots = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Random random(seed);
        ReduceCase reduce = random_reduction(random, 24, 100);
        reduce.op = Operator::sum_double;
        reduce.plan = random_tree_plan(random, reduce.hierarchy, reduce.bytes());
        const auto result = [&](std::uint64_t schedule, std::size_t eager) {
            const ReduceRun run = run_reduce(reduce, options_for(schedule, eager));
            EXPECT_EQ(faults_of(reduce, run), "");
            return run.results[reduce.root];
        };
        const std::vector<std::byte> first = result(1, 0);
        for (std::uint64_t schedule = 2; schedule <= 6; ++schedule) {
            ASSERT_EQ(result(schedule, schedule % 2 == 0 ? 0 : all_eager), first) << describe(reduce);
        }
        // Neither the place of the data nor its division matters.
        reduce.placement = static_cast<Placement>((static_cast<int>(reduce.placement) + 1) % 3);
        reduce.plan.levels.front().segment_bytes = 8;
        ASSERT_EQ(result(7, 0), first) << describe(reduce);
        reduce.root = (reduce.root + 1) % reduce.hierarchy.ranks();
        different_roots += result(1, 0) == first ? 0 : 1;
    }
    EXPECT_GT(different_roots, 5);  // the numbers are such that an order shows
}

const CheckedEngine checked{run_reduce, random_reduction};

TEST(ReduceTree, NoMemoryIsTakenAfterTheFirstCalls) { expect_no_memory_after_the_first_calls(checked); }

TEST(ReduceTree, ALeafTakesNoMemoryForData) {
    const ReduceCase reduce = uniform_case(regular_hierarchy({2}), Algorithm::linear, 10000, 0, 100000);
    Arenas arenas(2);
    EXPECT_EQ(faults_of(reduce, run_reduce(reduce, options_for(1, 0), &arenas)), "");
    EXPECT_LE(arenas[1].held(), most_state_bytes);
    EXPECT_LE(arenas[0].held(), most_state_bytes);  // received straight into the result
}

TEST(ReduceTree, AllRanksAtOnce) { expect_right_results_of_all_ranks_at_once(checked); }

TEST(ReduceTree, EveryCallOfEveryRankMayFail) { expect_every_failure_to_come_back(checked); }

TEST(ReduceTree, BufferAndOperatorErrorsComeBack) {
    const Hierarchy hierarchy = regular_hierarchy({2, 4});
    for (const std::size_t segment : {std::size_t{0}, std::size_t{16}}) {
        for (int rank = 0; rank < 8; ++rank) {
            for (const auto kind : {Mishap::Kind::produce, Mishap::Kind::consume, Mishap::Kind::combine}) {
                ReduceCase reduce = uniform_case(hierarchy, Algorithm::binomial, segment, 2, 100);
                reduce.mishap = {rank, kind, 1, 77};
                const RunReport run = run_reduce(reduce, {}).report;
                const bool combines =
                    !reduction_links(hierarchy, reduce.plan, 2, rank, false).children.empty();
                const bool happens =
                    kind == Mishap::Kind::produce || (kind == Mishap::Kind::consume ? rank == 2 : combines);
                const std::vector<std::string> faults = check_contained(run, rank, happens ? 77 : 0);
                EXPECT_TRUE(faults.empty()) << faults.front() << " rank " << rank << " kind "
                                            << static_cast<int>(kind) << " segment " << segment;
            }
        }
    }
}

TEST(ReduceTree, ProgrammingErrors) {
    const ReduceCase reduce = uniform_case(regular_hierarchy({2}), Algorithm::linear, 10, 0, 100);
    const ReduceRun no_result = run_reduction(
        reduce, {}, false,
        [&](int rank, auto& transport, ReduceBuffers buffers, auto& reduction, auto& arena) {
            return rank != 0 ? 0
                             : complete(transport, reduce_tree(transport, {}, {buffers.own, nullptr},
                                                               reduction, arena, 1));
        });
    EXPECT_TRUE(no_result.report.mentions("has no result"));
    const ReduceRun unequal = run_reduction(
        reduce, {}, false,
        [&](int rank, auto& transport, ReduceBuffers buffers, auto& reduction, auto& arena) {
            const ReductionLinks links{{}, {{1, 0, 10}, {1, 0, 20}}, 0};
            return rank != 0
                       ? 0
                       : complete(transport, reduce_tree(transport, links, buffers, reduction, arena, 1));
        });
    EXPECT_TRUE(unequal.report.mentions("differ in their segment size"));
}

}  // namespace
}  // namespace reduce_tree_test
