#pragma once
#include <cstddef>
#include <string>

#include "algorithms/base/plan.h"
#include "fabric.h"
#include "topology/hierarchy.h"

namespace strata::testing {

/// Which messages the edges of a plan carry.
enum class Cut {
    by_level,  ///< each level has its own segments
    as_top,    ///< all have those of the topmost level (reductions)
};

/// How many messages of a tree or ring may be under way from one rank to the other: the plan's window,
/// between nodes as many as hold Plan::network_window_bytes, of those 256 at most. Written for the tests,
/// with nothing of the planner.
int most_in_flight(const topology::Hierarchy& hierarchy, const algorithms::Plan& plan, Cut cut, int from,
                   int to);

/// The same on the topmost level.
int most_on_top(const topology::Hierarchy& hierarchy, const algorithms::Plan& plan);

/// The windows of a plan in words, for failure messages.
std::string window_text(const algorithms::Plan& plan);

/// Which pairs of a run had more unfinished sends than that; "" for none.
std::string window_faults(const topology::Hierarchy& hierarchy, const algorithms::Plan& plan, Cut cut,
                          const RunReport& run);

}  // namespace strata::testing
