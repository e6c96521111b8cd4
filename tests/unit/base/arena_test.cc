#include "algorithms/base/arena.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory_resource>
#include <new>
#include <span>
#include <thread>
#include <vector>

namespace arena_test {
namespace {

using strata::algorithms::Arena;

bool aligned(const std::byte* data) {
    return reinterpret_cast<std::uintptr_t>(data) % Arena::alignment_bytes == 0;
}

TEST(Arena, GivesSeparateAlignedPieces) {
    Arena arena;
    std::vector<std::byte*> pieces;
    const std::vector<std::size_t> sizes = {0, 1, 63, 64, 65, 5000, 16384, 100000, 3};
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        pieces.push_back(arena.take(sizes[i]));
        EXPECT_TRUE(aligned(pieces.back()));
        std::memset(pieces.back(), static_cast<int>(i), sizes[i]);
    }
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        for (std::size_t offset = 0; offset < sizes[i]; ++offset) {
            ASSERT_EQ(pieces[i][offset], static_cast<std::byte>(i)) << "piece " << i;
        }
    }
    EXPECT_NE(pieces[0], pieces[1]);  // an empty piece has its own address
}

/// Memory of one's own comes first, and needs nothing from the system.
TEST(Arena, TakesFromOwnMemoryFirst) {
    alignas(Arena::alignment_bytes) std::array<std::byte, 300> own;
    Arena arena{std::span(own)};
    for (const bool again : {false, true}) {
        EXPECT_EQ(arena.take(100), own.data()) << again;
        EXPECT_EQ(arena.take(128), own.data() + 128) << again;
        EXPECT_EQ(arena.held(), 0U) << again;
        arena.reset();
    }
    arena.take(256);
    std::byte* const more = arena.take(1);
    EXPECT_TRUE(more < own.data() || more >= own.data() + own.size());
    EXPECT_GT(arena.held(), 0U);
}

/// Whatever the pieces of a call are, repeated calls soon hold one chunk for all of them.
TEST(Arena, NothingIsAllocatedAfterTheFirstCalls) {
    const std::vector<std::vector<std::size_t>> calls = {{10},
                                                         {16384, 16384},
                                                         {10000, 10000, 10000},
                                                         {1, 70000, 3, 70000, 70000},
                                                         std::vector<std::size_t>(40, 50000)};
    for (const std::vector<std::size_t>& pieces : calls) {
        Arena arena;
        const auto call = [&] {
            std::byte* const first = arena.take(pieces.front());
            for (std::size_t i = 1; i < pieces.size(); ++i) {
                arena.take(pieces[i]);
            }
            arena.reset();
            return first;
        };
        call();
        std::byte* const memory = call();
        const std::size_t held = arena.held();
        for (int again = 0; again < 5; ++again) {
            EXPECT_EQ(call(), memory);
            EXPECT_EQ(arena.held(), held);
        }
    }
}

TEST(Arena, SmallCallsKeepWhatALargeOneTook) {
    Arena arena;
    for (int warm = 0; warm < 2; ++warm) {
        arena.take(200000);
        arena.take(300000);
        arena.reset();
    }
    const std::size_t held = arena.held();
    EXPECT_GE(held, 500000U);
    arena.take(100);
    arena.reset();
    EXPECT_EQ(arena.held(), held);
}

TEST(Arena, GivesBackWhatIsTooMuch) {
    Arena arena(100000);
    arena.take(50000);
    arena.reset();
    EXPECT_GE(arena.held(), 50000U);
    EXPECT_LE(arena.held(), 100000U);
    arena.take(200000);
    arena.reset();
    EXPECT_LE(arena.held(), 100000U);
    arena.take(10);
    EXPECT_LE(arena.held(), 100000U);
}

/// Two periods of calls: in the first, some may still have needed it.
TEST(Arena, GivesBackWhatCallsDoWithout) {
    Arena arena;
    const auto call = [&](std::size_t bytes) {
        arena.take(bytes);
        arena.reset();
    };
    for (int large = 0; large < 3; ++large) call(300000);
    EXPECT_GE(arena.held(), 300000U);
    for (int small = 0; small < Arena::patience - 4; ++small) call(100);
    EXPECT_GE(arena.held(), 300000U);
    for (int small = 0; small < Arena::patience + 1; ++small) call(100);
    EXPECT_LE(arena.held(), 100000U);
}

TEST(Arena, KeepsWhatSomeCallsNeed) {
    Arena arena;
    const auto call = [&](std::size_t bytes) {
        std::byte* const memory = arena.take(bytes);
        arena.reset();
        return memory;
    };
    call(300000);
    std::byte* const memory = call(300000);
    for (int period = 0; period < 5; ++period) {
        for (int small = 0; small < Arena::patience - 1; ++small) EXPECT_EQ(call(100), memory);
        EXPECT_EQ(call(300000), memory);
    }
}

TEST(Arena, AbandonedMemoryStaysValid) {
    Arena arena;
    std::byte* const piece = arena.take(1000);
    arena.abandon();
    EXPECT_EQ(arena.held(), 0U);
    std::byte* const other = arena.take(1000);
    std::memset(piece, 1, 1000);  // a message in flight
    std::memset(other, 2, 1000);
    EXPECT_EQ(piece[999], std::byte{1});
    ::operator delete (piece, std::align_val_t{Arena::alignment_bytes});  // it was the start of its chunk
}

/// Reads like a tool's thread that reads a variable during calls. Only the thread sanitizer detects a race.
TEST(Arena, AnotherThreadMayAskWhatItHolds) {
    constexpr std::size_t keep = std::size_t{4} << 20;
    Arena arena(keep);
    std::atomic<bool> done{false};
    std::size_t most = 0;
    std::thread tool([&] {
        while (!done) most = std::max(most, arena.held());
    });
    constexpr std::size_t large = 2 * keep;  // freed by every reset()
    for (int call = 0; call < 200; ++call) {
        for (int piece = 0; piece < 20; ++piece) arena.take(large / 20);
        arena.reset();
    }
    done = true;
    tool.join();
    EXPECT_LE(most, 4 * large);
    EXPECT_LE(arena.held(), keep);
}

TEST(Arena, IsAMemoryResource) {
    Arena arena;
    std::pmr::vector<int> numbers(&arena);
    for (int i = 0; i < 10000; ++i) {
        numbers.push_back(i);
    }
    EXPECT_EQ(numbers[9999], 9999);
    EXPECT_GE(arena.held(), 40000U);
    EXPECT_TRUE(arena == arena);
    EXPECT_FALSE(arena == *std::pmr::get_default_resource());
    EXPECT_THROW(static_cast<void>(arena.allocate(8, 2 * Arena::alignment_bytes)), std::bad_alloc);
}

TEST(Arena, SizesThatDoNotExist) {
    Arena arena;
    EXPECT_THROW(arena.take(std::numeric_limits<std::size_t>::max()), std::bad_alloc);
    EXPECT_THROW(arena.take(std::numeric_limits<std::size_t>::max() - Arena::alignment_bytes + 1),
                 std::bad_alloc);
    EXPECT_TRUE(aligned(arena.take(100)));
}

}  // namespace
}  // namespace arena_test
