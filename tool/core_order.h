#pragma once
#include <vector>

#include "topology/machine.h"

namespace strata::tool {

/// Returns all cores of a machine, in turn over the widest objects that split it, and in the same way
/// inside each: 0, 4, 2, 6, 1, 5, 3, 7 for two packages with two caches of two cores.
std::vector<int> scattered_cores(const topology::Machine& machine);

}  // namespace strata::tool
