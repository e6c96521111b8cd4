#pragma once
#include <cstdint>

namespace strata::algorithms {

/// Hash of a fixed set of plans, of their predictions bit by bit, and of how this build evaluates real
/// numbers. Processes whose builds come to other plans (another compiler, other flags, another processor)
/// have another one, so that they do not take each other for the same; compilers' names and paths do not
/// count. Cost: six plans for twelve ranks.
std::uint64_t probe_plans();

}  // namespace strata::algorithms
