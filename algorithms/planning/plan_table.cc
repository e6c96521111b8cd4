#include "algorithms/planning/plan_table.h"

#include <utility>

#include "topology/default_arithmetic.h"
#include "topology/heap_bytes.h"

namespace strata::algorithms {

PlanTable::PlanTable(topology::Hierarchy hierarchy, const PlanSettings& settings, bool keep_levels, int rails)
    : hierarchy_(std::move(hierarchy)),
      planner_(hierarchy_, settings, keep_levels, rails),
      empty_bytes_(sizeof *this + topology::heap_bytes(hierarchy_) + planner_.memory()) {}

const PlanTable::Entry* PlanTable::find(const PlanClass& operations) const {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto known = entries_.find(operations.key);
    return known != entries_.end() ? &known->second : nullptr;
}

const PlanTable::Entry& PlanTable::at(const PlanClass& operations, ByLevels by_levels) {
    if (const Entry* known = find(operations)) return *known;
    const topology::DefaultArithmetic arithmetic;
    // Plans without the lock, because planning takes long. Threads that make the same plan get one entry.
    Entry made{planner_.make_plan(operations.representative, by_levels), {}};
    if (by_levels == ByLevels::maybe) {
        made.delegation = planner_.evaluate_delegation(operations.representative, made.plan);
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto [place, added] = entries_.emplace(operations.key, std::move(made));
    const Entry& entry = place->second;
    if (added) {
        plan_bytes_ += heap_bytes(entry.plan) + (entry.delegation ? heap_bytes(entry.delegation->plan) : 0);
    }
    return entry;
}

std::size_t PlanTable::memory() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return empty_bytes_ + topology::table_bytes(entries_) + plan_bytes_;
}

}  // namespace strata::algorithms
