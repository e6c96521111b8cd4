#pragma once
#include "topology/hierarchy_hint.h"
#include "topology/place_tree.h"

namespace strata::topology {

/// Returns true if the hint has a level that is not plain.
bool has_custom_levels(const HierarchyHint& hint);

/// Returns the tree with a place for every piece of the custom levels of `hint` (rules:
/// docs/design/hierarchy-hint.md). An object that a piece cuts appears once per piece. Requires the
/// switch heights; the caller recounts the ranks per place. Cost: linear in ranks times depth times
/// custom levels and their items.
PlaceTree with_custom_groups(const PlaceTree& plain, const HierarchyHint& hint);

}  // namespace strata::topology
