#pragma once
#include "algorithms/base/algorithm.h"
#include "algorithms/base/collective.h"

namespace strata::algorithms {

/// Returns true if the tree engine's topmost level may exchange by this method: whole vectors, or blocks,
/// by recursive doubling; reduced vectors by reduce-scatter + allgather (rabenseifner).
bool exchanges_by(Algorithm algorithm, const CollectiveTraits& traits);

/// Returns true if vectors can go along a double tree, one half along each tree (has_double_tree()).
constexpr bool supports_double_trees(const CollectiveTraits& traits) { return traits.vectors; }

}  // namespace strata::algorithms
