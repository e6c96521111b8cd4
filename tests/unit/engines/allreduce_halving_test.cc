#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "algorithms/engines/reduce_tree.h"
#include "halving_oracle.h"
#include "random_shapes.h"
#include "reduce_checks.h"
#include "reduce_runs.h"
#include "skipped_levels.h"

namespace allreduce_halving_test {
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

ReduceCase uniform_case(const Hierarchy& hierarchy, std::size_t elements, Operator op = Operator::sum_8) {
    ReduceCase reduce;
    reduce.hierarchy = hierarchy;
    reduce.plan = uniform_plan(hierarchy, {Algorithm::binomial, 0, {}}, 0);
    reduce.plan.levels.front().method = {Algorithm::rabenseifner, 0, {}};
    reduce.elements = elements;
    reduce.op = op;
    return reduce;
}

/// Half of the cases skip some levels.
ReduceCase random_case(Random& random, int ranks, std::size_t elements, std::size_t members) {
    ReduceCase reduce = random_ring_reduction(random, ranks, elements, members);
    if (random.percent(50)) skip_some(random, reduce.hierarchy, reduce.plan);
    reduce.plan.levels.front().method = {Algorithm::rabenseifner, 0, {}};
    return reduce;
}

HalvingFacts facts_of(const ReduceCase& reduce) {
    HalvingFacts facts{
        without(reduce.hierarchy, reduce.plan.skipped), {}, reduce.elements, bytes_of(reduce.op)};
    for (const HalvingPlace& place : halving_places(reduce.hierarchy, reduce.plan))
        facts.places.emplace_back(place.rank, place.partner);
    return facts;
}

/// "" for a run with right results and the messages that are due.
std::string wrong_with(const ReduceCase& reduce, const ReduceRun& run) {
    const std::string faults = faults_of(reduce, run);
    if (!faults.empty()) {
        return faults;
    }
    const auto bytes = check_halving_bytes(facts_of(reduce), run.report.messages);
    return bytes.empty() ? "" : bytes.front() + "\n" + describe(reduce);
}

TEST(AllreduceHalving, EverySizeCountAndPlacement) {
    for (int ranks = 1; ranks <= 18; ++ranks) {
        for (const Placement placement : all_placements) {
            // Fewer elements than places, one each, not a multiple of them.
            for (const std::size_t elements : {1U, 2U, 3U, 8U, 17U, 157U}) {
                ReduceCase reduce = uniform_case(regular_hierarchy({ranks}), elements, Operator::sum_32);
                reduce.placement = placement;
                for (const std::size_t eager : {std::size_t{0}, all_eager}) {
                    ASSERT_EQ(wrong_with(reduce, run_halving(reduce, options_for(elements, eager))), "");
                }
            }
        }
    }
}

TEST(AllreduceHalving, RandomShapesToTheByte) {
    std::set<std::size_t> members;
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        Random random(seed);
        const ReduceCase reduce = random_case(random, 40, 300, 1);
        ASSERT_EQ(wrong_with(reduce, run_halving(reduce, varied(seed))), "") << "seed " << seed;
        members.insert(exchange_core(reduce.hierarchy, reduce.plan, false).size());
    }
    EXPECT_GT(members.size(), 10U);
}

/// The same shapes and results under other schedules; errors are possible with results in place.
TEST(AllreduceHalving, InPlaceUnderManySchedules) {
    for (const Hierarchy& hierarchy :
         {regular_hierarchy({4}), regular_hierarchy({7}), regular_hierarchy({3, 2, 2}), dealt_out(5, 2)}) {
        for (std::uint64_t seed = 1; seed <= 80; ++seed) {
            ReduceCase reduce = uniform_case(hierarchy, 70, Operator::sum_32);
            reduce.placement = Placement::in_place;
            ASSERT_EQ(wrong_with(reduce, run_halving(reduce, varied(seed))), "") << seed;
        }
    }
}

