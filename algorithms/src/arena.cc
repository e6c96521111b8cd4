#include "strata/algorithms/arena.h"

#include <algorithm>
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

Arena::~Arena() { give_back(); }

std::byte* Arena::take(std::size_t bytes) {
    const std::size_t needed = rounded(bytes);
    if (chunks_.empty() || chunks_.back().bytes - used_ < needed) {
        chunks_.reserve(chunks_.size() + 1);
        const std::size_t size =
            std::max({needed, smallest_chunk, std::min(held(), largest_surplus), expected_});
        chunks_.push_back({static_cast<std::byte*>(::operator new(size, alignment)), size});
        used_ = 0;
    }
    std::byte* const taken = chunks_.back().data + used_;
    used_ += needed;
    taken_ += needed;
    return taken;
}

void Arena::reset() noexcept {
    // One chunk is wanted that holds all: where it took several, the next call makes it.
    if (taken_ <= keep_) {
        expected_ = std::max(expected_, taken_);
    }
    if (chunks_.size() > 1 || held() > keep_) {
        give_back();
    }
    used_ = 0;
    taken_ = 0;
}

void Arena::abandon() noexcept {
    chunks_.clear();
    used_ = 0;
    taken_ = 0;
}

void Arena::give_back() noexcept {
    for (const Chunk& chunk : chunks_) {
        ::operator delete(chunk.data, alignment);
    }
    chunks_.clear();
}

std::size_t Arena::held() const {
    std::size_t sum = 0;
    for (const Chunk& chunk : chunks_) {
        sum += chunk.bytes;
    }
    return sum;
}

void* Arena::do_allocate(std::size_t bytes, std::size_t wanted) {
    if (wanted > alignment_bytes) {
        throw std::bad_alloc();
    }
    return take(bytes);
}

}  // namespace strata::algorithms
