#pragma once
#include <functional>
#include <string>

#include "job_options.h"
#include "strata/mapping/link_costs.h"
#include "strata/mapping/traffic_matrix.h"
#include "strata/topology/hierarchy.h"
#include "strata/topology/picture.h"

namespace strata::mapping {

/// What both commands read, as written.
struct InputOptions {
    std::string matrix;
    std::string input;
    std::string from_dump;
    std::string costs;
    std::string message_bytes;
    tool::JobOptions job;
};

/// Reads the command line; false after --help and --version, which it answers. Throws tool::UsageError.
bool parse_arguments(CLI::App& app, int argc, char** argv);

/// The exit status of a command: 0, or 2 for wrong options and files and 1 for all else that went wrong, with
/// one line on standard error.
int run_command(const std::string& command, const std::function<void()>& carry_out);

/// MATRIX and all options for the machine.
void add_input_options(CLI::App& app, InputOptions& options);

struct Input {
    TrafficMatrix traffic;
    topology::Hierarchy hierarchy;
    topology::GroupNamer namer;  ///< of nodes and switches
    LinkCosts costs;
};

/// Throws tool::UsageError, or topology::FileError for the matrix.
Input load(const InputOptions& options);

}  // namespace strata::mapping
