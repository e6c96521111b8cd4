// A call takes all its memory before its first message: later, a rank without memory could not leave
// without making the others wait for it. The test runs one rank alone, with a transport that completes
// every message at once, and with more children than the engines have built-in room for.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "algorithms/engines/bcast_tree.h"
#include "algorithms/engines/block_exchange.h"
#include "algorithms/engines/rails.h"
#include "algorithms/engines/reduce_tree.h"
#include "algorithms/patterns/block_routes.h"
#include "algorithms/patterns/reduction_links.h"
#include "counted_new.h"
#include "random_shapes.h"

namespace first_message_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;

/// Counts allocations from the first message on.
class WillingTransport final : public Transport {
public:
    explicit WillingTransport(std::size_t most) { busy_.reserve(most); }
    ~WillingTransport() override { counting = false; }
    int begin(int) override { return 0; }
    int isend(int slot, const std::byte*, std::size_t, int, int, Completion) override { return start(slot); }
    int irecv(int slot, std::byte*, std::size_t, int, int) override { return start(slot); }
    int wait_some(std::span<int> done, int& count) override {
        count = 0;
        for (const int slot : busy_) done[static_cast<std::size_t>(count++)] = slot;
        busy_.clear();
        return 0;
    }
    int send(const std::byte*, std::size_t, int) override { return first(); }
    int recv(std::byte*, std::size_t, int) override { return first(); }
    void abandon() noexcept override {}
    bool used() const { return used_; }

private:
    int first() {
        if (!used_) allocations = 0;
        used_ = counting = true;
        return 0;
    }
    int start(int slot) {
        if (busy_.size() == busy_.capacity()) return 1;
        busy_.push_back(slot);
        return first();
    }
    std::vector<int> busy_;
    bool used_ = false;
};

class LeaveAsIs final : public Reduction {
public:
    LeaveAsIs() : Reduction(1) {}
    int combine(const std::byte*, std::byte*, std::size_t) override { return 0; }
};

constexpr int children = 1500;
constexpr std::size_t most_slots = 1U << 20;

/// Returns the allocations of an engine's call on an unused arena from its first message on; -1: the call
/// failed or sent nothing.
int allocated_late(const std::function<int(Transport&, Arena&)>& engine) {
    WillingTransport transport(most_slots);
    Arena arena;
    const int code = engine(transport, arena);
    counting = false;
    return code == 0 && transport.used() ? allocations : -1;
}

/// Vectors of a whole message and of several segments.
class FirstMessage : public testing::TestWithParam<std::size_t> {
protected:
    void SetUp() override {
        if (!counts_new) GTEST_SKIP() << "a sanitizer takes care of operator new";
    }
    const strata::topology::Hierarchy hierarchy = regular_hierarchy({2, children + 1});
    const Plan plan = uniform_plan(hierarchy, {Algorithm::linear, 0, {}}, 1000);
    const int rank = children + 1;  ///< leads the second group: a parent, and `children`
    std::vector<std::byte> own = std::vector<std::byte>(GetParam());
    std::vector<std::byte> result = std::vector<std::byte>(GetParam());
    PackedBuffer mine{own.data(), own.size()};
    PackedBuffer all{result.data(), result.size()};
    LeaveAsIs reduction;
};

TEST_P(FirstMessage, Bcast) {
    const TreeLinks links = tree_links(hierarchy, plan, 0, rank);
    ASSERT_EQ(links.children.size(), std::size_t{children});
    EXPECT_EQ(allocated_late([&](Transport& transport, Arena& arena) {
                  return complete(transport, bcast_tree(transport, links, mine, arena, plan.window));
              }),
              0);
    const std::vector<TreeLinks> rails(2, links);
    EXPECT_EQ(allocated_late([&](Transport& transport, Arena& arena) {
                  return complete(transport, bcast_rails(transport, rails, mine, arena, plan.window));
              }),
              0);
}

TEST_P(FirstMessage, ReduceAndAllreduce) {
    const ReductionLinks links = reduction_links(hierarchy, plan, 0, rank, false);
    ASSERT_EQ(links.children.size(), std::size_t{children});
    EXPECT_EQ(allocated_late([&](Transport& transport, Arena& arena) {
                  return complete(transport, reduce_tree(transport, links, {mine, nullptr}, reduction, arena,
                                                         plan.window));
              }),
              0);
    const std::vector<ReductionLinks> both_trees(2, links);
    EXPECT_EQ(allocated_late([&](Transport& transport, Arena& arena) {
                  return complete(transport, reduce_trees(transport, both_trees, {mine, nullptr}, reduction,
                                                          arena, plan.window));
              }),
              0);
    for (PackedBuffer* const place : {&all, &mine}) {
        EXPECT_EQ(allocated_late([&](Transport& transport, Arena& arena) {
                      return complete(transport, allreduce_tree(transport, links, {mine, place}, reduction,
                                                                arena, plan.window));
                  }),
                  0);
        const std::vector<ReductionLinks> rails(2, links);
        EXPECT_EQ(allocated_late([&](Transport& transport, Arena& arena) {
                      return complete(transport, allreduce_rails(transport, rails, {mine, place}, reduction,
                                                                 arena, plan.window));
                  }),
                  0);
    }
}

