#pragma once
#include "algorithms/base/algorithm.h"
#include "algorithms/base/collective.h"

namespace strata::algorithms {

/// Returns true if the tree engine's topmost level may exchange by this method: whole vectors, or blocks,
/// by recursive doubling; halves of vectors that are reduced by Rabenseifner's algorithm.
bool exchanges_by(Algorithm algorithm, const CollectiveTraits& traits);

/// Returns true if vectors can go in two halves, each along its own tree (carries_halves()).
constexpr bool supports_halves(const CollectiveTraits& traits) { return traits.vectors; }

}  // namespace strata::algorithms
