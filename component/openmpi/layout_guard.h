#pragma once
// Checks that the running Open MPI lays out its structures like the release that the plugin is built for.
#include <string>

namespace strata::component::layout {

struct Finding {
    std::string objection;   ///< why the plugin must not run; empty: it may
    std::string built_for;   ///< such as "4.1.4"
    std::string running;     ///< such as "Open MPI v4.1.4"
    bool is_listed = false;  ///< Verdict::is_listed
};

/// Computed once. Reads nothing whose offset depends on the release.
const Finding& finding();

/// Returns true on the process that reports the objection for its job. Reads the environment, not Open MPI.
bool is_lowest_process();
/// Returns the name of this machine.
std::string host_name();

}  // namespace strata::component::layout
