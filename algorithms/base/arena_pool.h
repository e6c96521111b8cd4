#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "algorithms/base/arena.h"

namespace strata::algorithms {

/// The scratch memory of a process: every call leases an arena, so that what is held follows the number of
/// calls that overlap, not that of communicators. Arenas that `Arena::patience` calls did without go. Any
/// thread may use it.
class ArenaPool {
public:
    ArenaPool() = default;
    ArenaPool(const ArenaPool&) = delete;
    ArenaPool& operator=(const ArenaPool&) = delete;

    /// An arena of which nothing is taken. Throws std::bad_alloc.
    Arena& lease();
    /// After reset() or abandon().
    void give_back(Arena& arena) noexcept;
    /// Bytes held from the system by all arenas, leased or not. Any thread may ask.
    std::size_t held() const;

private:
    void trim() noexcept;

    /// The one that was given back last: most processes have one call at a time, and no need of a lock.
    std::atomic<Arena*> last_{nullptr};
    std::atomic<unsigned> calls_{0};
    mutable std::mutex mutex_;
    std::vector<std::unique_ptr<Arena>> all_;
    std::vector<Arena*> idle_;     ///< but for last_; room for all
    std::size_t fewest_idle_ = 0;  ///< since the last trim()
};

}  // namespace strata::algorithms
