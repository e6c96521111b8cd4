#include "monitored_run.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "command_line.h"
#include "input.h"
#include "topology/text.h"

namespace strata::mapping {
namespace {

enum class Monitoring { used, missing, excluded };

/// Parses a list of components, or of excluded ones (^), from the environment.
Monitoring monitoring_in(std::string_view list) {
    const bool left_out = list.starts_with('^');
    if (left_out) list.remove_prefix(1);
    const std::vector<std::string_view> names = topology::split(list, ',');
    const bool named = std::find(names.begin(), names.end(), "monitoring") != names.end();
    if (left_out) return named ? Monitoring::excluded : Monitoring::used;
    return named || list.empty() ? Monitoring::used : Monitoring::missing;
}

/// Returns the component lists of the environment with monitoring added, unchanged ones included,
/// because they must reach other nodes, too. Throws tool::UsageError if nothing could be counted.
std::vector<std::pair<std::string, std::string>> monitored_components() {
    std::vector<std::pair<std::string, std::string>> lists;
    for (const std::string framework : {"pml", "coll", "osc"}) {
        const char* const given = std::getenv(("OMPI_MCA_" + framework).c_str());
        if (given == nullptr) continue;
        const Monitoring found = monitoring_in(given);
        // pml/monitoring is required; the user may exclude those of coll and osc.
        if (found == Monitoring::excluded && framework == "pml") {
            throw tool::UsageError(
                "run", "OMPI_MCA_pml=" + std::string(given) +
                           " leaves out the component that counts messages: remove monitoring from it");
        }
        lists.emplace_back(framework,
                           std::string(given) + (found == Monitoring::missing ? ",monitoring" : ""));
    }
    return lists;
}

}  // namespace

int MonitoredRun::run(const std::vector<std::string>& command) const {
    std::vector<std::pair<std::string, std::string>> parameters = monitored_components();
    parameters.insert(parameters.begin(), {{"pml_monitoring_enable", "1"},
                                           {"pml_monitoring_enable_output", "3"},
                                           {"pml_monitoring_filename", prefix()},
                                           {"coll_strata_dump", folder_.file("job.json")}});
    return tool::run_job(command, parameters);
}

int MonitoredRun::profiles() const {
    const std::filesystem::directory_iterator files(folder_.path());
    return static_cast<int>(std::count_if(
        begin(files), end(files), [](const auto& file) { return file.path().extension() == ".prof"; }));
}

bool MonitoredRun::has_traffic() const { return profiles() > 0; }

void MonitoredRun::require_one_job() const {
    const std::string file = dump();
    if (file.empty()) return;
    const int ranks = dumped_hierarchy(file).ranks();
    if (ranks == profiles()) return;
    throw tool::UsageError(
        "run",
        "the traffic is of " + std::to_string(profiles()) + " ranks, the hierarchy of " +
            std::to_string(ranks) +
            ": --run supports one job, without MPI_Comm_spawn, that calls MPI_Finalize on all its ranks");
}

std::string MonitoredRun::dump() const {
    const std::filesystem::path file = folder_.file("job.json");
    return std::filesystem::exists(file) ? file.string() : std::string();
}

}  // namespace strata::mapping
