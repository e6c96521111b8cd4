#pragma once
// Looks whether the Open MPI that runs lays out its structures as the one that the plugin was built for.
#include <string>

namespace strata::component::layout {

struct Finding {
    std::string objection;   ///< why the plugin has to step aside; empty: it may serve
    std::string built_for;   ///< such as "4.1.4"
    std::string running;     ///< such as "Open MPI v4.1.4"
    bool is_listed = false;  ///< nothing needs to be said: both releases are known
};

/// The same in every call. Reads nothing whose place depends on the release.
const Finding& finding();

/// Whether this process has to say for its job that it steps aside. Asks its environment, not Open MPI.
bool is_lowest_process();
/// The name of this machine.
std::string host_name();

}  // namespace strata::component::layout
