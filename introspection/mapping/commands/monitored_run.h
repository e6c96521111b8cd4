#pragma once
#include <string>
#include <vector>

#include "job_run.h"

namespace strata::mapping {

/// Runs an unmodified program with Open MPI's own monitoring in a folder of its own. If the plugin is
/// loaded, it dumps its hierarchy there.
class MonitoredRun {
public:
    /// As tool::run_job().
    int run(const std::vector<std::string>& command) const;

    bool has_traffic() const;
    /// Throws tool::UsageError if the numbers of ranks of traffic and hierarchy differ.
    void require_one_job() const;

    /// Returns the prefix for read_traffic().
    std::string prefix() const { return folder_.file("traffic"); }
    /// Returns the plugin's dump; empty without one.
    std::string dump() const;
    void keep() { folder_.keep(); }

private:
    int profiles() const;

    tool::RunFolder folder_{"strata-traffic"};
};

}  // namespace strata::mapping
