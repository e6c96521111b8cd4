#include "strata/mapping/link_costs.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "topology/text.h"

namespace strata::mapping {
namespace {

using topology::LevelKey;
using topology::LevelKind;

constexpr double least_cost = 1e-3;
constexpr double most_cost = 1e6;

double default_cost(LevelKey level) {
    switch (level.kind) {
        case LevelKind::cluster: return 10;
        case LevelKind::switch_: return 8.0 * (level.height + 1);
        case LevelKind::custom:
        case LevelKind::node: return 2;
        case LevelKind::package:
        case LevelKind::group:
        case LevelKind::die: return 1.6;
        case LevelKind::numa: return 1.4;
        case LevelKind::l3: return 1.1;
        case LevelKind::l2:
        case LevelKind::l1:
        case LevelKind::core:
        case LevelKind::pu: return 1;
    }
    return 1;
}

/// Returns all levels but custom, which is the last one and has no links of its own.
std::string known_levels() {
    const std::string all = topology::known_level_names();
    return all.substr(0, all.rfind(", " + std::string(name_of(LevelKind::custom))));
}

double cost_in(std::string_view text) {
    const double cost = topology::real_number(text).value_or(0);
    if (!(cost >= least_cost && cost <= most_cost)) {
        throw std::invalid_argument("'" + std::string(text) + "' is no cost from 0.001 to 1000000");
    }
    return cost;
}

}  // namespace

LinkCosts LinkCosts::parse(std::string_view text) {
    LinkCosts costs;
    for (const std::string_view part : topology::split(text, ',')) {
        const std::string_view entry = topology::trimmed(part);
        const std::size_t sign = entry.find('=');
        if (sign == std::string_view::npos) {
            throw std::invalid_argument("'" + std::string(entry) + "' is not LEVEL=COST: cluster=20,node=3");
        }
        const std::string_view name = topology::trimmed(entry.substr(0, sign));
        const auto level = topology::parse_level(name);
        if (!level || level->kind == LevelKind::custom) {
            throw std::invalid_argument("unknown level '" + std::string(name) +
                                        "'; known: " + known_levels());
        }
        costs.entries_.emplace_back(*level, cost_in(topology::trimmed(entry.substr(sign + 1))));
    }
    return costs;
}

double LinkCosts::of(LevelKey level) const {
    double cost = default_cost(level);
    for (const auto& [pattern, given] : entries_) {
        if (pattern.matches(level)) cost = given;
    }
    return cost;
}

std::vector<double> LinkCosts::by_group(const topology::Hierarchy& hierarchy) const {
    std::vector<double> costs;
    for (const topology::Group& group : hierarchy.groups) costs.push_back(of(link_level(group)));
    for (std::size_t i = costs.size(); i-- > 1;) {  // children follow their parents
        double& parent = costs[static_cast<std::size_t>(hierarchy.groups[i].parent)];
        parent = std::max(parent, costs[i]);
    }
    return costs;
}

}  // namespace strata::mapping