TEST_P(FirstMessage, ExchangesAndRing) {
    const ExchangeLinks links = exchange_links(hierarchy, plan, rank, false);
    ASSERT_EQ(links.core.size(), 2U);
    const ExchangeLinks halving = halving_links(hierarchy, plan, rank);
    ASSERT_EQ(halving.core.size(), 2U);
    const ExchangeLinks ring = ring_links(hierarchy, plan, rank);
    EXPECT_EQ(allocated_late([&](Transport& transport, Arena& arena) {
                  return complete(transport, barrier_exchange(transport, links, arena));
              }),
              0);
    for (PackedBuffer* const place : {&all, &mine}) {
        EXPECT_EQ(allocated_late([&](Transport& transport, Arena& arena) {
                      return complete(transport,
                                      allreduce_exchange(transport, links, {mine, place}, reduction, arena));
                  }),
                  0);
        EXPECT_EQ(allocated_late([&](Transport& transport, Arena& arena) {
                      return complete(transport,
                                      allreduce_halving(transport, halving, {mine, place}, reduction, arena));
                  }),
                  0);
        EXPECT_EQ(allocated_late([&](Transport& transport, Arena& arena) {
                      return complete(transport, allreduce_ring(transport, ring, {mine, place}, reduction,
                                                                arena, plan.window));
                  }),
                  0);
    }
}

TEST_P(FirstMessage, Blocks) {
    const std::size_t block = GetParam() / 8;
    std::vector<std::byte> memory(hierarchy.stop.size() * block);
    for (const ChunkDirection flow :
         {ChunkDirection::all, ChunkDirection::to_root, ChunkDirection::from_root}) {
        const BlockRoutes routes = block_routes(hierarchy, plan, 0, rank, flow);
        std::vector<Block> blocks(hierarchy.stop.size());
        for (int i = 0; i < hierarchy.ranks(); ++i) {
            const bool here = flow == ChunkDirection::all || i == rank;
            blocks[static_cast<std::size_t>(i)] = {
                here ? memory.data() + static_cast<std::size_t>(i) * block : nullptr, block};
        }
        EXPECT_EQ(allocated_late([&](Transport& transport, Arena& arena) {
                      return complete(transport, exchange_blocks(transport, routes, blocks, flow, 0, rank,
                                                                 arena, plan.window));
                  }),
                  0)
            << static_cast<int>(flow);
    }
}

/// Of three nodes, two share a place in the exchanges.
TEST_P(FirstMessage, ExchangesOfThree) {
    const auto nodes = regular_hierarchy({3, 4});
    Plan doubling = uniform_plan(nodes, {Algorithm::linear, 0, {}}, 1000);
    doubling.levels.front().method = {Algorithm::recursive_doubling, 0, {}};
    std::vector<std::byte> memory(nodes.stop.size() * GetParam());
    std::vector<Block> blocks(nodes.stop.size());
    for (std::size_t i = 0; i < blocks.size(); ++i) blocks[i] = {memory.data() + i * GetParam(), GetParam()};
    int partners = 0;
    int places = 0;
    for (const int leader : {0, 4, 8}) {
        const ExchangeLinks halving = halving_links(nodes, doubling, leader);
        partners += halving.partner >= 0 ? 1 : 0;
        for (PackedBuffer* const place : {&all, &mine}) {
            EXPECT_EQ(allocated_late([&](Transport& transport, Arena& arena) {
                          return complete(transport, allreduce_halving(transport, halving, {mine, place},
                                                                       reduction, arena));
                      }),
                      0)
                << leader;
        }
        const BlockRoutes routes = block_routes(nodes, doubling, 0, leader, ChunkDirection::all);
        places += routes.doubles ? 1 : 0;
        EXPECT_EQ(allocated_late([&](Transport& transport, Arena& arena) {
                      return complete(transport,
                                      exchange_blocks(transport, routes, blocks, ChunkDirection::all, 0,
                                                      leader, arena, doubling.window));
                  }),
                  0)
            << leader;
    }
    EXPECT_EQ(partners, 2);
    EXPECT_EQ(places, 2);
}

INSTANTIATE_TEST_SUITE_P(Sizes, FirstMessage, testing::Values(std::size_t{8}, std::size_t{20000}));

TEST(FirstMessageCanFail, WhatIsAllocatedLaterIsCounted) {
    if (!counts_new) GTEST_SKIP() << "a sanitizer takes care of operator new";
    EXPECT_EQ(allocated_late([&](Transport& transport, Arena&) {
                  const std::vector<int> before(100);
                  const int code = transport.recv(nullptr, 0, 0);
                  const std::vector<int> behind(100);
                  return code;
              }),
              1);
}

}  // namespace
}  // namespace first_message_test
