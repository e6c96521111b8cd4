#pragma once
#include <string>
#include <vector>

#include "algorithms/base/operation.h"
#include "algorithms/base/plan.h"
#include "algorithms/config/overrides.h"
#include "topology/hierarchy.h"

namespace strata::algorithms {

/// Returns true for reductions whose order must not change; they use all levels.
bool keeps_order(const Operation& operation);

/// Returns true for the level that separates nodes.
bool separates_nodes(const topology::Hierarchy& hierarchy, topology::LevelKey level);

/// Returns true if plans in which all ranks take part alike are worth evaluating. Where ranks share
/// processors they do the same work in more messages.
bool can_all_take_part(const topology::Hierarchy& hierarchy);

/// Returns true for methods that load all their members alike: a ring, reduce-scatter + allgather, a
/// double binary tree, a chain from or to a root. Nodes then need no leaders.
bool may_be_among_all(Algorithm algorithm, const Operation& operation);

/// The levels of a hierarchy that rules exclude (Algorithm::skip).
struct ExcludedLevels {
    std::vector<topology::LevelKey> levels;  ///< those that can be excluded, topmost first
    std::vector<Source> sources;             ///< one per level
    std::string ignored_rules;               ///< "; skip ignored for node, which separates nodes", or empty
};

/// Excludes the levels whose first applicable rule is `skip`. The topmost level always stays. The level
/// that separates nodes stays, because the rank near a node's NIC represents the node, unless rules make
/// all ranks take part alike on the topmost level. All others can be excluded: switches below the topmost
/// one, and levels inside nodes. A reduction that keeps an order excludes none.
ExcludedLevels find_excluded_levels(const topology::Hierarchy& hierarchy, const Overrides& overrides,
                                    const Operation& operation);

/// Adds the excluded levels, in the order of the hierarchy, and their sources to the plan. Throws
/// std::logic_error for the topmost level: its parts would not be connected.
void set_skipped(Plan& plan, const topology::Hierarchy& hierarchy,
                 const std::vector<topology::LevelKey>& skipped, const ExcludedLevels& excluded);

}  // namespace strata::algorithms
