#include "strata/algorithms/arena.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory_resource>
#include <new>
#include <thread>
#include <utility>
#include <vector>

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
    EXPECT_NE(pieces[0], pieces[1]);  // a piece of no bytes is one of its own
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

using strata::algorithms::SpareChunk;

/// Returns where the memory of a call of `bytes` bytes lies.
std::byte* call(Arena& arena, std::size_t bytes) {
    arena.take(100);
    std::byte* const first = arena.take(bytes / 2);
    arena.take(bytes / 2);
    arena.reset();
    return first;
}

TEST(SpareChunk, LargeCallsOfAllArenasShareIt) {
    SpareChunk spare;
    Arena one(100000, &spare);
    Arena other(100000, &spare);
    call(one, 300000);
    call(one, 300000);
    std::byte* const memory = call(one, 300000);
    for (int again = 0; again < 5; ++again) {
        EXPECT_EQ(call(one, 300000), memory);
        EXPECT_EQ(call(other, 300000), memory);
        EXPECT_LE(one.held() + other.held(), 200000U);
    }
}

TEST(SpareChunk, GoesWhenItIsNotUsedAnyMore) {
    SpareChunk spare;
    Arena arena(100000, &spare);
    const auto spare_bytes = [&] {
        std::size_t bytes = 300000;
        std::byte* const data = spare.take(bytes);
        if (data == nullptr) {
            return std::size_t{0};
        }
        spare.put(data, bytes);
        return bytes;
    };
    call(arena, 300000);
    call(arena, 300000);
    for (int small = 0; small < Arena::patience - 1; ++small) {
        call(arena, 100);
    }
    EXPECT_GE(spare_bytes(), 300000U);
    call(arena, 100);
    EXPECT_EQ(spare_bytes(), 0U);
}

/// A small call that takes what may not be kept, because its first pieces left the kept chunk half empty.
TEST(SpareChunk, GoesAfterASmallCallToo) {
    SpareChunk spare;
    Arena arena(100000, &spare);
    arena.take(100);
    arena.take(99000);
    arena.reset();
    for (int small = 0; small < Arena::patience; ++small) {
        arena.take(100);
        arena.reset();
    }
    std::size_t bytes = 99000;
    EXPECT_EQ(spare.take(bytes), nullptr);
}

TEST(SpareChunk, FitsOrGoes) {
    SpareChunk spare;
    for (const auto& [wanted, fits] :
         {std::pair{std::size_t{1000}, true}, std::pair{std::size_t{300}, true},
          std::pair{std::size_t{250}, false}, std::pair{std::size_t{1001}, false}}) {
        spare.put(static_cast<std::byte*>(::operator new (1000, std::align_val_t{Arena::alignment_bytes})),
                  1000);
        std::size_t bytes = wanted;
        std::byte* const data = spare.take(bytes);
        EXPECT_EQ(data != nullptr, fits) << wanted;
        EXPECT_EQ(bytes, fits ? 1000 : wanted);
        ::operator delete (data, std::align_val_t{Arena::alignment_bytes});
        EXPECT_EQ(spare.take(bytes), nullptr);
    }
}

TEST(Arena, AbandonedMemoryStaysValid) {
    Arena arena;
    std::byte* const piece = arena.take(1000);
    arena.abandon();
    EXPECT_EQ(arena.held(), 0U);
    std::byte* const other = arena.take(1000);
    std::memset(piece, 1, 1000);  // a message that was under way
    std::memset(other, 2, 1000);
    EXPECT_EQ(piece[999], std::byte{1});
    ::operator delete (piece, std::align_val_t{Arena::alignment_bytes});  // it was the start of its chunk
}

/// As a tool's thread asks for a variable during calls. What says that it must not is the thread sanitizer.
TEST(Arena, AnotherThreadMayAskWhatItHolds) {
    Arena arena;
    std::atomic<bool> done{false};
    std::size_t most = 0;
    std::thread tool([&] {
        while (!done) most = std::max(most, arena.held());
    });
    constexpr std::size_t large = std::size_t{8} << 20;  // given back by every reset()
    for (int call = 0; call < 200; ++call) {
        for (int piece = 0; piece < 20; ++piece) arena.take(large / 20);
        arena.reset();
    }
    done = true;
    tool.join();
    EXPECT_LE(most, 4 * large);
    EXPECT_LE(arena.held(), Arena::default_keep);
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
