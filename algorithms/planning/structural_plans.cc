#include "algorithms/planning/structural_plans.h"

#include <utility>

namespace strata::algorithms {
namespace {

std::size_t bytes_of(const Proposal& proposal) {
    return sizeof proposal + heap_bytes(proposal.plan) + heap_bytes(proposal.passed);
}

}  // namespace

StructuralPlans::Known StructuralPlans::find(std::uint64_t key) const {
    const std::lock_guard lock(mutex_);
    const auto known = known_.find(key);
    return known == known_.end() ? nullptr : known->second;
}

void StructuralPlans::add(std::uint64_t key, const Known& proposal) {
    const std::size_t own = bytes_of(*proposal);
    const std::lock_guard lock(mutex_);
    if (bytes_ + own > most_bytes_) {
        known_.clear();
        bytes_ = 0;
    }
    if (known_.emplace(key, proposal).second) bytes_ += own;
}

void StructuralPlans::clear() noexcept {
    const std::lock_guard lock(mutex_);
    known_.clear();
    bytes_ = 0;
}

std::size_t StructuralPlans::bytes() const {
    const std::lock_guard lock(mutex_);
    return bytes_;
}

}  // namespace strata::algorithms
