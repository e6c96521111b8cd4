#pragma once
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "algorithms/cost/symmetry_reduction.h"
#include "algorithms/openmpi_cost/rounds.h"
#include "topology/hierarchy.h"

namespace strata::algorithms {

/// The reduced machines of a hierarchy (reduce_by_symmetry()), by root and `switches`. Those of the first
/// roots are kept for later plans. Thread-safe.
class ReducedMachines {
public:
    explicit ReducedMachines(const topology::Hierarchy& hierarchy) : hierarchy_(hierarchy) {}
    ReducedMachines(const ReducedMachines&) = delete;
    ReducedMachines& operator=(const ReducedMachines&) = delete;

    static constexpr std::size_t most_kept = 8;  ///< later roots get a machine of their own each time
    using Machine = std::shared_ptr<const ReducedMachine>;

    /// Returns null for the whole machine: if it is small, or if a plan for the reduced one would not be
    /// valid for it. `switches`: as for reduce_by_symmetry().
    Machine at(int root, bool switches);
    /// Returns heap bytes.
    std::size_t memory() const { return bytes_; }

private:
    Machine make(int root, bool switches) const;

    const topology::Hierarchy& hierarchy_;
    mutable std::mutex mutex_;
    std::map<std::pair<int, bool>, Machine> kept_;
    std::atomic<std::size_t> bytes_{0};
};

/// What all plans of one hierarchy share. Thread-safe.
struct PlanningFacts {
    explicit PlanningFacts(const topology::Hierarchy& hierarchy) : rounds(hierarchy), machines(hierarchy) {}

    RoundCounts rounds;
    ReducedMachines machines;

    std::size_t memory() const { return sizeof *this + rounds.memory() + machines.memory(); }
};

}  // namespace strata::algorithms
