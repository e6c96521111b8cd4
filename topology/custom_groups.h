#pragma once
#include "topology/hierarchy_hint.h"
#include "topology/place_tree.h"

namespace strata::topology {

/// True when the hint has a level that is not plain.
bool has_custom_levels(const HierarchyHint& hint);

/// The tree with a place for every piece that the custom levels of `hint` make of it; the rules stand at
/// HierarchyHint. Objects that a piece cuts appear once in each. Needs the heights of the switches; leaves
/// the ranks per place to be counted anew. Cost: linear in ranks times depth times custom levels and their
/// items.
PlaceTree with_custom_groups(const PlaceTree& plain, const HierarchyHint& hint);

}  // namespace strata::topology
