#pragma once
#include "machine.h"
#include "summa.h"
#include "topology/hierarchy.h"

namespace strata::simulation {

/// What no algorithms of the broadcasts can beat: microseconds until the last rank has multiplied its last
/// blocks, if every root reached all others of its row or column by one message each at once. A way through
/// others is no shorter: one of its messages crosses the level that parts the two. What blocks weigh is not
/// counted. `hierarchy`: all levels of the ranks.
double least_us(const SummaStudy& study, const Machine& machine, const topology::Hierarchy& hierarchy);

}  // namespace strata::simulation
