#include "reduce_oracle.h"

#include <gtest/gtest.h>

#include <set>

#include "algorithms/patterns/reduction_links.h"

#include "random_shapes.h"
#include "reduce_runs.h"

namespace reduce_oracle_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;

constexpr std::size_t all_eager = 1U << 30;

FabricOptions varied_options(std::uint64_t seed) {
    const std::size_t eager_bytes[] = {0, 64, all_eager};
    return options_for(seed, eager_bytes[seed % 3]);
}

std::vector<std::string> check_reduce(const ReduceCase& reduce, const ReduceRun& run) {
    return check_reduce_bytes(reduce.hierarchy, reduce.root, reduce.bytes(), reduce.segment_bytes(),
                              run.report.messages);
}

std::vector<std::string> check_allreduce(const ReduceCase& reduce, const ReduceRun& run) {
    return check_allreduce_bytes(reduce.hierarchy, reduce.root, reduce.bytes(), reduce.segment_bytes(),
                                 run.report.messages);
}

std::vector<std::string> check_exchange(const ReduceCase& reduce, const ReduceRun& run) {
    return check_exchange_bytes(reduce.hierarchy, reduce.rank_order, reduce.bytes(), run.report.messages,
                                exchange_core(reduce.hierarchy, reduce.plan, reduce.rank_order));
}

template <typename Run, typename Check>
void over_random_shapes(int shapes, Run&& runner, Check&& check) {
    std::set<int> sizes;
    std::set<std::size_t> counts;
    for (int seed = 1; seed <= shapes; ++seed) {
        Random random(static_cast<std::uint64_t>(seed));
        const ReduceCase reduce = random_reduction(random, 48, 400);
        const ReduceRun run = runner(reduce, varied_options(static_cast<std::uint64_t>(seed)), nullptr);
        ASSERT_EQ(faults_of(reduce, run), "") << "seed " << seed;
        const std::vector<std::string> faults = check(reduce, run);
        ASSERT_TRUE(faults.empty()) << faults.front() << "\nseed " << seed << ": " << describe(reduce);
        sizes.insert(reduce.hierarchy.ranks());
        counts.insert(run.report.messages.size());
    }
    EXPECT_GT(sizes.size(), 35U);
    EXPECT_GT(counts.size(), 60U);
}

TEST(ReduceOracle, ReduceOverRandomShapes) { over_random_shapes(260, run_reduce, check_reduce); }

TEST(ReduceOracle, AllreduceOverRandomShapes) { over_random_shapes(260, run_allreduce, check_allreduce); }

TEST(ReduceOracle, ExchangeOverRandomShapes) { over_random_shapes(260, run_exchange, check_exchange); }

ReduceCase two_nodes() {
    ReduceCase reduce;
    reduce.hierarchy = regular_hierarchy({2, 4});
    reduce.plan = uniform_plan(reduce.hierarchy, {Algorithm::linear, 0, {}}, 64);
    reduce.root = 1;
    reduce.elements = 50;
    return reduce;
}

/// Runs the case with the links of all ranks changed by `damage` before.
template <typename Damage>
ReduceRun run_damaged(const ReduceCase& reduce, bool everywhere, Damage&& damage) {
    std::vector<ReductionLinks> links;
    for (int rank = 0; rank < reduce.hierarchy.ranks(); ++rank) {
        links.push_back(reduction_links(reduce.hierarchy, reduce.plan, reduce.root, rank, false));
    }
    damage(links);
    return run_reduction(
        reduce, {}, everywhere, [&](int rank, auto& transport, auto buffers, auto& reduction, auto& arena) {
            return everywhere ? complete(transport, allreduce_tree(transport, links[rank], buffers, reduction,
                                                                   arena, reduce.plan.window))
                              : complete(transport, reduce_tree(transport, links[rank], buffers, reduction,
                                                                arena, reduce.plan.window));
        });
}

TEST(ReduceOracle, FindsAWrongParent) {
    // Rank 6 hangs below the root on the other node: the result is right, but the boundary is crossed twice.
    const ReduceCase reduce = two_nodes();
    const auto damage = [](std::vector<ReductionLinks>& links) {
        std::erase_if(links[4].children, [](const TreeLinks::Edge& edge) { return edge.peer == 6; });
        links[6].parent.peer = 1;
        links[1].children.push_back({6, 0, 64});
    };
    const ReduceRun once = run_damaged(reduce, false, damage);
    EXPECT_EQ(faults_of(reduce, once), "");
    EXPECT_EQ(check_reduce(reduce, once),
              std::vector<std::string>{
                  "group 2 receives 400 bytes in 8 messages instead of 200 bytes in 4 messages"});
    const ReduceRun both = run_damaged(reduce, true, damage);
    EXPECT_EQ(faults_of(reduce, both), "");
    EXPECT_EQ(check_allreduce(reduce, both),
              (std::vector<std::string>{
                  "group 2 sends up 400 bytes in 8 messages instead of 200 bytes in 4 messages",
                  "group 2 receives down 400 bytes in 8 messages instead of 200 bytes in 4 messages"}));
}