TEST(AllreduceHalving, NoMessageDividesAnElement) {
    for (std::size_t element = 1; element <= 16; ++element) {
        for (const Hierarchy& hierarchy : {regular_hierarchy({3}), regular_hierarchy({4, 2})}) {
            for (const Placement placement : all_placements) {
                ReduceCase reduce = uniform_case(hierarchy, 61 * element);
                reduce.placement = placement;
                const ReduceRun run = run_reduction(
                    reduce, varied(element), true,
                    [&](int rank, auto& transport, auto buffers, auto& reduction, auto& arena) {
                        WideElements wide(reduction, element);
                        return complete(transport, allreduce_halving(
                                                       transport, halving_links(hierarchy, reduce.plan, rank),
                                                       buffers, wide, arena));
                    });
                ASSERT_EQ(faults_of(reduce, run), "");
                HalvingFacts facts = facts_of(reduce);
                facts.elements = 61;
                facts.element_bytes = element;
                const auto faults = check_halving_bytes(facts, run.report.messages);
                ASSERT_TRUE(faults.empty()) << faults.front() << ' ' << element;
            }
        }
    }
}

/// Sums of floating-point numbers: all ranks get the same bits, and get them again under another schedule.
TEST(AllreduceHalving, TheSameBitsEverywhereAndAgain) {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        Random random(seed);
        ReduceCase reduce = random_case(random, 24, 100, 1);
        reduce.op = Operator::sum_double;
        std::vector<std::byte> first;
        for (std::uint64_t schedule = 1; schedule <= 3; ++schedule) {
            const ReduceRun run = run_halving(reduce, varied(schedule));
            ASSERT_EQ(wrong_with(reduce, run), "");
            first = first.empty() ? run.results[0] : first;
            for (const std::vector<std::byte>& result : run.results) {
                ASSERT_EQ(result, first) << describe(reduce);
            }
        }
    }
}

TEST(AllreduceHalving, FewestCalls) {
    const ReduceCase reduce = uniform_case(regular_hierarchy({4, 2}), 10);
    const ReduceRun run = run_halving(reduce, options_for(1, 0));
    EXPECT_EQ(wrong_with(reduce, run), "");
    EXPECT_EQ(run.report.operations[1], 2);   // below the core: send, receive
    EXPECT_EQ(run.report.operations[0], 12);  // receive; begin, three times (receive, send, wait); send
}

TEST(AllreduceHalving, HalfAVectorOfMemory) {
    constexpr std::size_t bytes = 100000;
    for (const int ranks : {4, 8, 11}) {
        for (const Placement placement : all_placements) {
            ReduceCase reduce = uniform_case(regular_hierarchy({ranks}), bytes);
            reduce.placement = placement;
            Arenas arenas(static_cast<std::size_t>(ranks));
            EXPECT_EQ(wrong_with(reduce, run_halving(reduce, options_for(1, 0), &arenas)), "");
            const std::size_t most = ranks == 11 ? bytes : bytes / 2;
            for (const Arena& arena : arenas) {
                EXPECT_LE(arena.held(), most + most / 4) << ranks;
            }
        }
    }
}

const CheckedEngine checked{
    run_halving,
    [](Random& random, int ranks, std::size_t elements) { return random_case(random, ranks, elements, 2); },
    wrong_with};

TEST(AllreduceHalving, NoMemoryIsTakenAfterTheFirstCalls) { expect_no_memory_after_the_first_calls(checked); }

TEST(AllreduceHalving, ZeroBytes) {
    const ReduceCase reduce = uniform_case(regular_hierarchy({3, 2}), 0);
    const ReduceRun run = run_halving(reduce, {});
    EXPECT_EQ(faults_of(reduce, run), "");
    EXPECT_TRUE(run.report.messages.empty());
}

TEST(AllreduceHalving, AllRanksAtOnce) { expect_right_results_of_all_ranks_at_once(checked); }

TEST(AllreduceHalving, EveryCallOfEveryRankMayFail) { expect_every_failure_to_come_back(checked); }

