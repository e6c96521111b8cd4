#pragma once
#include <vector>

#include "algorithms/base/plan.h"
#include "random.h"
#include "topology/hierarchy.h"

namespace strata::testing {

/// Returns the hierarchy without the groups of some levels (never the topmost group's): their members move
/// to the enclosing group. Leaders, the topology order and receivers stay. Written for the oracles,
/// independent of the planner.
topology::Hierarchy without(const topology::Hierarchy& hierarchy,
                            const std::vector<topology::LevelKey>& levels);

/// Makes a plan skip some random levels: any but the topmost and, with `whole_nodes`, those that separate
/// nodes.
void skip_some(Random& random, const topology::Hierarchy& hierarchy, algorithms::Plan& plan,
               bool whole_nodes = false);

}  // namespace strata::testing
