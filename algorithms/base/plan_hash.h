#pragma once
#include <cstdint>

#include "algorithms/base/plan.h"

namespace strata::algorithms {

/// Of all that changes which messages a plan leads to; not of who asked for it, nor of what it is predicted
/// to take.
std::uint64_t hash_of(const Plan& plan);

}  // namespace strata::algorithms
