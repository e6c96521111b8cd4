#include "algorithms/base/arena_pool.h"

#include <algorithm>

namespace strata::algorithms {

Arena& ArenaPool::lease() {
    if (Arena* const last = last_.exchange(nullptr, std::memory_order_acquire)) {
        return *last;
    }
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) {
        idle_.reserve(all_.size() + 1);
        all_.push_back(std::make_unique<Arena>());
        fewest_idle_ = 0;
        return *all_.back();
    }
    Arena& arena = *idle_.back();
    idle_.pop_back();
    fewest_idle_ = std::min(fewest_idle_, idle_.size());
    return arena;
}

void ArenaPool::give_back(Arena& arena) noexcept {
    Arena* none = nullptr;
    if (!last_.compare_exchange_strong(none, &arena, std::memory_order_release, std::memory_order_relaxed)) {
        const std::lock_guard lock(mutex_);
        idle_.push_back(&arena);
    }
    if (calls_.fetch_add(1, std::memory_order_relaxed) % Arena::patience == Arena::patience - 1) {
        trim();
    }
}

/// Frees the arenas that were idle since the last trim. They are in front of idle_, used longest ago.
void ArenaPool::trim() noexcept {
    const std::lock_guard lock(mutex_);
    for (std::size_t i = 0; i < fewest_idle_; ++i) {
        std::erase_if(all_, [&](const auto& arena) { return arena.get() == idle_[i]; });
    }
    idle_.erase(idle_.begin(), idle_.begin() + static_cast<std::ptrdiff_t>(fewest_idle_));
    fewest_idle_ = idle_.size();
}

std::size_t ArenaPool::held() const {
    const std::lock_guard lock(mutex_);
    std::size_t bytes = 0;
    for (const auto& arena : all_) bytes += arena->held();
    return bytes;
}

}  // namespace strata::algorithms
