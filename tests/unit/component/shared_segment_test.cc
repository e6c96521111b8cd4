// Boards that communicators borrow from memory shared by processes. Here one process plays both parts,
// because it can also map its own segments by their places.
#include "component/segments/shared_segment.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

namespace strata::testing {
namespace {

using namespace strata::component;
using algorithms::Board;

constexpr SharedSegments::Process owner{1, 0};
constexpr std::size_t in_segment = SharedSegments::boards_per_segment;

bool is_clear(const Board& board) {
    return board.read.number == 0 && board.read.left == 0 && board.published[0].number == 0 &&
           board.published[1].number == 0;
}
void leave(std::span<Board> boards) {
    for (Board& board : boards) board.read.left = 1;
}

TEST(SharedSegments, OthersSeeTheBoardsOfTheirOwner) {
    SharedSegments own;
    SharedSegments other;
    const auto loan = own.borrow(3);
    ASSERT_TRUE(loan);
    EXPECT_EQ(other.mapped(owner), 0U);
    const auto theirs = other.map(owner, *loan);
    ASSERT_EQ(theirs.size(), 3U);
    EXPECT_EQ(other.mapped(owner), 1U);
    const auto mine = own.boards(*loan);
    EXPECT_NE(mine.data(), theirs.data());
    mine[2].published[1].number = 7;
    EXPECT_EQ(theirs[2].published[1].number, 7U);
    const auto second = own.borrow(2);
    EXPECT_EQ(second->first, 3U) << "loans do not overlap";
    EXPECT_EQ(other.map(owner, *second).data(), theirs.data() + 3) << "the segment is mapped once";
}

TEST(SharedSegments, BoardsComeBackOnceAllRanksHaveLeft) {
    SharedSegments own;
    const auto first = own.borrow(2);
    const auto boards = own.boards(*first);
    boards[1].published[0].number = 5;
    own.give_back(*first, true);
    EXPECT_EQ(own.borrow(2)->first, 2U) << "no rank has left";
    boards[0].read.left = 1;
    EXPECT_EQ(own.borrow(2)->first, 4U) << "one rank has left";
    boards[1].read.left = 1;
    const auto again = own.borrow(2);
    EXPECT_EQ(again->first, 0U);
    EXPECT_TRUE(std::ranges::all_of(own.boards(*again), is_clear));
    own.give_back(*again, false);
    EXPECT_EQ(own.borrow(2)->first, 0U) << "no other rank had them";
}

TEST(SharedSegments, AGapServesWhoFits) {
    SharedSegments own;
    const auto first = own.borrow(2);
    const auto second = own.borrow(4);
    const auto third = own.borrow(1);
    own.give_back(*second, false);
    EXPECT_EQ(own.borrow(5)->first, 7U);
    EXPECT_EQ(own.borrow(3)->first, 2U);
    EXPECT_EQ(own.borrow(1)->first, 5U);
    EXPECT_EQ(own.borrow(1)->first, 12U);
    EXPECT_EQ(first->first + third->first, 6U);
}

TEST(SharedSegments, LargeCommunicatorsHaveASegmentOfTheirOwn) {
    SharedSegments own;
    EXPECT_EQ(own.borrow(2)->segment, 0U);
    const auto large = own.borrow(in_segment + 1);
    EXPECT_EQ(large->segment, 1U);
    EXPECT_EQ(own.boards(*large).size(), in_segment + 1);
    SharedSegments other;
    EXPECT_FALSE(other.map(owner, *large).empty());
    EXPECT_EQ(other.mapped(owner), 0U) << "segment 0 is not mapped";
}

TEST(SharedSegments, TheBoundIsKept) {
    SharedSegments own;
    std::size_t loans = 0;
    std::optional<SharedSegments::Loan> last;
    while (const auto loan = own.borrow(in_segment)) {
        last = loan;
        ASSERT_LE(++loans * in_segment * sizeof(Board), SharedSegments::most_bytes);
    }
    EXPECT_GT((loans + 1) * in_segment * sizeof(Board), SharedSegments::most_bytes);
    own.give_back(*last, true);
    EXPECT_FALSE(own.borrow(1));
    leave(own.boards(*last));
    EXPECT_TRUE(own.borrow(1));
    EXPECT_FALSE(own.borrow(SharedSegments::most_bytes / sizeof(Board) + 1));
}

/// Segments of others make room, unless a communicator uses them.
TEST(SharedSegments, UnusedSegmentsMakeRoom) {
    SharedSegments own;
    SharedSegments other;
    const auto loan = own.borrow(1);
    const auto large = own.borrow(SharedSegments::most_bytes / sizeof(Board) - in_segment);
    ASSERT_TRUE(large);
    other.join(owner);
    EXPECT_FALSE(other.map(owner, *loan).empty());
    EXPECT_FALSE(other.map(owner, *large).empty());
    EXPECT_EQ(other.mapped(owner), 2U);
    EXPECT_FALSE(other.borrow(1)) << "a communicator may use them";
    EXPECT_EQ(other.mapped(owner), 2U);
    other.leave(owner);
    EXPECT_TRUE(other.borrow(1));
    EXPECT_EQ(other.mapped(owner), 0U);
}

/// Another process, for example one with the same number in another PID namespace, has another file there.
TEST(SharedSegments, OtherMemoryIsNotMapped) {
    SharedSegments own;
    SharedSegments other;
    const auto loan = own.borrow(1);
    auto wrong = *loan;
    wrong.place.token ^= 1;
    EXPECT_TRUE(other.map(owner, wrong).empty());
    wrong = *loan;
    wrong.place.file ^= 1;
    EXPECT_TRUE(other.map(owner, wrong).empty());
    // The same name, and a size that could still change.
    char name[64];
    std::snprintf(name, sizeof name, "strata-%016llx", static_cast<unsigned long long>(loan->place.token));
    const int unsealed = memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
    ASSERT_EQ(ftruncate(unsealed, static_cast<off_t>(in_segment * sizeof(Board))), 0);
    wrong = *loan;
    wrong.place.file = static_cast<std::uint64_t>(getpid()) << 32 | static_cast<std::uint32_t>(unsealed);
    EXPECT_TRUE(other.map(owner, wrong).empty());
    ASSERT_EQ(fcntl(unsealed, F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), 0);
    EXPECT_FALSE(other.map(owner, wrong).empty()) << "the seals made the difference";
    close(unsealed);
    EXPECT_FALSE(SharedSegments().map(owner, *loan).empty());
}

}  // namespace
}  // namespace strata::testing
