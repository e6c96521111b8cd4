#include "algorithms/planning/models.h"

#include <algorithm>

#include "algorithms/config/excluded_levels.h"

namespace strata::algorithms {
namespace {

/// Returns true if a plan for the sample is valid for the machine.
bool same_levels(const topology::Hierarchy& machine, const topology::Hierarchy& sample) {
    const auto at_the_top = [](const topology::Hierarchy& hierarchy) {
        return std::count_if(hierarchy.groups.begin(), hierarchy.groups.end(), [&](const topology::Group& g) {
                   return g.level == hierarchy.groups.front().level;
               }) > 1;
    };
    return machine.levels() == sample.levels() && at_the_top(machine) == at_the_top(sample);
}

}  // namespace

const std::optional<Sample>& Models::thinned(bool switches) {
    Thinned& own = switches ? switches_ : nodes_;
    if (own.known) return own.sample;
    own.known = true;
    own.sample = thin_out(hierarchy_, operation_.root, switches);
    if (own.sample && !same_levels(hierarchy_, own.sample->hierarchy)) own.sample.reset();
    return own.sample;
}

/// If switches are skipped, all nodes take part in the topmost level, so the sample keeps every node. If the
/// level of nodes is skipped, all ranks do, and the model uses the whole machine.
std::unique_ptr<CostModel> Models::make(const LinkTable& links, std::span<const topology::LevelKey> skipped) {
    const bool switches = std::none_of(skipped.begin(), skipped.end(), [](const topology::LevelKey& level) {
        return is_network(level.kind);
    });
    const bool nodes = std::none_of(skipped.begin(), skipped.end(), [&](const topology::LevelKey& level) {
        return separates_nodes(hierarchy_, level);
    });
    const std::optional<Sample>& sample = thinned(switches);
    if (!sample || !nodes) return make_cost_model(hierarchy_, links, operation_, skipped);
    Operation there = operation_;
    there.root = sample->root;
    return make_cost_model(sample->hierarchy, links, there, skipped, &*sample);
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
