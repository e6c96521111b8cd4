#pragma once
#include "algorithms/base/link.h"
#include "algorithms/base/operation.h"
#include "topology/hierarchy.h"

namespace strata::algorithms {

/// Returns the predicted time in microseconds of `operation` by the underlying component: choices and flat
/// patterns of coll/tuned 4.1 in rank order, mean over all given roots. 0 if not every rank knows the sizes.
double forward_cost_us(const topology::Hierarchy& hierarchy, const LinkTable& links,
                       const Operation& operation);

}  // namespace strata::algorithms
