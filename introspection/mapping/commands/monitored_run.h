#pragma once
#include <string>
#include <vector>

#include "job_run.h"

namespace strata::mapping {

/// Runs an unmodified program with Open MPI's own monitoring, and has the plugin, if it is loaded, write its
/// hierarchy, into a folder of this run.
class MonitoredRun {
public:
    /// As tool::run_job().
    int run(const std::vector<std::string>& command) const;

    bool has_traffic() const;
    /// Throws tool::UsageError where what was counted and what the plugin wrote are not of as many ranks.
    void require_one_job() const;

    /// For read_traffic().
    std::string prefix() const { return folder_.file("traffic"); }
    /// What the plugin wrote; empty: nothing.
    std::string dump() const;
    void keep() { folder_.keep(); }

private:
    int profiles() const;

    tool::RunFolder folder_{"strata-traffic"};
};

}  // namespace strata::mapping
