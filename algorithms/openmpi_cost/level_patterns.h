#pragma once
// Patterns of messages that the levels engine can give to a group and coll/tuned never chooses.
#include <cstddef>
#include <optional>
#include <vector>

#include "algorithms/openmpi_cost/level_methods.h"
#include "algorithms/openmpi_cost/steps.h"

namespace strata::algorithms {

/// Blocks of different sizes straight to or from the root, rank after rank, none for an empty one:
/// coll/basic. `waits`: the root, for each block to be gone.
MessageSchedule gatherv_program(const std::vector<std::size_t>& parts, int root);
MessageSchedule scatterv_program(const std::vector<std::size_t>& parts, int root, bool waits);

/// The schedules of coll/libnbc, release 4.1 (nbc_i<operation>.c), by its default choices. Empty for long
/// broadcasts, which go down a chain in pieces.
std::optional<MessageSchedule> libnbc_program(const GroupTask& task);

}  // namespace strata::algorithms
