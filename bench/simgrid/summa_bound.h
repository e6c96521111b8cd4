#pragma once
#include "machine.h"
#include "summa.h"
#include "topology/hierarchy.h"

namespace strata::simulation {

/// Lower bound for all broadcast algorithms: microseconds until the last rank has multiplied its last
/// blocks, if every root sent one message to each other rank of its row or column at once (hierarchical: to
/// each other group, and then to each other rank of its group). A path through other ranks is no shorter,
/// because one of its messages crosses the level that separates the two. The bound ignores the bytes of the
/// blocks. `hierarchy` has all levels of the ranks.
double least_us(const SummaStudy& study, const Machine& machine, const topology::Hierarchy& hierarchy,
                bool hierarchical);

}  // namespace strata::simulation
