#pragma once
#include <string>

#include "job_options.h"
#include "strata/mapping/link_costs.h"
#include "strata/mapping/traffic_matrix.h"
#include "topology/hierarchy.h"
#include "topology/picture.h"

namespace strata::mapping {

/// Options of both commands, unparsed.
struct InputOptions {
    std::string matrix;
    std::string input;
    std::string from_dump;
    std::string costs;
    std::string message_bytes;
    tool::JobOptions job;
};

/// Adds MATRIX and all options of the machine.
void add_input_options(CLI::App& app, InputOptions& options);

struct Input {
    TrafficMatrix traffic;
    topology::Hierarchy hierarchy;
    topology::GroupNamer namer;  ///< names nodes and switches
    LinkCosts costs;
};

/// Reads a hierarchy that a job dumped. Throws topology::FileError.
topology::Hierarchy dumped_hierarchy(const std::string& file);

/// Returns everything but the traffic. Throws tool::UsageError.
Input load_machine(const InputOptions& options);
/// Loads the traffic for that machine. Throws tool::UsageError, or topology::FileError for the matrix.
void load_traffic(const InputOptions& options, Input& input);
/// Loads machine and traffic.
Input load(const InputOptions& options);

}  // namespace strata::mapping
