#pragma once
#include <mpi.h>

#include <cstdint>
#include <map>
#include <string>

#include "check.h"

namespace strata::testing {

/// All counters of the plugin, in one MPI_T session. Handles live as long as the object.
class PluginCounters {
public:
    explicit PluginCounters(Session& session);
    ~PluginCounters();
    PluginCounters(const PluginCounters&) = delete;
    PluginCounters& operator=(const PluginCounters&) = delete;

    /// By full name, "coll_strata_...".
    std::map<std::string, std::uint64_t> read(Session& session) const;
    /// One of them, by what follows "coll_strata_"; a failure, and 0, where there is none.
    std::uint64_t read(Session& session, const std::string& name) const;

private:
    void add(Session& session, int index);
    MPI_T_pvar_session mpit_ = MPI_T_PVAR_SESSION_NULL;
    std::map<std::string, MPI_T_pvar_handle> handles_;
};

}  // namespace strata::testing
