#pragma once
#include <cstddef>

#include "strata/algorithms/algorithm.h"

namespace strata::algorithms {

/// The algorithm that coll/tuned takes for a broadcast when nothing is configured. Never automatic or
/// component. At least 2 ranks.
Algorithm tuned_bcast_algorithm(int ranks, std::size_t bytes);

}  // namespace strata::algorithms