TEST(AllreduceHalving, BufferAndOperatorErrorsComeBack) {
    const Hierarchy hierarchy = regular_hierarchy({3, 2});
    for (int rank = 0; rank < 6; ++rank) {
        for (const auto kind : {Mishap::Kind::produce, Mishap::Kind::consume, Mishap::Kind::combine}) {
            ReduceCase reduce = uniform_case(hierarchy, 100);
            reduce.mishap = {rank, kind, 1, 77};
            const bool happens = kind != Mishap::Kind::combine || rank % 2 == 0;
            const std::vector<std::string> faults =
                check_contained(run_halving(reduce, {}).report, rank, happens ? 77 : 0);
            EXPECT_TRUE(faults.empty())
                << faults.front() << " rank " << rank << " kind " << static_cast<int>(kind);
        }
    }
}

TEST(AllreduceHalving, ProgrammingErrors) {
    const ReduceCase reduce = uniform_case(regular_hierarchy({1}), 100);
    const ReduceRun run = run_reduction(
        reduce, {}, true, [&](int, auto& transport, ReduceBuffers buffers, auto& reduction, auto& arena) {
            return complete(transport, allreduce_halving(transport, {{}, {0}, 0}, {buffers.own, nullptr},
                                                         reduction, arena));
        });
    EXPECT_TRUE(run.report.mentions("has no result"));
}

TEST(HalvingOracle, FindsWhatDiffers) {
    const ReduceCase reduce = uniform_case(regular_hierarchy({6, 2}), 203);
    const ReduceRun run = run_halving(reduce, {});
    EXPECT_EQ(wrong_with(reduce, run), "");
    const HalvingFacts facts = facts_of(reduce);
    const auto differs = [&](const HalvingFacts& other, const std::vector<SentMessage>& messages) {
        return !check_halving_bytes(other, messages).empty();
    };
    for (const std::size_t message : {std::size_t{0}, run.report.messages.size() / 2}) {
        std::vector<SentMessage> messages = run.report.messages;
        messages.push_back(messages[message]);
        EXPECT_TRUE(differs(facts, messages));
        messages = run.report.messages;
        messages.erase(messages.begin() + static_cast<std::ptrdiff_t>(message));
        EXPECT_TRUE(differs(facts, messages));
        messages = run.report.messages;
        ++messages[message].bytes;
        EXPECT_TRUE(differs(facts, messages));
    }
    HalvingFacts other = facts;
    other.elements = 204;
    EXPECT_TRUE(differs(other, run.report.messages));
    other = facts;
    std::swap(other.places[1], other.places[2]);
    EXPECT_TRUE(differs(other, run.report.messages));
    other = facts;
    std::swap(other.places[0].first, other.places[0].second);
    EXPECT_TRUE(differs(other, run.report.messages));
    other = facts;
    other.places.resize(2);
    EXPECT_TRUE(differs(other, run.report.messages));
    // Trees, whole vectors, a ring.
    EXPECT_TRUE(differs(facts, run_allreduce(reduce, {}).report.messages));
    EXPECT_TRUE(differs(facts, run_exchange(reduce, {}).report.messages));
    EXPECT_TRUE(differs(facts, run_ring(reduce, {}).report.messages));
    // Both messages of a pair one after the other, in the wrong order.
    std::vector<SentMessage> turned = run.report.messages;
    for (SentMessage& message : turned) message.sequence = -message.sequence;
    EXPECT_TRUE(differs(facts, turned));
}

/// A vector that is sent to all at once has the same sum of bytes as halves that go round.
TEST(HalvingOracle, FindsDirectMessages) {
    const ReduceCase reduce = uniform_case(regular_hierarchy({4}), 200);
    std::vector<SentMessage> messages;
    for (int from = 0; from < 4; ++from) {
        for (int to = 0; to < 4; ++to) {
            if (from == to) continue;
            messages.push_back({from, to, 50, 0});
            messages.push_back({from, to, 50, 1});
        }
    }
    EXPECT_FALSE(check_halving_bytes(facts_of(reduce), messages).empty());
}

}  // namespace
}  // namespace allreduce_halving_test
