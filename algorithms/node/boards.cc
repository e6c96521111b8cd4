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

/// Returns a step that a rank has read, by its flags.
std::uint64_t Boards::read_by(int rank) const {
    const Board& board = boards_[index(rank)];
    const std::uint64_t later = board.published[(step_ - 1) % 2].number.load(std::memory_order_acquire);
    return std::max(later - std::min<std::uint64_t>(later, 1),
                    board.read.number.load(std::memory_order_acquire));
}

/// Reads a shared line only if an earlier step has not answered the question: its rank may be writing it.
bool Boards::has_room(int rank) {
    std::uint64_t& known = known_[index(rank)];
    if (rank == rank_ || known + 2 >= step_) return true;
    known = std::max(known, read_by(rank));
    return known + 2 >= step_;
}

std::vector<int> Boards::late() const {
    const auto is_unpublished = [this](int rank) {
        return slot(rank).number.load(std::memory_order_acquire) != step_;
    };
    // Where all ranks publish, they do so before they read.
    const bool all_publish = !is_unpublished(rank_);
    std::vector<int> found;
    for (int rank = 0; rank < ranks(); ++rank) {
        const bool late = awaited_ == every_rank ? rank != rank_ && read_by(rank) + 2 < step_
                                                 : (all_publish || rank == awaited_) && is_unpublished(rank);
        if (late) found.push_back(rank);
    }
    return found;
}

int Boards::Room::poll() {
    all_.awaited_ = every_rank;
    return all_.poll([this] {
        for (int rank = 0; rank < all_.ranks(); ++rank) {
            if (!all_.has_room(rank)) return false;
        }
        return true;
    });
}

int Boards::PublishedBy::poll() {
    const Board::Published& slot = all_.slot(rank_);
    all_.awaited_ = rank_;
    const int code = all_.poll([&] { return slot.number.load(std::memory_order_acquire) == all_.step_; });
    if (code == 0) all_.known_[index(rank_)] = all_.step_ - 1;
    return code;
}

}  // namespace strata::algorithms
