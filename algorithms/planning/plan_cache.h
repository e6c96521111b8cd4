#pragma once
#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "algorithms/planning/plan_table.h"

namespace strata::algorithms {

/// The plan tables of this process's communicators, shared between equal hierarchies, and the most recently
/// used tables without a communicator. Finding and adding take constant time. Thread-safe.
class PlanCache {
public:
    using SharedTable = std::shared_ptr<PlanTable>;

    /// `kept_bytes`: limit for tables without a communicator. The most recently used one always stays; if it
    /// is longer, it goes when another one is used.
    explicit PlanCache(std::size_t kept_bytes) : kept_bytes_(kept_bytes) {}
    PlanCache(const PlanCache&) = delete;
    PlanCache& operator=(const PlanCache&) = delete;

    /// Returns the table of an equal hierarchy with equal rails; null: none. `hash`: of the hierarchy.
    SharedTable find(std::uint64_t hash, const topology::Hierarchy& hierarchy, int rails) noexcept;

    /// Adds a table for others, if memory allows. Two threads may add equal tables and keep their own.
    void add(std::uint64_t hash, const SharedTable& plan_table) noexcept;

    /// Call it when a communicator no longer needs a table: the size of the table is measured again.
    void give_back(const SharedTable& plan_table) noexcept;

    /// Forgets all tables, including those in use.
    void clear() noexcept;

    /// Returns the bytes of the kept tables, each as measured at its last use.
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
    std::size_t expired_after_ = 0;  ///< drop expired entries above this size
    std::list<Kept> kept_;           ///< most recently used first
    std::unordered_map<const PlanTable*, Place> places_;
    std::size_t bytes_ = 0;  ///< of `kept_`
};

}  // namespace strata::algorithms
