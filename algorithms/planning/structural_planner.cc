#include "algorithms/planning/structural_planner.h"

#include <algorithm>

#include "topology/fact_hash.h"
#include "topology/heap_bytes.h"

namespace strata::algorithms {

StructuralPlanner::Machine& StructuralPlanner::machine_of(int root) {
    if (last_ == nullptr || last_->root != root)
        last_.reset(new Machine{root, topology::canonical_order(hierarchy_, root), {}, {}});
    return *last_;
}

StructuralPlanner::Made StructuralPlanner::propose(const Overrides& overrides, Operation operation,
                                                   std::uint64_t inputs) {
    const std::lock_guard lock(mutex_);
    Machine& machine = machine_of(operation.root);
    const std::uint64_t key = topology::FactHash{}.add(inputs).add(machine.order.structure).value();
    if (shared_ != nullptr) {
        if (auto known = shared_->find(key)) return {std::move(known), true};
    }
    if (!machine.renumbered) {
        machine.renumbered = topology::renumbered(hierarchy_, machine.order);
        machine.facts.emplace(*machine.renumbered);
    }
    const auto& ranks = machine.order.ranks;
    operation.root = static_cast<int>(std::ranges::find(ranks, operation.root) - ranks.begin());
    operation.other_roots = {};
    auto made = std::make_shared<const Proposal>(
        propose_by_formulas(*machine.renumbered, links_, overrides, operation, *machine.facts));
    if (shared_ != nullptr) shared_->add(key, made);
    return {std::move(made), false};
}

std::size_t StructuralPlanner::memory() const {
    const std::lock_guard lock(mutex_);
    if (last_ == nullptr) return 0;
    std::size_t bytes = sizeof *last_ + topology::heap_bytes(last_->order.ranks);
    if (last_->renumbered) bytes += topology::heap_bytes(*last_->renumbered) + last_->facts->memory();
    return bytes;
}

}  // namespace strata::algorithms
