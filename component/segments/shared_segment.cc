#include "component/segments/shared_segment.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cinttypes>
#include <cstdio>
#include <exception>
#include <string_view>

#include "component/base/process_wide.h"

namespace strata::component {
namespace {

using algorithms::Board;
using algorithms::Boards;
using Text = std::array<char, 64>;

/// The kernel allows more, but a file name shows all of this.
std::array<char, 32> name_of(std::uint64_t token) {
    std::array<char, 32> name{};
    std::snprintf(name.data(), name.size(), "strata-%016" PRIx64, token);
    return name;
}

/// Returns true if the link in /proc leads to the memory with this token.
bool leads_to(const char* link, std::uint64_t token) {
    Text wanted{};
    std::snprintf(wanted.data(), wanted.size(), "/memfd:%s (deleted)", name_of(token).data());
    Text found{};
    const ssize_t length = readlink(link, found.data(), found.size() - 1);
    return length > 0 && std::string_view(found.data()) == wanted.data();
}

class File {
public:
    explicit File(int number) : number_(number) {}
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    ~File() {
        if (number_ >= 0) close(number_);
    }
    int number() const { return number_; }
    int release() { return std::exchange(number_, -1); }

private:
    int number_;
};

constexpr int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;

/// The kernel may have added seals (vm.memfd_noexec).
bool is_sealed(int file) {
    const int found = fcntl(file, F_GET_SEALS);
    return found >= 0 && (found & seals) == seals;
}

}  // namespace

SharedSegment::~SharedSegment() {
    if (!boards_.empty()) munmap(boards_.data(), boards_.size_bytes());
    if (file_ >= 0) close(file_);
}

SharedSegment SharedSegment::map_file(int file, std::size_t bytes, bool keeps_file) noexcept {
    SharedSegment made;
    void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (memory == MAP_FAILED) return made;
    made.boards_ = {static_cast<Board*>(memory), bytes / sizeof(Board)};
    made.file_ = keeps_file ? file : -1;
    return made;
}

SharedSegment SharedSegment::make(std::size_t boards, Place& place) noexcept {
    std::uint64_t token = 0;
    if (getrandom(&token, sizeof token, 0) != sizeof token) return {};
    const std::size_t bytes = boards * sizeof(Board);
    File file(memfd_create(name_of(token).data(), MFD_CLOEXEC | MFD_ALLOW_SEALING));
    if (file.number() < 0 || ftruncate(file.number(), static_cast<off_t>(bytes)) != 0 ||
        fcntl(file.number(), F_ADD_SEALS, seals) != 0)
        return {};
    place = {token, static_cast<std::uint64_t>(getpid()) << 32 | static_cast<std::uint32_t>(file.number())};
    SharedSegment made = map_file(file.number(), bytes, true);
    if (!made.boards().empty()) file.release();
    return made;
}

SharedSegment SharedSegment::map(const Place& place) noexcept {
    Text link{};
    std::snprintf(link.data(), link.size(), "/proc/%" PRIu64 "/fd/%" PRIu64, place.file >> 32,
                  place.file & UINT32_MAX);
    if (!leads_to(link.data(), place.token)) return {};
    const File file(open(link.data(), O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK));
    if (file.number() < 0) return {};
    std::snprintf(link.data(), link.size(), "/proc/self/fd/%d", file.number());
    struct stat found {};
    if (!leads_to(link.data(), place.token) || fstat(file.number(), &found) != 0 || !is_sealed(file.number()))
        return {};
    return map_file(file.number(), static_cast<std::size_t>(found.st_size), false);
}

SharedSegments& shared_segments() {
    static ProcessWide<SharedSegments> all;
    return all.get();
}

/// Frees returned boards that no rank uses any more.
void SharedSegments::Own::collect() noexcept {
    std::erase_if(lent, [&](const Lent& one) {
        const auto boards = segment.boards().subspan(one.first, one.ranks);
        return one.returned && std::ranges::all_of(boards, [](const Board& board) {
                   return board.read.left.load(std::memory_order_acquire) != 0;
               });
    });
}

/// Lends the first boards with enough free ones behind them.
std::optional<SharedSegments::Lent> SharedSegments::Own::lend(std::uint32_t ranks) {
    std::uint32_t first = 0;
    auto next = lent.begin();
    for (; next != lent.end() && next->first < first + ranks; ++next) first = next->first + next->ranks;
    if (first + ranks > segment.boards().size()) return std::nullopt;
    const Lent made = *lent.insert(next, {first, ranks, false});
    // Untouched boards stay so: each rank's memory is to lie near the rank that touches it first.
    for (std::uint32_t i = first; i < std::min(first + ranks, touched); ++i) {
        Board& board = segment.boards()[i];
        for (Board::Published& slot : board.published) slot.number.store(0, std::memory_order_relaxed);
        board.read.number.store(0, std::memory_order_relaxed);
        board.read.left.store(0, std::memory_order_relaxed);
    }
    touched = std::max(touched, first + ranks);
    return made;
}

bool SharedSegments::add_segment(std::size_t boards) {
    if (!make_room(boards)) return false;
    own_.reserve(own_.size() + 1);
    SharedSegment::Place place{};
    SharedSegment made = SharedSegment::make(boards, place);
    if (made.boards().empty()) return false;
    mapped_bytes_ += made.boards().size_bytes();
    own_.push_back({std::move(made), place});
    return true;
}

std::optional<SharedSegments::Loan> SharedSegments::borrow(std::size_t ranks) noexcept {
    const std::lock_guard lock(mutex_);
    try {
        const auto count = static_cast<std::uint32_t>(ranks);
        for (std::uint32_t number = 0;; ++number) {
            if (number == own_.size() && !add_segment(std::max(ranks, boards_per_segment)))
                return std::nullopt;
            Own& own = own_[number];
            own.collect();
            if (const auto lent = own.lend(count)) return Loan{own.place, number, lent->first, count};
        }
    } catch (const std::exception&) {
        return std::nullopt;
    }
}

void SharedSegments::give_back(const Loan& loan, bool shared) noexcept {
    const std::lock_guard lock(mutex_);
    auto& lent = own_[loan.segment].lent;
    const auto one = std::ranges::find(lent, loan.first, &Lent::first);
    if (one == lent.end()) return;
    one->returned = true;
    if (!shared) lent.erase(one);
}

std::span<Board> SharedSegments::boards(const Loan& loan) noexcept {
    const std::lock_guard lock(mutex_);
    return own_[loan.segment].segment.boards().subspan(loan.first, loan.ranks);
}

std::uint64_t SharedSegments::mapped(Process owner) noexcept {
    const std::lock_guard lock(mutex_);
    const auto found = others_.find(owner);
    if (found == others_.end()) return 0;
    std::uint32_t count = 0;
    for (const auto& [number, segment] : found->second.segments) count += number == count ? 1 : 0;
    return count;
}

void SharedSegments::join(Process owner) {
    const std::lock_guard lock(mutex_);
    ++others_[owner].users;
}

void SharedSegments::leave(Process owner) noexcept {
    const std::lock_guard lock(mutex_);
    --others_[owner].users;
}

/// Unmaps segments of others that no communicator uses, if there would be no room for so many boards.
bool SharedSegments::make_room(std::size_t boards) noexcept {
    const auto fits = [&] { return mapped_bytes_ + boards * sizeof(Board) <= most_bytes; };
    for (auto one = others_.begin(); one != others_.end() && !fits();) {
        if (one->second.users > 0) {
            ++one;
            continue;
        }
        for (const auto& [number, segment] : one->second.segments)
            mapped_bytes_ -= segment.boards().size_bytes();
        one = others_.erase(one);
    }
    return fits();
}

std::span<Board> SharedSegments::map(Process owner, const Loan& loan) noexcept {
    const std::lock_guard lock(mutex_);
    try {
        auto& known = others_[owner].segments;
        auto found = known.find(loan.segment);
        if (found == known.end()) {
            SharedSegment made = SharedSegment::map(loan.place);
            if (made.boards().empty() || !make_room(made.boards().size())) return {};
            found = known.emplace(loan.segment, std::move(made)).first;
            mapped_bytes_ += found->second.boards().size_bytes();
        }
        const auto boards = found->second.boards();
        if (boards.size() < std::size_t{loan.first} + loan.ranks) return {};
        return boards.subspan(loan.first, loan.ranks);
    } catch (const std::exception&) {
        return {};
    }
}

}  // namespace strata::component
