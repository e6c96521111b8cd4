// After the first calls of a kind the engines allocate nothing, for small, medium and large data. The test
// counts calls of operator new by a rank's thread between two transport calls, without those of the
// transport.
#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <functional>
#include <tuple>
#include <vector>

#include "algorithms/engines/bcast_tree.h"
#include "algorithms/engines/block_exchange.h"
#include "algorithms/engines/rails.h"
#include "algorithms/engines/reduce_tree.h"
#include "algorithms/patterns/block_routes.h"
#include "algorithms/patterns/rail_links.h"
#include "algorithms/patterns/reduction_links.h"
#include "counted_new.h"
#include "fabric.h"
#include "random_shapes.h"

namespace allocation_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;

class Counting {
public:
    explicit Counting(bool on) : before_(counting) { counting = on; }
    ~Counting() { counting = before_; }
    Counting(const Counting&) = delete;
    Counting& operator=(const Counting&) = delete;

private:
    bool before_;
};

/// The transport's own allocations do not count.
class UncountedTransport : public Transport {
public:
    explicit UncountedTransport(Transport& transport) : transport_(transport) {}
    int begin(int slots) override {
        return own([&] { return transport_.begin(slots); });
    }
    int isend(int slot, const std::byte* data, std::size_t bytes, int peer, int rail,
              Completion completion) override {
        return own([&] { return transport_.isend(slot, data, bytes, peer, rail, completion); });
    }
    int irecv(int slot, std::byte* data, std::size_t bytes, int peer, int rail) override {
        return own([&] { return transport_.irecv(slot, data, bytes, peer, rail); });
    }
    int wait_some(std::span<int> done, int& count) override {
        return own([&] { return transport_.wait_some(done, count); });
    }
    int send(const std::byte* data, std::size_t bytes, int peer) override {
        return own([&] { return transport_.send(data, bytes, peer); });
    }
    int recv(std::byte* data, std::size_t bytes, int peer) override {
        return own([&] { return transport_.recv(data, bytes, peer); });
    }
    void abandon() noexcept override { transport_.abandon(); }

private:
    template <class Call>
    static int own(Call&& call) {
        const Counting off(false);
        return call();
    }
    Transport& transport_;
};

class XorBytes final : public Reduction {
public:
    XorBytes() : Reduction(1) {}
    int combine(const std::byte* left, std::byte* right, std::size_t bytes) override {
        for (std::size_t i = 0; i < bytes; ++i) {
            right[i] ^= left[i];
        }
        return 0;
    }
};

constexpr int ranks = 4;
constexpr std::size_t sizes[] = {8, 64 << 10, 4 << 20};

/// One call of an engine on a rank with `bytes` bytes of data and a result of the same size.
using Engine =
    std::function<int(Transport&, std::vector<std::byte>& own, std::vector<std::byte>& result, Arena& arena)>;

/// Makes four calls of the task from `prepare(rank)`, on two nodes of two ranks; the last two allocate
/// nothing.
void expect_no_allocations(std::size_t bytes, const std::function<Engine(int rank)>& prepare) {
    const RunReport report = run_ranks(ranks, options_for(1, 65536), [&](int rank, Transport& inner) {
        UncountedTransport transport(inner);
        std::vector<std::byte> own(bytes);
        std::vector<std::byte> result(bytes);
        Arena arena;
        const Engine engine = prepare(rank);
        int code = 0;
        for (int call = 0; call < 4 && code == 0; ++call) {
            allocations = 0;
            const Counting on(true);
            code = engine(transport, own, result, arena);
            arena.reset();
            if (call >= 2) {
                const Counting off(false);
                EXPECT_EQ(allocations, 0) << "rank " << rank << ", " << bytes << " bytes, call " << call;
            }
        }
        return code;
    });
    EXPECT_EQ(report.text(), "");
    EXPECT_EQ(report.codes, std::vector<int>(ranks, 0));
}

