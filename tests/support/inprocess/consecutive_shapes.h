#pragma once
#include "random.h"
#include "topology/hierarchy.h"

namespace strata::testing {

/// Returns the same groups with ranks renumbered so that each group holds consecutive ranks. Ranks that
/// stop in a group may lie between its children.
topology::Hierarchy consecutive(Random& random, const topology::Hierarchy& hierarchy);

/// Returns the same groups with other leaders, consistent as an election makes them.
topology::Hierarchy with_other_leaders(Random& random, const topology::Hierarchy& hierarchy);

}  // namespace strata::testing
