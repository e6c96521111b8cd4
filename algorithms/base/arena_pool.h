#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "algorithms/base/arena.h"

namespace strata::algorithms {

/// The scratch memory of a process. Every call leases an arena, so that the memory follows the number of
/// calls that overlap, not that of communicators. Arenas that `Arena::patience` calls did not need are
/// freed. Thread-safe.
class ArenaPool {
public:
    ArenaPool() = default;
    ArenaPool(const ArenaPool&) = delete;
    ArenaPool& operator=(const ArenaPool&) = delete;

    /// Returns an arena with nothing taken. Throws std::bad_alloc.
    Arena& lease();
    /// Call it after reset() or abandon() of the arena.
    void give_back(Arena& arena) noexcept;
    /// Returns the bytes held from the system by all arenas, leased or not.
    std::size_t held() const;

private:
    void trim() noexcept;

    /// The arena returned last: most processes have one call at a time and need no lock.
    std::atomic<Arena*> last_{nullptr};
    std::atomic<unsigned> calls_{0};
    mutable std::mutex mutex_;
    std::vector<std::unique_ptr<Arena>> all_;
    std::vector<Arena*> idle_;     ///< idle arenas except last_; has room for all
    std::size_t fewest_idle_ = 0;  ///< least number of idle arenas since the last trim()
};

}  // namespace strata::algorithms