/// Bytes of a vector, and Plan::network_window_bytes: with it a stream between the nodes has more slots than
/// an engine has room for by itself.
using Sizes = std::tuple<std::size_t, std::size_t>;

class Allocations : public testing::TestWithParam<Sizes> {
protected:
    Allocations() { plan.network_window_bytes = std::get<1>(GetParam()); }
    void SetUp() override {
        if (!counts_new) GTEST_SKIP() << "a sanitizer takes care of operator new";
    }
    static std::size_t bytes() { return std::get<0>(GetParam()); }
    const strata::topology::Hierarchy hierarchy = dealt_out(2, 2);
    Plan plan = uniform_plan(hierarchy, {Algorithm::binomial, 0, {}}, 60000);
};

TEST_P(Allocations, Bcast) {
    expect_no_allocations(bytes(), [&](int rank) -> Engine {
        return [this, links = tree_links(hierarchy, plan, 0, rank)](Transport& transport, auto& own, auto&,
                                                                    Arena& arena) {
            PackedBuffer buffer(own.data(), own.size());
            return complete(transport, bcast_tree(transport, links, buffer, arena, plan.window));
        };
    });
}

TEST_P(Allocations, ReduceAndAllreduce) {
    for (const bool everywhere : {false, true}) {
        expect_no_allocations(bytes(), [&](int rank) -> Engine {
            return [this, everywhere, rank, links = reduction_links(hierarchy, plan, 0, rank, false)](
                       Transport& transport, auto& own, auto& result, Arena& arena) {
                XorBytes reduction;
                PackedBuffer mine(own.data(), own.size());
                PackedBuffer all(result.data(), result.size());
                const ReduceBuffers buffers{mine, everywhere || rank == 0 ? &all : nullptr};
                return everywhere ? complete(transport, allreduce_tree(transport, links, buffers, reduction,
                                                                       arena, plan.window))
                                  : complete(transport, reduce_tree(transport, links, buffers, reduction,
                                                                    arena, plan.window));
            };
        });
    }
}

TEST_P(Allocations, AllreduceByExchangeAndBarrier) {
    for (const bool barrier : {false, true}) {
        expect_no_allocations(bytes(), [&](int rank) -> Engine {
            return [barrier, links = exchange_links(hierarchy, plan, rank, false)](
                       Transport& transport, auto& own, auto& result, Arena& arena) {
                XorBytes reduction;
                PackedBuffer mine(own.data(), own.size());
                PackedBuffer all(result.data(), result.size());
                return barrier ? complete(transport, barrier_exchange(transport, links, arena))
                               : complete(transport, allreduce_exchange(transport, links, {mine, &all},
                                                                        reduction, arena));
            };
        });
    }
}

TEST_P(Allocations, AllreduceByHalving) {
    expect_no_allocations(bytes(), [&](int rank) -> Engine {
        return [links = halving_links(hierarchy, plan, rank)](Transport& transport, auto& own, auto& result,
                                                              Arena& arena) {
            XorBytes reduction;
            PackedBuffer mine(own.data(), own.size());
            PackedBuffer all(result.data(), result.size());
            return complete(transport, allreduce_halving(transport, links, {mine, &all}, reduction, arena));
        };
    });
}

/// Gather and Scatter move more through the second node's leader than an arena keeps.
TEST_P(Allocations, AllgatherGatherScatter) {
    for (const ChunkDirection flow :
         {ChunkDirection::all, ChunkDirection::to_root, ChunkDirection::from_root}) {
        expect_no_allocations(bytes(), [&](int rank) -> Engine {
            return [flow, rank, this, routes = block_routes(hierarchy, plan, 0, rank, flow)](
                       Transport& transport, auto& own, auto& result, Arena& arena) {
                const std::size_t block = own.size() / ranks;
                std::array<Block, ranks> blocks{};
                for (int i = 0; i < ranks; ++i) {
                    const bool here = flow == ChunkDirection::all || rank == 0 || i == rank;
                    blocks[i] = {here ? result.data() + block * i : nullptr, block};
                }
                return complete(
                    transport, exchange_blocks(transport, routes, blocks, flow, 0, rank, arena, plan.window));
            };
        });
    }
}

