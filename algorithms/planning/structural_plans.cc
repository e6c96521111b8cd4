#include "algorithms/planning/structural_plans.h"

#include <utility>

namespace strata::algorithms {
namespace {

/// Returns the bytes of an entry: the proposal, its control block, and node and bucket of the table.
std::size_t bytes_of(const Proposal& proposal) {
    constexpr std::size_t entry = 12 * sizeof(void*);
    return entry + sizeof proposal + heap_bytes(proposal.plan) + heap_bytes(proposal.passed);
}

}  // namespace

StructuralPlans::Known StructuralPlans::find(std::uint64_t key) const {
    const std::lock_guard lock(mutex_);
    const auto known = known_.find(key);
    return known == known_.end() ? nullptr : known->second;
}

void StructuralPlans::add(std::uint64_t key, const Known& proposal) noexcept {
    const std::lock_guard lock(mutex_);
    if (known_.contains(key)) return;
    const std::size_t own = bytes_of(*proposal);
    if (bytes_ + own > most_bytes_) {
        known_.clear();
        bytes_ = 0;
    }
    try {
        known_.emplace(key, proposal);
        bytes_ += own;
    } catch (...) {  // then the next plan is made again
    }
}

std::size_t StructuralPlans::bytes() const {
    const std::lock_guard lock(mutex_);
    return bytes_;
}

}  // namespace strata::algorithms
