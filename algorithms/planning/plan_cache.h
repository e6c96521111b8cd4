#pragma once
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "algorithms/planning/plan_table.h"

namespace strata::algorithms {

/// The books that communicators of this process have, for others with an equal hierarchy; and of those that
/// nobody has any more the ones used last. What it costs to find a book, or to add one, does not depend on
/// how many there are. Threads may use it at the same time.
class PlanCache {
public:
    using SharedTable = std::shared_ptr<PlanTable>;

    /// `kept_bytes`: for how much books stay that nobody has, besides the one used last, which always does. A
    /// longer one goes when another is used.
    explicit PlanCache(std::size_t kept_bytes) : kept_bytes_(kept_bytes) {}
    PlanCache(const PlanCache&) = delete;
    PlanCache& operator=(const PlanCache&) = delete;

    /// The book of an equal hierarchy, of which `hash` is that of all such, and equal rails; null: none.
    SharedTable find(std::uint64_t hash, const topology::Hierarchy& hierarchy, int rails) noexcept;

    /// Others will find it, where memory allows. Two threads may have made the same: then both keep their
    /// own.
    void add(std::uint64_t hash, const SharedTable& plan_table) noexcept;

    /// To be called when a communicator has done with a book: how much there is in it now counts.
    void give_back(const SharedTable& plan_table) noexcept;

    /// Forgets all, those in use, too.
    void clear() noexcept;

    /// Of the books kept, as far as was known when each was used last.
    std::size_t bytes() const;

private:
    struct Kept {
        SharedTable plan_table;
        std::size_t bytes;
    };
    using Place = std::list<Kept>::iterator;

    void keep(const SharedTable& plan_table);
    void use(Place one) noexcept;
    void drop(Place one) noexcept;
    void forget_expired() noexcept;

    const std::size_t kept_bytes_;
    mutable std::mutex mutex_;
    std::unordered_multimap<std::uint64_t, std::weak_ptr<PlanTable>> plan_tables_;  // by hash
    std::size_t expired_after_ = 0;  ///< so many entries of these: some may be of books that are gone
    std::list<Kept> kept_;           ///< the one used last first
    std::unordered_map<const PlanTable*, Place> places_;
    std::size_t bytes_ = 0;  ///< of those kept
};

}  // namespace strata::algorithms
