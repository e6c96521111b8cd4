#include "algorithms/node/boards.h"

#include <algorithm>

namespace strata::algorithms {
namespace {

/// Tells the processor that this thread waits for a flag.
void relax() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

}  // namespace

Boards::Boards(int ranks, int rank, Waiting waiting)
    : rank_(rank), waiting_(waiting), known_(static_cast<std::size_t>(ranks), 0) {}

void Boards::use(std::span<Board> boards) {
    boards_ = boards;
    for (Board::Published& slot : boards_[index(rank_)].published) {
        slot.number.store(0, std::memory_order_relaxed);
    }
}

template <class Condition>
int Boards::poll(Condition&& condition) const {
    for (int poll = 0; poll < waiting_.polls; ++poll) {
        if (condition()) return 0;
        relax();
    }
    if (waiting_.progress != nullptr) waiting_.progress();
    return condition() ? 0 : under_way;
}

/// Reads a shared line only if an earlier step has not answered the question: its rank may be writing it.
bool Boards::has_room(int rank) {
    std::uint64_t& known = known_[index(rank)];
    if (rank == rank_ || known + 2 >= step_) return true;
    const Board& board = boards_[index(rank)];
    const std::uint64_t later = board.published[(step_ - 1) % 2].number.load(std::memory_order_acquire);
    if (later > 0) known = std::max(known, later - 1);
    known = std::max(known, board.read.number.load(std::memory_order_acquire));
    return known + 2 >= step_;
}

int Boards::Room::poll() {
    return all_.poll([this] {
        for (int rank = 0; rank < all_.ranks(); ++rank) {
            if (!all_.has_room(rank)) return false;
        }
        return true;
    });
}

int Boards::PublishedBy::poll() {
    const Board::Published& slot = all_.slot(rank_);
    const int code = all_.poll([&] { return slot.number.load(std::memory_order_acquire) == all_.step_; });
    if (code == 0) all_.known_[index(rank_)] = all_.step_ - 1;
    return code;
}

}  // namespace strata::algorithms
