#pragma once
// The message schedule of one group of the levels engine by its method (base_algorithms.cc).
#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "algorithms/base/algorithm.h"
#include "algorithms/openmpi_cost/steps.h"

namespace strata::algorithms {

/// Limit for one plan: a step takes some tenths of a microsecond, longer if many messages wait.
inline constexpr std::size_t most_level_messages = std::size_t{1} << 15;

/// The task of a group.
struct GroupTask {
    LevelTask task = LevelTask::bcast;
    int ranks = 0;          ///< at least 2
    int root = 0;           ///< rank in the group
    std::size_t bytes = 0;  ///< of the vector, or of all blocks
    /// Bytes of each participant's blocks if the collective takes counts: because they differ, or because not
    /// every rank can know that they are equal. Else empty.
    std::vector<std::size_t> parts;
    bool rank_order = false;  ///< the operator does not commute
    bool in_place = false;    ///< an allreduce with MPI_IN_PLACE
};

/// Its message schedule; channels are 0.
struct GroupSchedule {
    MessageSchedule messages;
    /// The call returns after its independent sends; the rest runs while its caller waits.
    bool nonblocking = false;
};

/// Components with a model.
inline constexpr std::array modelled_components{"tuned", "libnbc"};

/// Returns the schedule of a group's task: `tuned` by its own choices (tuned.h), `libnbc` as in release 4.1.
/// Empty for other components (shared memory, hardware, `basic`, `adapt`), and for patterns with too many
/// messages to predict for every plan.
std::optional<GroupSchedule> group_schedule(const LevelMethod& method, const GroupTask& task);

/// Returns true if a method does an exchange among the whole group by one collective of its own. Otherwise
/// two tasks do it, to a root and back.
bool exchanges(const LevelMethod& method, LevelTask task);

/// Returns true if group_schedule() has a model of the method for small enough groups.
bool is_modelled(const LevelMethod& method);

}  // namespace strata::algorithms
