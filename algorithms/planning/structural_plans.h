#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <unordered_map>

#include "algorithms/planning/make_plan.h"

namespace strata::algorithms {

/// Proposals of formulas by key: a hash of the structure of a machine and of the operation. Communicators
/// whose hierarchies differ in the numbering of ranks only share them. A proposal follows from its key and
/// the settings, so it does not matter which ranks have it already. Thread-safe.
class StructuralPlans {
public:
    /// Up to this number of ranks plans are shared between numberings. New orders of larger communicators
    /// cost more than a plan.
    static constexpr int most_ranks = 256;

    explicit StructuralPlans(std::size_t most_bytes) : most_bytes_(most_bytes) {}
    StructuralPlans(const StructuralPlans&) = delete;
    StructuralPlans& operator=(const StructuralPlans&) = delete;

    using Known = std::shared_ptr<const Proposal>;
    /// Returns null for an unknown key.
    Known find(std::uint64_t key) const;
    /// Adds a proposal if memory allows. Forgets all others first if they would take more than `most_bytes`
    /// together.
    void add(std::uint64_t key, const Known& proposal) noexcept;
    std::size_t bytes() const;

private:
    const std::size_t most_bytes_;
    mutable std::mutex mutex_;
    std::unordered_map<std::uint64_t, Known> known_;
    std::size_t bytes_ = 0;
};

}  // namespace strata::algorithms
