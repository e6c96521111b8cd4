#pragma once
#include <cstddef>
#include <optional>

#include "algorithms/base/link.h"
#include "algorithms/base/operation.h"
#include "algorithms/base/plan.h"
#include "algorithms/openmpi_cost/steps.h"
#include "topology/hierarchy.h"

namespace strata::algorithms {

/// Returns the message schedule of one call of the levels engine: for every stage and segment, in the order
/// of run_levels(), a rank's part in the schedule of its group (group_schedule()). A blocking call is
/// complete where it starts. A non-blocking call starts its independent sends there, and the rest where the
/// engine waits for it. A pipeline has at most `most_segments` segments. Local copies and other costs of a
/// call are not included. Empty if a level's method is not modelled, or groups are too many or too large.
std::optional<MessageSchedule> levels_schedule(const topology::Hierarchy& hierarchy, const Plan& plan,
                                               const Operation& operation, std::size_t most_segments);

/// Returns the predicted time in microseconds of `operation` by the levels engine with `plan`, which has a
/// method for every level: the collectives of all groups, in the engine's pipeline. Empty if a component has
/// no message schedule, or not every rank knows the sizes. Cost: O(messages of up to 12 segments *
/// (log ranks + depth)).
std::optional<double> levels_cost_us(const topology::Hierarchy& hierarchy, const LinkTable& links,
                                     const Plan& plan, const Operation& operation);

}  // namespace strata::algorithms
