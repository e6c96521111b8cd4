#include "component/communicator/plans_in_use.h"

#include <algorithm>
#include <utility>

#include "algorithms/base/plan_hash.h"
#include "component/communicator/plan_books.h"
#include "topology/fact_hash.h"
#include "topology/heap_bytes.h"

namespace strata::component {

std::uint64_t PlanInUse::hash() const {
    topology::FactHash hash;
    hash.add(key).add(algorithms::hash_of(*plan));
    if (delegation != nullptr) {
        hash.add(algorithms::hash_of(delegation->plan)).add(delegation->first_call);
    }
    return hash.value();
}

PlansInUse::~PlansInUse() {
    if (book_ != nullptr) {
        give_back_plans(book_);
    }
}

void PlansInUse::adopt(std::shared_ptr<algorithms::PlanBook> book, topology::CardLanes lanes, int rank) {
    routing_.reset();
    {
        const std::lock_guard lock(counted_);
        lanes_ = std::move(lanes);
        book_ = std::move(book);
    }
    routing_.emplace(hierarchy(), lanes_, rank);
    consecutive_groups_ = algorithms::consecutive_groups(hierarchy());
}

PlanInUse* PlansInUse::find(std::uint64_t key) {
    const auto place = by_key_.find(key);
    return place == by_key_.end() ? nullptr : place->second;
}

PlanInUse& PlansInUse::make(const algorithms::PlanClass& wanted, algorithms::ByLevels by_levels) {
    std::list<PlanInUse> made;
    made.emplace_back(wanted.key, book_->at(wanted, by_levels));
    const std::lock_guard lock(counted_);
    by_key_.emplace(wanted.key, &made.back());
    plans_.splice(plans_.end(), made);
    return plans_.back();
}

PlanInUse& PlansInUse::delegate(PlanInUse& planned) {
    std::list<PlanInUse> made;
    PlanInUse& other = made.emplace_back(planned.key, planned.delegation->plan);
    other.compared = planned.compared;  // hash() has both
    last_ = {};
    const std::lock_guard lock(counted_);
    by_key_.at(planned.key) = &other;
    const auto old =
        std::find_if(plans_.begin(), plans_.end(), [&](PlanInUse& one) { return &one == &planned; });
    replaced_.splice(replaced_.end(), plans_, old);
    plans_.splice(plans_.end(), made);
    drop_unused();
    return other;
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
    std::size_t bytes = book_ != nullptr ? book_->memory() : 0;
    for (const topology::Hierarchy& lane : lanes_.trees) {
        bytes += sizeof lane + topology::heap_bytes(lane);
    }
    return bytes + topology::table_bytes(by_key_) + (plans_.size() + replaced_.size()) * sizeof(PlanInUse);
}

}  // namespace strata::component
