#pragma once
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "algorithms/planning/planner.h"
#include "topology/hierarchy.h"

namespace strata::algorithms {

/// The plans for one hierarchy, each made when it is first asked for and then kept. A plan follows from the
/// hierarchy and the settings alone: communicators for which these are equal can share a book, whichever rank
/// this process has in them. Threads may ask at the same time.
class PlanTable {
public:
    struct Entry {
        Plan plan;
        std::optional<Delegation> delegation;  ///< what would be faster, if it is used often
    };

    /// `settings` must outlive this. `keep_levels`: Overrides::keep_levels; `rails`: Operation::rails.
    PlanTable(topology::Hierarchy hierarchy, const PlanSettings& settings, bool keep_levels, int rails);
    PlanTable(const PlanTable&) = delete;
    PlanTable& operator=(const PlanTable&) = delete;

    const topology::Hierarchy& hierarchy() const { return hierarchy_; }
    const Planner& planner() const { return planner_; }
    int rails() const { return planner_.rails(); }

    /// What is planned for a class of operations, which `by_levels` is that of; valid as long as the book.
    /// Throws as Planner::make_plan() and std::bad_alloc, and has nothing more in it then.
    const Entry& at(const PlanClass& operations, ByLevels by_levels);

    /// Bytes that it takes.
    std::size_t memory() const;

private:
    const topology::Hierarchy hierarchy_;
    const Planner planner_;
    mutable std::mutex mutex_;
    std::unordered_map<std::uint64_t, Entry> entries_;  // by PlanClass::key
    const std::size_t empty_bytes_;
    std::size_t plan_bytes_ = 0;  // what the entries refer to
};

}  // namespace strata::algorithms
