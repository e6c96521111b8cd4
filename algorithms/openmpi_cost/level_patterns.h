#pragma once
// Message schedules of the levels engine's groups that coll/tuned never chooses.
#include <cstddef>
#include <optional>
#include <vector>

#include "algorithms/openmpi_cost/level_methods.h"
#include "algorithms/openmpi_cost/steps.h"

namespace strata::algorithms {

/// Blocks of different sizes directly to or from the root in rank order, none for an empty block: coll/basic.
/// `waits`: the root waits until each block has left.
MessageSchedule gatherv_schedule(const std::vector<std::size_t>& parts, int root);
MessageSchedule scatterv_schedule(const std::vector<std::size_t>& parts, int root, bool waits);

/// Returns the schedule of coll/libnbc, release 4.1 (nbc_i<operation>.c), by its default choices. Empty for
/// long broadcasts, a segmented chain.
std::optional<MessageSchedule> libnbc_schedule(const GroupTask& task);

}  // namespace strata::algorithms
