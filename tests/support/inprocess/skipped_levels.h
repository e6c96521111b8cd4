#pragma once
#include <vector>

#include "algorithms/base/plan.h"
#include "random.h"
#include "topology/hierarchy.h"

namespace strata::testing {

/// The hierarchy without the groups of some levels (not the topmost group's): what they hold belongs to the
/// group around them. Leaders, the topology order and receivers stay. Written for the oracles, with nothing
/// of the planner.
topology::Hierarchy without(const topology::Hierarchy& hierarchy,
                            const std::vector<topology::LevelKey>& levels);

/// Lets a plan skip some of its levels, drawn at random: any but the topmost and, for `whole_nodes`, those
/// by which nodes stand apart.
void skip_some(Random& random, const topology::Hierarchy& hierarchy, algorithms::Plan& plan,
               bool whole_nodes = false);

}  // namespace strata::testing