TEST_P(Allocations, AllgatherByDoubling) {
    Plan doubling = plan;
    doubling.levels.front().method = {Algorithm::recursive_doubling, 0, {}};
    expect_no_allocations(bytes(), [&](int rank) -> Engine {
        return [rank, this, routes = block_routes(hierarchy, doubling, 0, rank, ChunkDirection::all)](
                   Transport& transport, auto& own, auto& result, Arena& arena) {
            const std::size_t block = own.size() / ranks;
            std::array<Block, ranks> blocks{};
            for (int i = 0; i < ranks; ++i) blocks[i] = {result.data() + block * i, block};
            return complete(transport, exchange_blocks(transport, routes, blocks, ChunkDirection::all, 0,
                                                       rank, arena, plan.window));
        };
    });
}

TEST_P(Allocations, Rails) {
    using strata::topology::NicRails;
    const NicRails rails{std::vector(4, hierarchy), {0, 1, 2, 3}};
    expect_no_allocations(bytes(), [&](int rank) -> Engine {
        return [this, links = std::vector(4, tree_links(hierarchy, plan, 0, rank))](
                   Transport& transport, auto& own, auto&, Arena& arena) {
            PackedBuffer buffer(own.data(), own.size());
            return complete(transport, bcast_rails(transport, links, buffer, arena, plan.window));
        };
    });
    expect_no_allocations(bytes(), [&](int rank) -> Engine {
        return [this, links = std::vector(4, reduction_links(hierarchy, plan, 0, rank, false))](
                   Transport& transport, auto& own, auto& result, Arena& arena) {
            XorBytes reduction;
            PackedBuffer mine(own.data(), own.size());
            PackedBuffer all(result.data(), result.size());
            return complete(transport,
                            allreduce_rails(transport, links, {mine, &all}, reduction, arena, plan.window));
        };
    });
    expect_no_allocations(bytes(), [&](int rank) -> Engine {
        return [this, rank, links = std::vector(2, reduction_links(hierarchy, plan, 0, rank, false))](
                   Transport& transport, auto& own, auto& result, Arena& arena) {
            XorBytes reduction;
            PackedBuffer mine(own.data(), own.size());
            PackedBuffer all(result.data(), result.size());
            return complete(transport, reduce_trees(transport, links, {mine, rank == 0 ? &all : nullptr},
                                                    reduction, arena, plan.window));
        };
    });
    expect_no_allocations(bytes(), [&](int rank) -> Engine {
        return [this, rank, routes = rail_block_routes(rails, plan, rank)](Transport& transport, auto& own,
                                                                           auto& result, Arena& arena) {
            const std::size_t block = own.size() / ranks;
            std::array<Block, ranks> blocks{};
            for (int i = 0; i < ranks; ++i) {
                blocks[i] = {result.data() + block * i, block};
            }
            return complete(transport, exchange_blocks(transport, routes, blocks, ChunkDirection::all, 0,
                                                       rank, arena, plan.window));
        };
    });
}

INSTANTIATE_TEST_SUITE_P(Sizes, Allocations,
                         testing::Combine(testing::ValuesIn(sizes),
                                          testing::Values(std::size_t{0}, std::size_t{4} << 20)));

/// The counter detects an engine's allocation.
TEST(AllocationsCanFail, AVectorPerCallIsCounted) {
    if (!counts_new) GTEST_SKIP() << "a sanitizer takes care of operator new";
    EXPECT_NONFATAL_FAILURE(
        {
            allocations = 0;
            {
                const Counting on(true);
                const std::vector<int> numbers(100);
            }
            EXPECT_EQ(allocations, 0);
        },
        "allocations");
}

}  // namespace
}  // namespace allocation_test
