#include "algorithms/base/arena_pool.h"

#include <gtest/gtest.h>

#include <cstring>
#include <thread>
#include <vector>

namespace arena_pool_test {
namespace {

using strata::algorithms::Arena;
using strata::algorithms::ArenaPool;

void call(ArenaPool& pool, std::size_t bytes) {
    Arena& arena = pool.lease();
    arena.take(bytes);
    arena.reset();
    pool.give_back(arena);
}

TEST(ArenaPool, CallsOneAfterTheOtherShareOne) {
    ArenaPool pool;
    call(pool, 100000);
    const std::size_t held = pool.held();
    Arena* const first = &pool.lease();
    pool.give_back(*first);
    for (int again = 0; again < 1000; ++again) {
        Arena& arena = pool.lease();
        EXPECT_EQ(&arena, first);
        pool.give_back(arena);
    }
    EXPECT_EQ(pool.held(), held);
}

TEST(ArenaPool, CallsAtTheSameTimeHaveTheirOwn) {
    ArenaPool pool;
    constexpr int overlapping = 5;
    for (int round = 0; round < 3; ++round) {
        std::vector<Arena*> leased;
        for (int i = 0; i < overlapping; ++i) {
            leased.push_back(&pool.lease());
            for (int other = 0; other < i; ++other) EXPECT_NE(leased[i], leased[other]);
            leased.back()->take(20000);
        }
        EXPECT_GE(pool.held(), overlapping * 20000U);
        EXPECT_LE(pool.held(), overlapping * 40000U);  // at most one per overlapping call
        for (Arena* arena : leased) {
            arena->reset();
            pool.give_back(*arena);
        }
    }
}

TEST(ArenaPool, UnneededOnesGo) {
    ArenaPool pool;
    Arena& one = pool.lease();
    Arena& two = pool.lease();
    one.take(20000);
    two.take(20000);
    one.reset();
    two.reset();
    pool.give_back(one);
    pool.give_back(two);
    const std::size_t both = pool.held();
    for (int i = 0; i < 2 * Arena::patience; ++i) call(pool, 20000);
    EXPECT_LE(pool.held(), both / 2);
    EXPECT_GE(pool.held(), 20000U);
}

/// Only the thread sanitizer detects the race.
TEST(ArenaPool, ThreadsMayCallAtTheSameTime) {
    ArenaPool pool;
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 4; ++thread) {
        threads.emplace_back([&pool, thread] {
            for (int i = 0; i < 1000; ++i) {
                Arena& arena = pool.lease();
                std::byte* const memory = arena.take(1000);
                std::memset(memory, thread, 1000);
                EXPECT_EQ(memory[999], static_cast<std::byte>(thread));
                arena.reset();
                pool.give_back(arena);
            }
        });
    }
    std::size_t most = 0;
    for (int i = 0; i < 100; ++i) most = std::max(most, pool.held());
    for (std::thread& thread : threads) thread.join();
    EXPECT_LE(most, 5 * 20000U);
}

}  // namespace
}  // namespace arena_pool_test
