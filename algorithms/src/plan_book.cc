#include "strata/algorithms/plan_book.h"

#include <utility>

namespace strata::algorithms {

PlanBook::PlanBook(topology::Hierarchy hierarchy, const PlanSettings& settings, bool keep_levels, int lanes)
    : hierarchy_(std::move(hierarchy)), planner_(hierarchy_, settings, keep_levels, lanes) {}

const PlanBook::Entry& PlanBook::at(const PlanClass& operations, ByLevels by_levels) {
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (const auto known = entries_.find(operations.key); known != entries_.end()) {
            return known->second;
        }
    }
    // Takes long: others go on meanwhile. Who makes the same gets the same.
    Entry made{planner_.make_plan(operations.representative, by_levels), {}};
    if (by_levels == ByLevels::maybe) {
        made.delegation = planner_.weigh_delegation(operations.representative, made.plan);
    }
    const std::lock_guard<std::mutex> lock(mutex_);
    return entries_.emplace(operations.key, std::move(made)).first->second;
}

std::size_t PlanBook::memory() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return sizeof *this + topology::heap_bytes(hierarchy_) + entries_.size() * sizeof(Entry);
}

}  // namespace strata::algorithms
