#include "algorithms/planning/plan_cache.h"

#include <iterator>

namespace strata::algorithms {
namespace {

constexpr std::size_t least_to_forget = 64;

}  // namespace

PlanCache::SharedTable PlanCache::find(std::uint64_t hash, const topology::Hierarchy& hierarchy,
                                       int rails) noexcept {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto [begin, end] = plan_tables_.equal_range(hash);
    for (auto at = begin; at != end; ++at) {
        SharedTable plan_table = at->second.lock();
        if (plan_table == nullptr || plan_table->rails() != rails || plan_table->hierarchy() != hierarchy)
            continue;
        try {
            keep(plan_table);
        } catch (...) {  // then the table ends with its last communicator
        }
        return plan_table;
    }
    return nullptr;
}

void PlanCache::add(std::uint64_t hash, const SharedTable& plan_table) noexcept {
    const std::lock_guard<std::mutex> lock(mutex_);
    forget_expired();
    try {
        plan_tables_.emplace(hash, plan_table);
        keep(plan_table);
    } catch (...) {  // then it is not shared
    }
}

void PlanCache::give_back(const SharedTable& plan_table) noexcept {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (const auto known = places_.find(plan_table.get()); known != places_.end()) use(known->second);
}

void PlanCache::clear() noexcept {
    const std::lock_guard<std::mutex> lock(mutex_);
    plan_tables_.clear();
    places_.clear();
    kept_.clear();
    bytes_ = 0;
}

std::size_t PlanCache::bytes() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return bytes_;
}

void PlanCache::keep(const SharedTable& plan_table) {
    if (const auto known = places_.find(plan_table.get()); known != places_.end()) return use(known->second);
    kept_.push_front({plan_table, 0});
    try {
        places_.emplace(plan_table.get(), kept_.begin());
    } catch (...) {
        kept_.pop_front();
        throw;
    }
    use(kept_.begin());
}

/// Makes it the most recently used table and drops the least recently used ones above the limit.
void PlanCache::use(Place one) noexcept {
    kept_.splice(kept_.begin(), kept_, one);
    bytes_ -= one->bytes;
    one->bytes = one->plan_table->memory();
    bytes_ += one->bytes;
    if (kept_.size() > 1 && std::next(one)->bytes > kept_bytes_) drop(std::next(one));
    while (bytes_ - one->bytes > kept_bytes_) drop(std::prev(kept_.end()));
}

void PlanCache::drop(Place one) noexcept {
    bytes_ -= one->bytes;
    places_.erase(one->plan_table.get());
    kept_.erase(one);
}

void PlanCache::forget_expired() noexcept {
    if (plan_tables_.size() < expired_after_) return;
    std::erase_if(plan_tables_, [](const auto& entry) { return entry.second.expired(); });
    expired_after_ = least_to_forget + 2 * plan_tables_.size();
}

}  // namespace strata::algorithms
