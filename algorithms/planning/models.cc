#include "algorithms/planning/models.h"

#include <algorithm>

#include "algorithms/config/excluded_levels.h"

namespace strata::algorithms {
namespace {

/// Returns true if a plan for the reduced machine is valid for the machine.
bool same_levels(const topology::Hierarchy& machine, const topology::Hierarchy& reduced) {
    const auto at_the_top = [](const topology::Hierarchy& hierarchy) {
        return std::count_if(hierarchy.groups.begin(), hierarchy.groups.end(), [&](const topology::Group& g) {
                   return g.level == hierarchy.groups.front().level;
               }) > 1;
    };
    return machine.levels() == reduced.levels() && at_the_top(machine) == at_the_top(reduced);
}

}  // namespace

const std::optional<ReducedMachine>& Models::reduced(bool switches) {
    Reduced& own = switches ? switches_ : nodes_;
    if (own.known) return own.machine;
    own.known = true;
    own.machine = reduce_by_symmetry(hierarchy_, operation_.root, switches);
    if (own.machine && !same_levels(hierarchy_, own.machine->hierarchy)) own.machine.reset();
    return own.machine;
}

/// If switches are skipped, all nodes take part in the topmost level, so the reduced machine keeps every
/// node. If the level of nodes is skipped, all ranks do, and the model uses the whole machine.
std::unique_ptr<CostModel> Models::make(const LinkTable& links, std::span<const topology::LevelKey> skipped) {
    const bool switches = std::none_of(skipped.begin(), skipped.end(), [](const topology::LevelKey& level) {
        return is_network(level.kind);
    });
    const bool nodes = std::none_of(skipped.begin(), skipped.end(), [&](const topology::LevelKey& level) {
        return separates_nodes(hierarchy_, level);
    });
    const std::optional<ReducedMachine>& machine = reduced(switches);
    if (!machine || !nodes) return make_cost_model(hierarchy_, links, operation_, skipped);
    Operation there = operation_;
    there.root = machine->root;
    return make_cost_model(machine->hierarchy, links, there, skipped, &*machine);
}

CostModel& Models::at(const LinkTable& links, std::span<const topology::LevelKey> skipped) {
    for (Entry& entry : entries_) {
        if (!std::equal(skipped.begin(), skipped.end(), entry.skipped.begin(), entry.skipped.end())) continue;
        if (entry.links != &links) entry.model->set_links(links);
        entry.links = &links;
        return *entry.model;
    }
    entries_.push_back({{skipped.begin(), skipped.end()}, &links, make(links, skipped)});
    return *entries_.back().model;
}

}  // namespace strata::algorithms
