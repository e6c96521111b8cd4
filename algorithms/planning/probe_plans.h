#pragma once
#include <cstdint>

namespace strata::algorithms {

/// Returns a hash of a fixed set of plans, of their predictions bit by bit, and of how this build evaluates
/// floating point. Builds that compute other plans (other compiler, flags or processor) get another hash and
/// so do not agree; compilers' names and paths do not count. Cost: two plans for six ranks.
std::uint64_t probe_plans();

}  // namespace strata::algorithms
