#pragma once
#include "algorithms/base/link.h"
#include "algorithms/base/operation.h"
#include "topology/hierarchy.h"

namespace strata::algorithms {

/// Predicted time in microseconds of `operation` by the underlying component: the choices and flat patterns
/// of coll/tuned 4.1 over this rank order, in the mean over all roots given. 0 for operations whose sizes are
/// not known to all ranks.
double forward_cost_us(const topology::Hierarchy& hierarchy, const LinkTable& links,
                       const Operation& operation);

}  // namespace strata::algorithms
