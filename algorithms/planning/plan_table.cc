#include "algorithms/planning/plan_table.h"

#include <utility>

#include "topology/default_arithmetic.h"
#include "topology/heap_bytes.h"

namespace strata::algorithms {

PlanTable::PlanTable(topology::Hierarchy hierarchy, const PlanSettings& settings, bool keep_levels, int rails,
                     std::shared_ptr<StructuralPlans> shared)
    : hierarchy_(std::move(hierarchy)),
      planner_(hierarchy_, settings, keep_levels, rails, std::move(shared)),
      empty_bytes_(sizeof *this + topology::heap_bytes(hierarchy_) + planner_.memory()) {}

const PlanTable::Entry* PlanTable::find_in(const Entries& entries, const PlanClass& operations) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto known = entries.find(operations.key);
    return known != entries.end() ? &known->second : nullptr;
}

const PlanTable::Entry* PlanTable::find(const PlanClass& operations) const {
    return find_in(entries_, operations);
}

/// Adds a delegation to a plan that no search replaces.
PlanTable::Entry PlanTable::finished(Plan plan, const PlanClass& operations, ByLevels by_levels) const {
    Entry made{std::move(plan), {}};
    if (by_levels == ByLevels::maybe) {
        made.delegation = planner_.evaluate_delegation(operations.representative, made.plan);
    }
    return made;
}

/// Plans are made without the lock, because that takes long. Threads that make the same plan get one entry.
const PlanTable::Entry& PlanTable::add(Entries& entries, const PlanClass& operations, Entry made) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto [place, added] = entries.emplace(operations.key, std::move(made));
    const Entry& entry = place->second;
    if (added) {
        plan_bytes_ += heap_bytes(entry.plan) + (entry.delegation ? heap_bytes(entry.delegation->plan) : 0);
    }
    return entry;
}

const PlanTable::Entry& PlanTable::at(const PlanClass& operations, ByLevels by_levels) {
    if (const Entry* known = find(operations)) return *known;
    const topology::DefaultArithmetic arithmetic;
    FirstPlan first = planner_.first_plan(operations.representative, by_levels);
    if (first.search_after == 0)
        return add(entries_, operations, finished(std::move(first.plan), operations, by_levels));
    return add(entries_, operations, {std::move(first.plan), {}, first.search_after, first.found});
}

const PlanTable::Entry& PlanTable::searched(const PlanClass& operations, ByLevels by_levels) {
    if (const Entry* known = find_in(searched_, operations)) return *known;
    const topology::DefaultArithmetic arithmetic;
    Plan plan = planner_.make_plan(operations.representative, by_levels);
    return add(searched_, operations, finished(std::move(plan), operations, by_levels));
}

std::size_t PlanTable::memory() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return empty_bytes_ + planner_.shared_memory() + topology::table_bytes(entries_) +
           topology::table_bytes(searched_) + plan_bytes_;
}

}  // namespace strata::algorithms
