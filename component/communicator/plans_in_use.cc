#include "component/communicator/plans_in_use.h"

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

bool PlanInUse::delegate_if_it_pays() {
    if (delegation == nullptr || !delegation->pays(calls)) {
        return false;
    }
    plan = &delegation->plan;
    delegation = nullptr;
    routes.clear();
    return true;
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
    const auto place = plans_.find(key);
    return place == plans_.end() ? nullptr : &place->second;
}

PlanInUse& PlansInUse::make(const algorithms::PlanClass& wanted, algorithms::ByLevels by_levels) {
    PlanInUse made(wanted.key, book_->at(wanted, by_levels));
    const std::lock_guard lock(counted_);
    return plans_.emplace(wanted.key, std::move(made)).first->second;
}

void PlansInUse::forget() noexcept {
    const std::lock_guard lock(counted_);
    last_ = {};
    plans_.clear();
}

std::size_t PlansInUse::memory() const {
    const std::lock_guard lock(counted_);
    std::size_t bytes = book_ != nullptr ? book_->memory() : 0;
    for (const topology::Hierarchy& lane : lanes_.trees) {
        bytes += sizeof lane + topology::heap_bytes(lane);
    }
    return bytes + topology::table_bytes(plans_);
}

}  // namespace strata::component
