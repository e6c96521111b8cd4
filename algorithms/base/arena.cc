#include "algorithms/base/arena.h"

#include <algorithm>

namespace strata::algorithms {
namespace {

constexpr std::size_t smallest_chunk = 16384;
constexpr std::size_t largest_surplus = std::size_t{1} << 20;
constexpr std::align_val_t alignment{Arena::alignment_bytes};

}  // namespace

Arena::~Arena() { give_back(0); }

void Arena::add_chunk(std::size_t bytes) {
    if (bytes > std::numeric_limits<std::size_t>::max() - alignment_bytes) {
        throw std::bad_alloc();
    }
    chunks_.reserve(chunks_.size() + 1);
    const std::size_t before = held();
    const std::size_t wanted = chunks_.empty() ? expected_ : std::min(before, largest_surplus);
    std::size_t size = rounded(std::max({bytes, smallest_chunk, wanted}));
    void* memory = ::operator new(size, alignment, std::nothrow);
    if (memory == nullptr) {
        size = rounded(bytes);  // enough for this call
        memory = ::operator new(size, alignment);
    }
    chunks_.push_back({static_cast<std::byte*>(memory), size});
    held_.store(before + size, std::memory_order_relaxed);
    start_over();
}

/// Moves to the start of the last chunk.
void Arena::start_over() noexcept {
    next_ = chunks_.empty() ? own_.data() : chunks_.back().data;
    left_ = chunks_.empty() ? own_.size() / alignment_bytes * alignment_bytes : chunks_.back().bytes;
}

void Arena::reset() noexcept {
    most_ = std::max(most_, taken_);
    if (++calls_ == patience || chunks_.size() > 1 || held() > keep_) shrink();
    start_over();
    taken_ = 0;
}

void Arena::shrink() noexcept {
    const bool period_ends = calls_ == patience;
    const bool too_much = period_ends && held() / 4 > std::max(most_, smallest_chunk);
    // One chunk should hold everything: after several chunks the next call allocates a single one.
    if (chunks_.size() > 1 || held() > keep_ || too_much) {
        const bool first_stays = held() > keep_ && !too_much && chunks_.front().bytes <= keep_;
        give_back(first_stays ? 1 : 0);
        expected_ = std::min(most_, keep_);
    }
    if (period_ends) {
        most_ = 0;
        calls_ = 0;
    }
}

void Arena::abandon() noexcept {
    own_ = {};
    chunks_.clear();
    held_.store(0, std::memory_order_relaxed);
    start_over();
    taken_ = 0;
}

/// Frees all chunks from number `first` on.
void Arena::give_back(std::size_t first) noexcept {
    std::size_t less = 0;
    for (std::size_t i = first; i < chunks_.size(); ++i) {
        less += chunks_[i].bytes;
        ::operator delete(chunks_[i].data, alignment);
    }
    chunks_.resize(std::min(first, chunks_.size()));
    held_.store(held() - less, std::memory_order_relaxed);
}

void* Arena::do_allocate(std::size_t bytes, std::size_t wanted) {
    if (wanted > alignment_bytes) {
        throw std::bad_alloc();
    }
    return take(bytes);
}

}  // namespace strata::algorithms
