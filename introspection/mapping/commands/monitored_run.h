#pragma once
#include <filesystem>
#include <string>
#include <vector>

namespace strata::mapping {

/// Runs an unmodified program with Open MPI's own monitoring, and has the plugin, if it is loaded, write its
/// hierarchy. The files lie in a folder of their own in the current one, because other nodes must reach it,
/// and vanish with the object unless they are kept.
class MonitoredRun {
public:
    /// Throws std::runtime_error where no folder can be made.
    MonitoredRun();
    ~MonitoredRun();
    MonitoredRun(const MonitoredRun&) = delete;
    MonitoredRun& operator=(const MonitoredRun&) = delete;

    /// Waits for the command, which inherits the standard streams. Returns its exit status, 128 + N after
    /// signal N. Throws std::runtime_error where it cannot be started.
    int run(const std::vector<std::string>& command) const;

    bool has_traffic() const;

    /// For read_traffic().
    std::string prefix() const { return folder_ / "traffic"; }
    /// What the plugin wrote; empty: nothing.
    std::string dump() const;
    void keep() { kept_ = true; }

private:
    std::filesystem::path folder_;
    bool kept_ = false;
};

}  // namespace strata::mapping
