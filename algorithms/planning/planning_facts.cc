#include "algorithms/planning/planning_facts.h"

#include <algorithm>
#include <optional>

#include "topology/heap_bytes.h"

namespace strata::algorithms {
namespace {

using topology::Hierarchy;

/// Returns true if a plan for the reduced machine is valid for the machine.
bool same_levels(const Hierarchy& machine, const Hierarchy& reduced) {
    const auto at_the_top = [](const Hierarchy& hierarchy) {
        return std::count_if(hierarchy.groups.begin(), hierarchy.groups.end(), [&](const topology::Group& g) {
                   return g.level == hierarchy.groups.front().level;
               }) > 1;
    };
    return machine.levels() == reduced.levels() && at_the_top(machine) == at_the_top(reduced);
}

std::size_t bytes_of(const ReducedMachine* machine) {
    using topology::heap_bytes;
    if (machine == nullptr) return 0;
    return sizeof *machine + heap_bytes(machine->hierarchy) + heap_bytes(machine->represented) +
           heap_bytes(machine->modelled_by);
}

}  // namespace

ReducedMachines::Machine ReducedMachines::make(int root, bool switches) const {
    std::optional<ReducedMachine> machine = reduce_by_symmetry(hierarchy_, root, switches);
    if (!machine || !same_levels(hierarchy_, machine->hierarchy)) return nullptr;
    return std::make_shared<const ReducedMachine>(std::move(*machine));
}

/// Makes machines without the lock, because that takes long.
ReducedMachines::Machine ReducedMachines::at(int root, bool switches) {
    const std::pair key(root, switches);
    {
        const std::lock_guard lock(mutex_);
        if (const auto known = kept_.find(key); known != kept_.end()) return known->second;
    }
    Machine made = make(root, switches);
    const std::lock_guard lock(mutex_);
    if (kept_.size() < most_kept && kept_.emplace(key, made).second) bytes_ += bytes_of(made.get());
    return made;
}

}  // namespace strata::algorithms
