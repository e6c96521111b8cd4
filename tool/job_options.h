#pragma once
#include <stdexcept>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace strata::tool {

/// What the user said of a job's machine and ranks, as written; empty: not given.
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

/// An option that cannot be fulfilled: what() names it and says what is allowed.
class UsageError : public std::runtime_error {
public:
    UsageError(const std::string& option, const std::string& message)
        : std::runtime_error("--" + option + ": " + message) {}
    explicit UsageError(const std::string& message) : std::runtime_error(message) {}
};

/// --topology to --hierarchy, for a command's command line; `options` must outlive the parsing.
void add_job_options(CLI::App& app, JobOptions& options);

/// The first option, without its dashes, that a hierarchy from elsewhere (--from-dump) would leave without
/// effect, on a command line that add_job_options() reads; empty: none is given.
std::string given_job_option(const JobOptions& options);

}  // namespace strata::tool
