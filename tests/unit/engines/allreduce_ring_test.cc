#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "algorithms/engines/reduce_tree.h"
#include "allreduce_ring_oracle.h"
#include "random_shapes.h"
#include "reduce_checks.h"
#include "reduce_runs.h"
#include "windows.h"

namespace allreduce_ring_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;
using strata::topology::Hierarchy;

constexpr std::size_t all_eager = 1U << 30;
constexpr Placement all_placements[] = {Placement::separate, Placement::in_place, Placement::packed_in_place};

FabricOptions varied(std::uint64_t seed) {
    const std::size_t eager_bytes[] = {0, 64, all_eager};
    return options_for(seed, eager_bytes[seed % 3]);
}

ReduceCase uniform_case(const Hierarchy& hierarchy, std::size_t segment_bytes, std::size_t elements,
                        Operator op = Operator::sum_8) {
    ReduceCase reduce;
    reduce.hierarchy = hierarchy;
    reduce.plan = uniform_plan(hierarchy, {Algorithm::binomial, 0, {}}, segment_bytes);
    reduce.elements = elements;
    reduce.op = op;
    return reduce;
}

RingFacts facts_of(const ReduceCase& reduce) {
    return {reduce.hierarchy, reduce.elements, bytes_of(reduce.op), reduce.plan.levels.front().segment_bytes,
            most_on_top(reduce.hierarchy, reduce.plan)};
}

/// "" for a run with right results and the messages that are due.
std::string wrong_with(const ReduceCase& reduce, const ReduceRun& run) {
    const std::string faults = faults_of(reduce, run);
    if (!faults.empty()) {
        return faults;
    }
    const auto bytes = check_allreduce_ring_bytes(facts_of(reduce), run.report.messages);
    return bytes.empty() ? "" : bytes.front() + "\n" + describe(reduce);
}

TEST(AllreduceRing, EverySizeWindowAndPlacement) {
    for (const int ranks : {1, 2, 3, 4, 5, 7, 8, 11}) {
        for (const int window : {0, 1, 2, 3, 4, 100}) {
            for (const Placement placement : all_placements) {
                // Fewer elements than ranks, not a multiple of them, several rounds, one of them not full.
                for (const std::size_t elements : {1U, 2U, 5U, 22U, 157U}) {
                    ReduceCase reduce = uniform_case(regular_hierarchy({ranks}), 3, elements);
                    reduce.plan.window = window;
                    reduce.placement = placement;
                    for (const std::size_t eager : {std::size_t{0}, all_eager}) {
                        ASSERT_EQ(wrong_with(reduce, run_ring(reduce, options_for(elements, eager))), "");
                    }
                }
            }
        }
    }
}

TEST(AllreduceRing, RandomShapesToTheByte) {
    std::set<std::size_t> members;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        Random random(seed);
        const ReduceCase reduce = random_ring_reduction(random, 40, 500, 1);
        ASSERT_EQ(wrong_with(reduce, run_ring(reduce, varied(seed))), "") << "seed " << seed;
        const auto& top = reduce.hierarchy.groups.front();
        members.insert(top.children.size() + top.direct.size());
    }
    EXPECT_GT(members.size(), 7U);
}

/// The same shapes and results under other schedules; errors are possible with results in place.
TEST(AllreduceRing, InPlaceUnderManySchedules) {
    for (const Hierarchy& hierarchy :
         {regular_hierarchy({4}), regular_hierarchy({3, 2, 2}), dealt_out(5, 2)}) {
        for (std::uint64_t seed = 1; seed <= 80; ++seed) {
            ReduceCase reduce = uniform_case(hierarchy, 12, 70, Operator::sum_32);
            reduce.placement = Placement::in_place;
            reduce.plan.window = 1 + static_cast<int>(seed % 4);
            ASSERT_EQ(wrong_with(reduce, run_ring(reduce, varied(seed))), "") << seed;
        }
    }
}

