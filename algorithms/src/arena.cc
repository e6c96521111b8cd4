#include "strata/algorithms/arena.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>

namespace strata::algorithms {
namespace {

constexpr std::size_t smallest_chunk = 16384;
constexpr std::size_t largest_surplus = std::size_t{1} << 20;
constexpr std::align_val_t alignment{Arena::alignment_bytes};

/// At least 1 byte, and whole units of the alignment.
std::size_t rounded(std::size_t bytes) {
    if (bytes > std::numeric_limits<std::size_t>::max() - Arena::alignment_bytes) {
        throw std::bad_alloc();
    }
    return (std::max<std::size_t>(bytes, 1) + Arena::alignment_bytes - 1) / Arena::alignment_bytes *
           Arena::alignment_bytes;
}

}  // namespace

void SpareChunk::put(std::byte* data, std::size_t bytes) noexcept {
    if (bytes <= most_bytes) {
        std::memcpy(data, &bytes, sizeof bytes);
        data = data_.exchange(data);
    }
    ::operator delete(data, alignment);
}

std::byte* SpareChunk::take(std::size_t& bytes) noexcept {
    std::byte* const data = data_.exchange(nullptr);
    if (data == nullptr) {
        return nullptr;
    }
    std::size_t size = 0;
    std::memcpy(&size, data, sizeof size);
    if (size < bytes || size / 4 >= bytes) {
        ::operator delete(data, alignment);
        return nullptr;
    }
    bytes = size;
    return data;
}

void SpareChunk::drop() noexcept { ::operator delete(data_.exchange(nullptr), alignment); }

Arena::~Arena() { give_back(0); }

void Arena::add_chunk(std::size_t needed) {
    chunks_.reserve(chunks_.size() + 1);
    const std::size_t before = held();
    std::size_t size = std::max({needed, smallest_chunk, std::min(before, largest_surplus), expected_});
    const bool kept = kept_chunks_ == chunks_.size() && before + size <= keep_;
    std::byte* data = nullptr;
    if (!kept) {
        if (kept_chunks_ == chunks_.size()) {
            taken_before_ = taken_;
        }
        const std::size_t so_far = taken_ - taken_before_;
        size = std::max(needed, expected_beyond_ > so_far ? expected_beyond_ - so_far : 0);
        data = spare_ != nullptr ? spare_->take(size) : nullptr;
    }
    if (data == nullptr) {
        data = static_cast<std::byte*>(::operator new(size, alignment));
    }
    chunks_.push_back({data, size});
    held_.store(before + size, std::memory_order_relaxed);
    kept_chunks_ += kept ? 1 : 0;
    used_ = 0;
}

std::byte* Arena::take(std::size_t bytes) {
    const std::size_t needed = rounded(bytes);
    if (chunks_.empty() || chunks_.back().bytes - used_ < needed) {
        add_chunk(needed);
    }
    std::byte* const taken = chunks_.back().data + used_;
    used_ += needed;
    taken_ += needed;
    return taken;
}

void Arena::reset() noexcept {
    const bool large = taken_ > keep_;
    // One chunk is wanted that holds all that may be kept: where it took several, the next call makes it.
    expected_ = std::max(expected_, large ? taken_before_ : taken_);
    if (large) {
        expected_beyond_ = taken_ - taken_before_;
    }
    if (kept_chunks_ < chunks_.size()) {
        spare_calls_ = spare_ != nullptr ? patience : 0;
    } else if (spare_calls_ > 0 && --spare_calls_ == 0) {
        spare_->drop();
    }
    const bool settled = kept_chunks_ <= 1 && (large || kept_chunks_ == chunks_.size());
    give_back(settled ? kept_chunks_ : 0);
    used_ = 0;
    taken_ = 0;
}

void Arena::abandon() noexcept {
    chunks_.clear();
    held_.store(0, std::memory_order_relaxed);
    kept_chunks_ = 0;
    used_ = 0;
    taken_ = 0;
}

/// All chunks from number `first` on.
void Arena::give_back(std::size_t first) noexcept {
    std::size_t less = 0;
    for (std::size_t i = first; i < chunks_.size(); ++i) {
        less += chunks_[i].bytes;
        if (i >= kept_chunks_ && spare_ != nullptr) {
            spare_->put(chunks_[i].data, chunks_[i].bytes);
        } else {
            ::operator delete(chunks_[i].data, alignment);
        }
    }
    chunks_.resize(std::min(first, chunks_.size()));
    held_.store(held() - less, std::memory_order_relaxed);
    kept_chunks_ = std::min(kept_chunks_, first);
}

void* Arena::do_allocate(std::size_t bytes, std::size_t wanted) {
    if (wanted > alignment_bytes) {
        throw std::bad_alloc();
    }
    return take(bytes);
}

}  // namespace strata::algorithms
