#include "component/communicator/plans_in_use.h"

#include <algorithm>
#include <utility>

#include "algorithms/base/plan_hash.h"
#include "component/base/clock.h"
#include "component/communicator/plan_tables.h"
#include "component/report/counters.h"
#include "topology/fact_hash.h"
#include "topology/heap_bytes.h"

namespace strata::component {

std::uint64_t PlanInUse::hash() const {
    topology::FactHash hash;
    hash.add(key).add(algorithms::hash_of(*plan)).add(search_after);
    if (delegation != nullptr) {
        hash.add(algorithms::hash_of(delegation->plan)).add(delegation->first_call);
    }
    return hash.value();
}

PlansInUse::~PlansInUse() {
    if (plan_table_ != nullptr) {
        release_plan_table(plan_table_);
    }
}

void PlansInUse::adopt(std::shared_ptr<algorithms::PlanTable> plan_table, topology::NicRails rails,
                       int rank) {
    routing_.reset();
    {
        const std::lock_guard lock(counted_);
        rails_ = std::move(rails);
        plan_table_ = std::move(plan_table);
    }
    routing_.emplace(hierarchy(), rails_, rank);
    consecutive_groups_ = algorithms::consecutive_groups(hierarchy());
}

PlanInUse* PlansInUse::find(std::uint64_t key) {
    const auto place = by_key_.find(key);
    return place == by_key_.end() ? nullptr : place->second;
}

/// Returns make()'s entry, and counts its CPU time.
template <typename Make>
const algorithms::PlanTable::Entry& PlansInUse::timed(Make&& make) {
    const std::uint64_t begin = ns_of(CLOCK_THREAD_CPUTIME_ID);
    const auto& made = make();
    counters().planning_us.add((ns_of(CLOCK_THREAD_CPUTIME_ID) - begin) / 1000);
    return made;
}

/// Returns the plan table's entry, and counts whether it had to be made.
const algorithms::PlanTable::Entry& PlansInUse::entry(const algorithms::PlanClass& wanted,
                                                      algorithms::ByLevels by_levels) {
    if (const auto* known = plan_table_->find(wanted)) {
        counters().plans_shared.add();
        return *known;
    }
    const auto& made = timed([&]() -> const auto& { return plan_table_->at(wanted, by_levels); });
    counters().plans_made.add();
    if (made.found) counters().plans_by_structure.add();
    return made;
}

PlanInUse& PlansInUse::make(const algorithms::PlanClass& wanted, algorithms::ByLevels by_levels) {
    std::list<PlanInUse> made;
    made.emplace_back(wanted.key, entry(wanted, by_levels));
    const std::lock_guard lock(counted_);
    by_key_.emplace(wanted.key, &made.back());
    plans_.splice(plans_.end(), made);
    return plans_.back();
}

PlanInUse& PlansInUse::delegate(PlanInUse& planned) {
    std::list<PlanInUse> made;
    made.emplace_back(planned.key, planned.delegation->plan);
    made.back().compared = planned.compared;  // hash() covers both plans
    return replace(planned, made);
}

PlanInUse& PlansInUse::search(PlanInUse& planned, const algorithms::PlanClass& wanted,
                              algorithms::ByLevels by_levels) {
    std::list<PlanInUse> made;
    made.emplace_back(planned.key,
                      timed([&]() -> const auto& { return plan_table_->searched(wanted, by_levels); }));
    counters().plans_searched.add();
    return replace(planned, made);
}

PlanInUse& PlansInUse::replace(PlanInUse& planned, std::list<PlanInUse>& by) {
    last_ = {};
    const std::lock_guard lock(counted_);
    by_key_.at(planned.key) = &by.back();
    const auto old =
        std::find_if(plans_.begin(), plans_.end(), [&](PlanInUse& one) { return &one == &planned; });
    replaced_.splice(replaced_.end(), plans_, old);
    plans_.splice(plans_.end(), by);
    drop_unused();
    return plans_.back();
}

void PlansInUse::drop_unused() noexcept {
    replaced_.remove_if([](const PlanInUse& one) { return one.routes.users == 0; });
}

void PlansInUse::forget() noexcept {
    const std::lock_guard lock(counted_);
    last_ = {};
    by_key_.clear();
    replaced_.splice(replaced_.end(), plans_);
    drop_unused();
}

std::size_t PlansInUse::memory() const {
    const std::lock_guard lock(counted_);
    std::size_t bytes = plan_table_ != nullptr ? plan_table_->memory() : 0;
    for (const topology::Hierarchy& rail : rails_.trees) {
        bytes += sizeof rail + topology::heap_bytes(rail);
    }
    return bytes + topology::table_bytes(by_key_) + (plans_.size() + replaced_.size()) * sizeof(PlanInUse);
}

}  // namespace strata::component
