#pragma once
#include <span>

#include "topology/hierarchy.h"

namespace strata::topology {

/// Returns the hierarchy of some ranks, at least one: kept[i] becomes rank i. Groups without a kept rank are
/// left out; a group whose leader is left out gets its first direct rank or the leader of its first child.
/// Without topology order and receivers. Cost: O(ranks * depth), times log(ranks) unless `kept` ascends.
Hierarchy sub_hierarchy(const Hierarchy& hierarchy, std::span<const int> kept);

}  // namespace strata::topology
