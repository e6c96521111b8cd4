#pragma once
#include <optional>

#include "cost_steps.h"
#include "strata/algorithms/plan.h"
#include "strata/algorithms/selector.h"
#include "strata/topology/hierarchy.h"

namespace strata::algorithms {

/// What every rank does in one call of the levels engine, message by message: of every stage and segment, in
/// the order in which run_levels() comes to it, the part that it has in the program of its group
/// (group_program()). A blocking call is run where it starts; of a non-blocking one the sends that need
/// nothing are where it starts, the rest where the engine waits for it. A pipeline has at most
/// `most_segments` segments. Local copies, and what a call costs besides its messages, are not counted. Empty
/// where a level's method is not modelled, or its groups are too many or too large for this.
std::optional<FlatProgram> levels_program(const topology::Hierarchy& hierarchy, const Plan& plan,
                                          const Operation& operation, std::size_t most_segments);

}  // namespace strata::algorithms