TEST(ReduceOracle, FindsMissingBytesAndOtherSegments) {
    const ReduceCase reduce = two_nodes();
    for (const bool everywhere : {false, true}) {
        const auto check = [&](const ReduceCase& expected, const ReduceRun& run) {
            return everywhere ? check_allreduce(expected, run) : check_reduce(expected, run);
        };
        const ReduceRun run = everywhere ? run_allreduce(reduce, {}) : run_reduce(reduce, {});
        EXPECT_TRUE(check(reduce, run).empty());
        EXPECT_EQ(run.report.messages.size(), everywhere ? 56U : 28U);
        ReduceRun missing = run;
        missing.report.messages.pop_back();
        EXPECT_FALSE(check(reduce, missing).empty());
        ReduceRun doubled = run;
        doubled.report.messages.push_back(run.report.messages.front());
        EXPECT_FALSE(check(reduce, doubled).empty());
        ReduceCase other = reduce;
        other.plan.levels[0].segment_bytes = 32;
        EXPECT_FALSE(check(other, run).empty());
        other = reduce;
        other.root = 4;
        EXPECT_EQ(check(other, run).empty(), everywhere);  // of two groups one holds the root: the same links
    }
}

TEST(ReduceOracle, FindsAnotherExchange) {
    ReduceCase reduce = two_nodes();
    reduce.hierarchy = regular_hierarchy({7, 2});
    const ReduceRun run = run_exchange(reduce, {});
    EXPECT_EQ(faults_of(reduce, run), "");
    EXPECT_TRUE(check_exchange(reduce, run).empty());
    ReduceRun missing = run;
    missing.report.messages.pop_back();
    EXPECT_FALSE(check_exchange(reduce, missing).empty());
    ReduceCase other = reduce;
    other.elements = 49;
    EXPECT_FALSE(check_exchange(other, run).empty());
    EXPECT_FALSE(check_exchange(reduce, run_allreduce(reduce, {})).empty());
    // Leaders where the lowest ranks are due.
    reduce.hierarchy = regular_hierarchy({2, 2, 2});
    reduce.plan = uniform_plan(reduce.hierarchy, {Algorithm::linear, 0, {}}, 64);
    reduce.hierarchy.groups[0].leader = reduce.hierarchy.groups[2].leader = 6;
    const ReduceRun led = run_exchange(reduce, {});
    EXPECT_TRUE(check_exchange(reduce, led).empty());
    reduce.rank_order = true;
    EXPECT_FALSE(check_exchange(reduce, led).empty());
}

/// The runner itself must detect an engine's errors.
TEST(ReduceRuns, FindWrongEngines) {
    ReduceCase reduce = two_nodes();
    reduce.op = Operator::matrix_32;
    reduce.rank_order = true;
    EXPECT_EQ(faults_of(reduce, run_reduce(reduce, {})), "");
    ReduceCase order = reduce;
    order.order = {1, 0, 2, 3, 4, 5, 6, 7};
    EXPECT_NE(faults_of(order, run_reduce(order, {})), "");
    ReduceCase unordered = reduce;
    unordered.rank_order = false;
    EXPECT_NE(faults_of(unordered, run_reduce(unordered, {})), "");

    reduce.hierarchy = regular_hierarchy({1});
    reduce.plan = uniform_plan(reduce.hierarchy, {Algorithm::linear, 0, {}}, 0);
    reduce.root = 0;
    const auto alone = [&](auto&& engine) {
        return run_reduction(reduce, {}, true,
                             [&](int, auto&, ReduceBuffers buffers, auto& reduction, auto&) {
                                 engine(buffers, reduction);
                                 return 0;
                             })
            .report;
    };
    const auto copy = [](ReduceBuffers& buffers) {
        std::copy_n(buffers.own.data(), buffers.own.bytes(), buffers.result->data());
    };
    const std::size_t bytes = reduce.bytes();
    EXPECT_EQ(alone([&](ReduceBuffers& b, auto&) {
                  b.own.produce(bytes), copy(b), b.result->consume(bytes);
              }).text(),
              "");
    EXPECT_TRUE(alone([&](ReduceBuffers& b, auto&) {
                    copy(b), b.own.produce(bytes), b.result->consume(bytes);
                }).mentions("announced but is wrong"));
    EXPECT_TRUE(alone([&](ReduceBuffers& b, auto&) {
                    b.own.produce(bytes), copy(b);
                }).mentions("bytes were consumed"));
    EXPECT_TRUE(alone([&](ReduceBuffers& b, auto&) {
                    b.own.produce(bytes), copy(b), b.result->consume(bytes);
                    b.own.data()[0] ^= std::byte{1};
                }).mentions("own data changed"));
    EXPECT_TRUE(alone([&](ReduceBuffers& b, auto&) {
                    b.own.produce(bytes), copy(b), b.result->consume(bytes);
                    b.result->data()[0] ^= std::byte{1};
                }).mentions("the result changed"));
    EXPECT_TRUE(alone([&](ReduceBuffers& b, auto& reduction) {
                    b.own.produce(bytes), copy(b), b.result->consume(bytes);
                    reduction.combine(b.own.data(), b.result->data(), 13);
                }).mentions("combine of 13 bytes"));
}

}  // namespace
}  // namespace reduce_oracle_test