TEST(AllreduceRing, NoMessageDividesAnElement) {
    for (std::size_t element = 1; element <= 16; ++element) {
        for (const Hierarchy& hierarchy : {regular_hierarchy({3}), regular_hierarchy({4, 2})}) {
            for (const std::size_t segment : {0U, 1U, 10U, 48U}) {
                for (const Placement placement : all_placements) {
                    ReduceCase reduce = uniform_case(hierarchy, segment, 61 * element);
                    reduce.placement = placement;
                    const ReduceRun run = run_reduction(
                        reduce, varied(element), true,
                        [&](int rank, auto& transport, auto buffers, auto& reduction, auto& arena) {
                            WideElements wide(reduction, element);
                            return complete(
                                transport, allreduce_ring(transport, ring_links(hierarchy, reduce.plan, rank),
                                                          buffers, wide, arena, reduce.plan.window));
                        });
                    ASSERT_EQ(faults_of(reduce, run), "");
                    const auto faults = check_allreduce_ring_bytes(
                        {hierarchy, 61, element, segment, reduce.plan.window}, run.report.messages);
                    ASSERT_TRUE(faults.empty()) << faults.front() << ' ' << element << ' ' << segment;
                }
            }
        }
    }
}

/// Sums of floating-point numbers: all ranks get the same bits, and get them again under another schedule.
TEST(AllreduceRing, TheSameBitsEverywhereAndAgain) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        Random random(seed);
        ReduceCase reduce = random_ring_reduction(random, 24, 100, 3);
        reduce.op = Operator::sum_double;
        reduce.plan = random_tree_plan(random, reduce.hierarchy, reduce.bytes());
        std::vector<std::byte> first;
        for (std::uint64_t schedule = 1; schedule <= 3; ++schedule) {
            const ReduceRun run = run_ring(reduce, varied(schedule));
            ASSERT_EQ(wrong_with(reduce, run), "");
            first = first.empty() ? run.results[0] : first;
            for (const std::vector<std::byte>& result : run.results) {
                ASSERT_EQ(result, first) << describe(reduce);
            }
        }
    }
}

/// A round begins when its part of the vector has arrived from below, and its result goes down before the
/// others arrive.
TEST(AllreduceRing, RoundsStreamThroughTheTrees) {
    ReduceCase reduce = uniform_case(regular_hierarchy({3, 2}), 10, 120);
    reduce.plan.window = 2;  // two rounds of 60 bytes
    const ReduceRun run = run_reduction(
        reduce, options_for(1, 0), true,
        [&](int rank, Transport& transport, ReduceBuffers buffers, Reduction& reduction, Arena& arena) {
            if (rank != 3) {
                return complete(transport,
                                allreduce_ring(transport, ring_links(reduce.hierarchy, reduce.plan, rank),
                                               buffers, reduction, arena, 2));
            }
            int code = 0;
            for (const std::size_t round : {0U, 60U}) {
                buffers.own.produce(round + 60);
                for (std::size_t at = round; at < round + 60 && code == 0; at += 10) {
                    code = transport.send(buffers.own.data() + at, 10, 2);
                }
                for (std::size_t at = round; at < round + 60 && code == 0; at += 10) {
                    code = transport.recv(buffers.result->data() + at, 10, 2);
                }
                buffers.result->consume(round + 60);
            }
            return code;
        });
    EXPECT_EQ(faults_of(reduce, run), "");
}

TEST(AllreduceRing, AMemberAloneTakesNoMemoryForData) {
    for (const Placement placement : all_placements) {
        ReduceCase reduce = uniform_case(regular_hierarchy({4}), 25000, 500000);
        reduce.placement = placement;
        Arenas arenas(4);
        for (int call = 0; call < 2; ++call) {
            EXPECT_EQ(wrong_with(reduce, run_ring(reduce, options_for(1, 0), &arenas)), "");
        }
        for (const Arena& arena : arenas) {
            if (placement == Placement::in_place) {
                EXPECT_GT(arena.held(), most_state_bytes);
            } else {
                EXPECT_LE(arena.held(), most_state_bytes);
            }
        }
    }
}

