#pragma once
#include "random.h"
#include "topology/hierarchy.h"

namespace strata::testing {

/// The same groups with the ranks numbered anew, so that each holds consecutive ones. Ranks that stop in a
/// group may come between its children.
topology::Hierarchy consecutive(Random& random, const topology::Hierarchy& hierarchy);

/// The same groups under other leaders, consistent as an election would make them.
topology::Hierarchy with_other_leaders(Random& random, const topology::Hierarchy& hierarchy);

}  // namespace strata::testing
