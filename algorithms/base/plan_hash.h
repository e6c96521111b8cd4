#pragma once
#include <cstdint>

#include "algorithms/base/plan.h"

namespace strata::algorithms {

/// Returns a hash of everything that determines the messages of a plan, without its sources and predicted
/// times.
std::uint64_t hash_of(const Plan& plan);

}  // namespace strata::algorithms
