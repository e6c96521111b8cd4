#pragma once
#include <mpi.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "check.h"

namespace strata::testing {

/// All counters of the plugin, of the process or of one communicator, in one MPI_T session. Handles live as
/// long as the object.
class PluginCounters {
public:
    /// Those of the process, or those bound to `comm`.
    explicit PluginCounters(Session& session, MPI_Comm comm = MPI_COMM_NULL);
    ~PluginCounters();
    PluginCounters(const PluginCounters&) = delete;
    PluginCounters& operator=(const PluginCounters&) = delete;

    /// By full name, "coll_strata_...".
    std::map<std::string, std::uint64_t> read(Session& session) const;
    /// One of them, by what follows "coll_strata_", and "comm_" where they are a communicator's; a failure,
    /// and 0, where there is none.
    std::uint64_t read(Session& session, const std::string& name) const;
    /// Of all whose names, without the same, begin so.
    std::uint64_t sum(Session& session, const std::string& beginning) const;
    /// What follows `beginning` in the names of all that begin so; a failure where there are none.
    std::vector<std::string> endings(Session& session, const std::string& beginning) const;

private:
    void add(Session& session, int index);
    MPI_Comm comm_;
    std::string prefix_;
    MPI_T_pvar_session mpit_ = MPI_T_PVAR_SESSION_NULL;
    std::map<std::string, MPI_T_pvar_handle> handles_;
};

}  // namespace strata::testing