/// For segments of any length: slots for the data that a round receives to combine, less than a vector.
TEST(AllreduceRing, MemoryStaysBelowAVector) {
    constexpr std::size_t bytes = 100000;
    for (const std::size_t segment : {std::size_t{0}, bytes, bytes / 2, bytes / 6, bytes / 50}) {
        for (const int window : {1, 4, 100}) {
            ReduceCase reduce = uniform_case(regular_hierarchy({4}), segment, bytes);
            reduce.plan.window = window;
            reduce.placement = Placement::in_place;
            Arenas arenas(4);
            for (int call = 0; call < 2; ++call) {
                EXPECT_EQ(wrong_with(reduce, run_ring(reduce, options_for(1, 0), &arenas)), "");
            }
            for (const Arena& arena : arenas) {
                EXPECT_GT(arena.held(), 0U);
                EXPECT_LE(arena.held(), bytes + most_state_bytes) << segment << ' ' << window;
            }
        }
    }
}

const CheckedEngine checked{run_ring,
                            [](Random& random, int ranks, std::size_t elements) {
                                return random_ring_reduction(random, ranks, elements, 3);
                            },
                            wrong_with};

TEST(AllreduceRing, NoMemoryIsTakenAfterTheFirstCalls) { expect_no_memory_after_the_first_calls(checked); }

TEST(AllreduceRing, ZeroBytes) {
    const ReduceCase reduce = uniform_case(regular_hierarchy({3, 2}), 0, 0);
    const ReduceRun run = run_ring(reduce, {});
    EXPECT_EQ(faults_of(reduce, run), "");
    EXPECT_TRUE(run.report.messages.empty());
}

TEST(AllreduceRing, AllRanksAtOnce) { expect_right_results_of_all_ranks_at_once(checked); }

TEST(AllreduceRing, EveryCallOfEveryRankMayFail) { expect_every_failure_to_come_back(checked); }

TEST(AllreduceRing, BufferAndOperatorErrorsComeBack) {
    const Hierarchy hierarchy = regular_hierarchy({3, 2});
    for (const std::size_t segment : {std::size_t{0}, std::size_t{16}}) {
        for (int rank = 0; rank < 6; ++rank) {
            for (const auto kind : {Mishap::Kind::produce, Mishap::Kind::consume, Mishap::Kind::combine}) {
                ReduceCase reduce = uniform_case(hierarchy, segment, 100);
                reduce.mishap = {rank, kind, 1, 77};
                const bool happens = kind != Mishap::Kind::combine || rank % 2 == 0;
                const std::vector<std::string> faults =
                    check_contained(run_ring(reduce, {}).report, rank, happens ? 77 : 0);
                EXPECT_TRUE(faults.empty()) << faults.front() << " rank " << rank << " kind "
                                            << static_cast<int>(kind) << " segment " << segment;
            }
        }
    }
}

TEST(AllreduceRing, ProgrammingErrors) {
    const ReduceCase reduce = uniform_case(regular_hierarchy({1}), 10, 100);
    const auto thrown_with = [&](const ExchangeLinks& links, bool result) {
        return run_reduction(
                   reduce, {}, true,
                   [&](int, auto& transport, ReduceBuffers buffers, auto& reduction, auto& arena) {
                       return complete(
                           transport,
                           allreduce_ring(transport, links, {buffers.own, result ? buffers.result : nullptr},
                                          reduction, arena, 1));
                   })
            .report;
    };
    ExchangeLinks links{{}, {0, 1, 2}, 0, 10};
    EXPECT_TRUE(thrown_with(links, false).mentions("has no result"));
    links.below.children.push_back({1, 0, 20});
    EXPECT_TRUE(thrown_with(links, true).mentions("differ in their segment size"));
}

