#pragma once
#include <cstddef>
#include <optional>

#include "algorithms/base/link.h"
#include "algorithms/base/operation.h"
#include "algorithms/base/plan.h"
#include "algorithms/openmpi_cost/steps.h"
#include "topology/hierarchy.h"

namespace strata::algorithms {

/// What every rank does in one call of the levels engine, message by message: of every stage and segment, in
/// the order in which run_levels() comes to it, the part that it has in the program of its group
/// (group_program()). A blocking call is run where it starts; of a non-blocking one the sends that need
/// nothing are where it starts, the rest where the engine waits for it. A pipeline has at most
/// `most_segments` segments. Local copies, and what a call costs besides its messages, are not counted. Empty
/// where a level's method is not modelled, or its groups are too many or too large for this.
std::optional<MessageSchedule> levels_program(const topology::Hierarchy& hierarchy, const Plan& plan,
                                              const Operation& operation, std::size_t most_segments);

/// Predicted time in microseconds of `operation` by the levels engine with `plan`, which has a method for
/// every level: the messages of every group's collective, in the pipeline that the engine makes of them.
/// Empty where a level's component is not known message by message, or the sizes are not known to all ranks.
/// Cost: O(messages of up to 12 segments * (log ranks + depth)).
std::optional<double> levels_cost_us(const topology::Hierarchy& hierarchy, const LinkTable& links,
                                     const Plan& plan, const Operation& operation);

}  // namespace strata::algorithms
