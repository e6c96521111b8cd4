#include "algorithms/planning/structural_planner.h"

#include <algorithm>

#include "topology/fact_hash.h"
#include "topology/heap_bytes.h"

namespace strata::algorithms {

StructuralPlanner::Machine StructuralPlanner::machine_of(int root) {
    const std::lock_guard lock(mutex_);
    const auto known = std::ranges::find(machines_, root, &Machine::root);
    if (known != machines_.end()) return *known;
    if (machines_.size() == most_machines) machines_.erase(machines_.begin());
    machines_.push_back({root, topology::canonical_order(hierarchy_, root), nullptr});
    return machines_.back();
}

std::shared_ptr<StructuralPlanner::Renumbered> StructuralPlanner::renumber(const Machine& machine) {
    if (machine.renumbered != nullptr) return machine.renumbered;
    auto made = std::make_shared<Renumbered>(topology::renumbered(hierarchy_, machine.order));
    const std::lock_guard lock(mutex_);
    const auto known = std::ranges::find(machines_, machine.root, &Machine::root);
    if (known == machines_.end()) return made;
    if (known->renumbered == nullptr) known->renumbered = std::move(made);
    return known->renumbered;
}

/// Plans without the lock, because that takes long.
StructuralPlanner::Made StructuralPlanner::propose(const Overrides& overrides, Operation operation,
                                                   std::uint64_t inputs) {
    const Machine machine = machine_of(operation.root);
    const std::uint64_t key = topology::FactHash{}.add(inputs).add(machine.order.structure).value();
    if (shared_ != nullptr) {
        if (auto known = shared_->find(key)) return {std::move(known), true};
    }
    const auto renumbered = renumber(machine);
    operation.root = 0;  // the first rank of the order
    operation.other_roots = {};
    auto made = std::make_shared<const Proposal>(
        propose_by_formulas(renumbered->hierarchy, links_, overrides, operation, renumbered->facts));
    if (shared_ != nullptr) shared_->add(key, made);
    return {std::move(made), false};
}

std::size_t StructuralPlanner::memory() const {
    const std::lock_guard lock(mutex_);
    std::size_t bytes = topology::heap_bytes(machines_);
    for (const Machine& machine : machines_) {
        bytes += topology::heap_bytes(machine.order.ranks);
        if (machine.renumbered == nullptr) continue;
        bytes += sizeof(topology::Hierarchy) + topology::heap_bytes(machine.renumbered->hierarchy) +
                 machine.renumbered->facts.memory();
    }
    return bytes;
}

}  // namespace strata::algorithms
