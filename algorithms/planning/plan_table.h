#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "algorithms/planning/earned_search.h"
#include "algorithms/planning/planner.h"
#include "topology/hierarchy.h"

namespace strata::algorithms {

/// The plans for one hierarchy, made on first use and kept. A plan depends on hierarchy and settings only, so
/// communicators that agree in these can share a table, whichever rank this process has. Thread-safe.
class PlanTable {
public:
    struct Entry {
        Plan plan;
        std::optional<Delegation> delegation;  ///< faster plan for frequent use
        unsigned search_after = no_search;  ///< calls before searched() replaces it; no_search: it is final
        bool found = false;                 ///< FirstPlan::found
    };

    /// `settings` must outlive this. `keep_levels`: Overrides::keep_levels; `rails`: Operation::rails;
    /// `shared`: the proposals of tables with the same settings.
    PlanTable(topology::Hierarchy hierarchy, const PlanSettings& settings, bool keep_levels, int rails,
              std::shared_ptr<StructuralPlans> shared = nullptr);
    PlanTable(const PlanTable&) = delete;
    PlanTable& operator=(const PlanTable&) = delete;

    const topology::Hierarchy& hierarchy() const { return hierarchy_; }
    const Planner& planner() const { return planner_; }
    int rails() const { return planner_.rails(); }

    /// Returns the entry of a class of operations if it has been made. It is valid as long as the table.
    const Entry* find(const PlanClass& operations) const;
    /// The same, and makes it first if necessary: by formulas, or by the full search where that pays at once
    /// (calls_before_search()). `by_levels` must be the one of the class. Throws like
    /// Planner::make_plan(), or std::bad_alloc, without a change.
    const Entry& at(const PlanClass& operations, ByLevels by_levels);
    /// Returns the result of the full search for a class whose first entry is not final; searches if
    /// necessary. Throws like at(). A communicator counts its own calls even if this process has searched
    /// already: its other ranks may not have.
    const Entry& searched(const PlanClass& operations, ByLevels by_levels);

    /// Returns the bytes of the table.
    std::size_t memory() const;

private:
    using Entries = std::unordered_map<std::uint64_t, Entry>;  // by PlanClass::key

    const Entry* find_in(const Entries& entries, const PlanClass& operations) const;
    Entry finished(Plan plan, const PlanClass& operations, ByLevels by_levels) const;
    const Entry& add(Entries& entries, const PlanClass& operations, Entry made);

    const topology::Hierarchy hierarchy_;
    const Planner planner_;
    mutable std::mutex mutex_;
    Entries entries_;
    Entries searched_;
    const std::size_t empty_bytes_;
    std::size_t plan_bytes_ = 0;  // bytes that the entries own
};

}  // namespace strata::algorithms
