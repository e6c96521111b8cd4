#pragma once
#include "algorithms/base/link.h"
#include "algorithms/base/operation.h"
#include "topology/hierarchy.h"

namespace strata::algorithms {

/// Returns the time that no algorithm can beat: microseconds until the most loaded connection has carried
/// what has to cross it in one direction, the most loaded bus what has to cross it at all, or every rank has
/// combined its share. It counts only bandwidths that `links` were given, no built-in guess; 0: none that
/// matters. No latency and no overhead is counted, so the time is proportional to the bytes. Cost: O(groups *
/// depth).
double least_us(const topology::Hierarchy& hierarchy, const LinkTable& links, const Operation& operation);

}  // namespace strata::algorithms
