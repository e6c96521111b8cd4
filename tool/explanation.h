#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/report/usage.h"

namespace strata::tool {

/// Which calls are asked for; empty: all.
struct Question {
    std::vector<std::string> operations;
    std::optional<std::size_t> bytes;  ///< of a call
    std::string communicator;
};

/// What a job wrote of itself.
struct JobStory {
    std::optional<algorithms::JobUse> use;  ///< empty: the job did not end well, or is not over
    algorithms::JobChoices choices;         ///< of MPI_COMM_WORLD, or whatever the job used first
};

/// Which path calls took, why, and expected and measured times, a paragraph each. Of an operation that is
/// asked for and of which no call is known, what would have been chosen for it, where that is known of the
/// communicator in question. `colour`: for a terminal.
std::string explain(const JobStory& story, const Question& question, bool colour);

}  // namespace strata::tool
