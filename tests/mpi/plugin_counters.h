#pragma once
#include <mpi.h>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "check.h"

namespace strata::testing {

/// All counters of the plugin, of the process or of one communicator, in one MPI_T session. The object owns
/// the handles.
class PluginCounters {
public:
    /// Counters of the process, or those bound to `comm`.
    explicit PluginCounters(Session& session, MPI_Comm comm = MPI_COMM_NULL);
    ~PluginCounters();
    PluginCounters(const PluginCounters&) = delete;
    PluginCounters& operator=(const PluginCounters&) = delete;

    /// Returns a counter by full name, "coll_strata_...".
    std::map<std::string, std::uint64_t> read(Session& session) const;
    /// Returns a counter by its name without "coll_strata_" (and without "comm_" for a communicator's);
    /// fails and returns 0 if there is none.
    std::uint64_t read(Session& session, const std::string& name) const;
    /// Returns the sum of all counters whose names, without these prefixes, begin so.
    std::uint64_t sum(Session& session, const std::string& beginning) const;
    /// Returns the calls of all collectives that the plugin's engines have served.
    std::uint64_t served(Session& session) const;
    /// Returns the rest of the names of all counters that begin with `beginning`; fails if there are none.
    std::vector<std::string> endings(Session& session, const std::string& beginning) const;

private:
    void add(Session& session, int index);
    MPI_Comm comm_;
    std::string prefix_;
    MPI_T_pvar_session mpit_ = MPI_T_PVAR_SESSION_NULL;
    std::map<std::string, MPI_T_pvar_handle> handles_;
};

}  // namespace strata::testing