TEST(AllreduceRingOracle, FindsWhatDiffers) {
    ReduceCase reduce = uniform_case(regular_hierarchy({4, 2}), 8, 203);
    const ReduceRun run = run_ring(reduce, {});
    EXPECT_EQ(wrong_with(reduce, run), "");
    const auto faults_with = [&](const ReduceCase& other, const std::vector<SentMessage>& messages) {
        return check_allreduce_ring_bytes(facts_of(other), messages);
    };
    for (const std::size_t message : {std::size_t{0}, run.report.messages.size() / 2}) {
        std::vector<SentMessage> messages = run.report.messages;
        messages.push_back(messages[message]);
        EXPECT_FALSE(faults_with(reduce, messages).empty());
        messages = run.report.messages;
        messages.erase(messages.begin() + static_cast<std::ptrdiff_t>(message));
        EXPECT_FALSE(faults_with(reduce, messages).empty());
        messages = run.report.messages;
        ++messages[message].bytes;
        EXPECT_FALSE(faults_with(reduce, messages).empty());
    }
    ReduceCase other = reduce;
    other.elements = 204;
    EXPECT_FALSE(faults_with(other, run.report.messages).empty());
    other = reduce;
    other.plan.window = 3;
    EXPECT_FALSE(faults_with(other, run.report.messages).empty());
    other = reduce;
    other.plan.levels[0].segment_bytes = 7;
    EXPECT_FALSE(faults_with(other, run.report.messages).empty());
    other = reduce;
    other.hierarchy.groups[0].leader = 2;  // the places count from there
    EXPECT_FALSE(faults_with(other, run.report.messages).empty());
    // Trees, exchanges, and a ring of other members.
    EXPECT_FALSE(faults_with(reduce, run_allreduce(reduce, {}).report.messages).empty());
    EXPECT_FALSE(faults_with(reduce, run_exchange(reduce, {}).report.messages).empty());
    std::vector<SentMessage> turned = run.report.messages;
    for (SentMessage& message : turned) {
        std::swap(message.from, message.to);
    }
    EXPECT_FALSE(faults_with(reduce, turned).empty());
}

/// A ring over three of the four nodes, the fourth one hanging below: right results, other bytes.
TEST(AllreduceRingOracle, FindsARingOfOtherMembers) {
    const ReduceCase reduce = uniform_case(regular_hierarchy({4}), 8, 203);
    const ReduceRun run = run_reduction(
        reduce, {}, true, [&](int rank, auto& transport, auto buffers, auto& reduction, auto& arena) {
            ExchangeLinks links = ring_links(reduce.hierarchy, reduce.plan, rank);
            links.core.pop_back();
            if (rank == 3) {
                links = {{{2, 0, 8}, {}, 0}, {}, -1, 8};
            } else if (rank == 2) {
                links.below.children.push_back({3, 0, 8});
            }
            return complete(transport,
                            allreduce_ring(transport, links, buffers, reduction, arena, reduce.plan.window));
        });
    EXPECT_EQ(faults_of(reduce, run), "");
    EXPECT_FALSE(check_allreduce_ring_bytes(facts_of(reduce), run.report.messages).empty());
}

/// The ring follows the hardware for any rank numbers.
TEST(RingLinks, AreTheExchangesInTheOrderOfAChain) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        Random random(seed);
        ReduceCase reduce = random_ring_reduction(random, 24, 100, 3);
        Plan chain = reduce.plan;
        chain.levels.front().method = {Algorithm::pipeline, 0, {}};
        const int leader = reduce.hierarchy.groups.front().leader;
        const std::vector<int> order = shape_members(reduce.hierarchy, chain, 0, leader);
        reduce.plan.levels.front().method = {Algorithm::ring, 0, {}};
        std::set<int> positions;
        for (int rank = 0; rank < reduce.hierarchy.ranks(); ++rank) {
            const ExchangeLinks links = ring_links(reduce.hierarchy, reduce.plan, rank);
            const ExchangeLinks exchange = exchange_links(reduce.hierarchy, chain, rank, false);
            EXPECT_EQ(links.segment_bytes, reduce.plan.levels.front().segment_bytes);
            EXPECT_EQ(links.below.parent.peer, exchange.below.parent.peer);
            EXPECT_EQ(links.below.children.size(), exchange.below.children.size());
            EXPECT_EQ(links.core.empty(), exchange.core.empty());
            if (!links.core.empty()) {
                EXPECT_EQ(links.core, order);
                EXPECT_EQ(links.core.at(static_cast<std::size_t>(links.position)), rank);
                positions.insert(links.position);
            }
        }
        EXPECT_EQ(positions.size(), order.size());
    }
}

}  // namespace
}  // namespace allreduce_ring_test
