#pragma once
// What one group of the levels engine does by its method (level_group.cc), message by message.
#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "algorithms/base/algorithm.h"
#include "algorithms/openmpi_cost/steps.h"

namespace strata::algorithms {

/// What a plan may cost: a step takes some tenths of a microsecond, longer where many messages wait.
inline constexpr std::size_t most_level_messages = std::size_t{1} << 15;

/// What a group is asked to do.
struct GroupTask {
    LevelTask task = LevelTask::bcast;
    int ranks = 0;          ///< at least 2
    int root = 0;           ///< of them
    std::size_t bytes = 0;  ///< of the vector; of all blocks
    /// Bytes of each participant's blocks, where it is asked with counts because they differ, or because
    /// nobody can know that they do not; else empty.
    std::vector<std::size_t> parts;
    bool rank_order = false;  ///< the operator does not commute
    bool in_place = false;    ///< an allreduce whose operands lie where the result will
};

/// Its messages; a step's channel is 0.
struct GroupProgram {
    MessageSchedule program;
    /// The call returns when it has sent what it need not wait for; the rest goes on while its caller waits.
    bool nonblocking = false;
};

/// Components of which group_program() knows what they send.
inline constexpr std::array modelled_components{"tuned", "libnbc"};

/// Components: `tuned` by its own choices (tuned.h), `libnbc` by the schedules of release 4.1. Empty for
/// components whose messages are not known (shared memory, hardware, `basic`, `adapt`) and for patterns of so
/// many messages that no plan should wait for their prediction.
std::optional<GroupProgram> group_program(const LevelMethod& method, const GroupTask& task);

/// True for components that have a non-blocking or blocking form of a task by which the whole group
/// exchanges, and for algorithms by such a name: else it is done by two tasks, towards a root and back.
bool exchanges(const LevelMethod& method, LevelTask task);

/// True where group_program() knows a method, if its groups are not too large.
bool is_modelled(const LevelMethod& method);

}  // namespace strata::algorithms
