#pragma once
#include <vector>

#include "topology/hierarchy.h"

namespace strata::topology {

/// Returns a class for each group, a number from 0: groups of a class have equal subtrees. The levels agree,
/// the numbers of ranks, and the places of leaders and of ranks that receive for themselves; neither the
/// numbering of ranks nor the order of children counts. Cost: O(ranks + groups * (depth + log(groups))).
std::vector<int> equal_groups(const Hierarchy& hierarchy);

}  // namespace strata::topology
