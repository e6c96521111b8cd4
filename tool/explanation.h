#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/report/usage.h"

namespace strata::tool {

/// The calls to explain; empty members select all.
struct Question {
    std::vector<std::string> operations;
    std::optional<std::size_t> bytes;  ///< of a call
    std::string communicator;
};

/// The contents of a job's dump.
struct JobDump {
    std::optional<algorithms::JobUse> use;  ///< empty: the job did not end well, or is still running
    algorithms::JobChoices choices;  ///< for MPI_COMM_WORLD, or the communicator that the job used first
};

/// Returns a paragraph per kind of call: its path, the reason, expected and measured times. An operation
/// of `question` without recorded calls gets the choice that the dump lists for it, if the dump has
/// choices for the communicator. `colour`: for a terminal.
std::string explain(const JobDump& story, const Question& question, bool colour);

}  // namespace strata::tool
