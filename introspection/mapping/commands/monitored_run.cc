#include "monitored_run.h"

#include <algorithm>

namespace strata::mapping {

int MonitoredRun::run(const std::vector<std::string>& command) const {
    return tool::run_job(command, {{"pml_monitoring_enable", "1"},
                                   {"pml_monitoring_enable_output", "3"},
                                   {"pml_monitoring_filename", prefix()},
                                   {"coll_strata_dump", folder_.file("job.json")}});
}

bool MonitoredRun::has_traffic() const {
    const std::filesystem::directory_iterator files(folder_.path());
    return std::any_of(begin(files), end(files),
                       [](const auto& file) { return file.path().extension() == ".prof"; });
}

std::string MonitoredRun::dump() const {
    const std::filesystem::path file = folder_.file("job.json");
    return std::filesystem::exists(file) ? file.string() : std::string();
}

}  // namespace strata::mapping
