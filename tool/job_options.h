#pragma once
#include <stdexcept>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace strata::tool {

/// The options for a job's machine and ranks, as written; empty: not given.
struct JobOptions {
    std::vector<std::string> topologies;
    std::string nodes;
    std::string hosts;
    std::string ppn;
    std::string placement = "core";
    std::string order = "block";
    std::string network;
    std::string nic = "auto";
    std::string hierarchy;
    std::vector<std::string> given;  ///< the options on the command line, without their dashes
};

/// A wrong option: what() names it and what is allowed.
class UsageError : public std::runtime_error {
public:
    UsageError(const std::string& option, const std::string& message)
        : std::runtime_error("--" + option + ": " + message) {}
    explicit UsageError(const std::string& message) : std::runtime_error(message) {}
};

/// Adds --topology to --hierarchy to a command line; `options` must outlive the parsing.
void add_job_options(CLI::App& app, JobOptions& options);

/// Returns the first given option of add_job_options(), without its dashes, which has no effect on a
/// hierarchy from elsewhere (--from-dump); empty: none is given.
std::string given_job_option(const JobOptions& options);

}  // namespace strata::tool
