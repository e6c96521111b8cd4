#pragma once
#include <cstddef>
#include <string>

#include "algorithms/base/plan.h"
#include "fabric.h"
#include "topology/hierarchy.h"

namespace strata::testing {

/// The messages that the edges of a plan carry.
enum class Cut {
    by_level,  ///< every level has its own segment size
    as_top,    ///< all levels use that of the topmost (reductions)
};

/// Returns how many messages of a tree or ring may be in flight from one rank to another: the plan's
/// window; between nodes as many as Plan::network_window_bytes holds, at most 256. Written for the tests,
/// independent of the planner.
int most_in_flight(const topology::Hierarchy& hierarchy, const algorithms::Plan& plan, Cut cut, int from,
                   int to);

/// The same on the topmost level.
int most_on_top(const topology::Hierarchy& hierarchy, const algorithms::Plan& plan);

/// Describes the windows of a plan for failure messages.
std::string window_text(const algorithms::Plan& plan);

/// Returns the pairs of a run that had more unfinished sends than that; "" for none.
std::string window_faults(const topology::Hierarchy& hierarchy, const algorithms::Plan& plan, Cut cut,
                          const RunReport& run);

}  // namespace strata::testing
