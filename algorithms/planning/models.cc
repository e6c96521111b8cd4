#include "algorithms/planning/models.h"

#include <algorithm>

#include "algorithms/config/excluded_levels.h"

namespace strata::algorithms {

const ReducedMachine* Models::reduced(bool switches) {
    Reduced& own = switches ? switches_ : nodes_;
    if (!own.known) own = {true, machines_.at(operation_.root, switches)};
    return own.machine.get();
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
    const ReducedMachine* const machine = nodes ? reduced(switches) : nullptr;
    if (machine == nullptr) return make_cost_model(hierarchy_, links, operation_, skipped);
    Operation there = operation_;
    there.root = machine->root;
    return make_cost_model(machine->hierarchy, links, there, skipped, machine);
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
