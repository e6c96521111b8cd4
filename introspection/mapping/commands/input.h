#pragma once
#include <string>

#include "job_options.h"
#include "strata/mapping/link_costs.h"
#include "strata/mapping/traffic_matrix.h"
#include "topology/hierarchy.h"
#include "topology/picture.h"

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

/// MATRIX and all options for the machine.
void add_input_options(CLI::App& app, InputOptions& options);

struct Input {
    TrafficMatrix traffic;
    topology::Hierarchy hierarchy;
    topology::GroupNamer namer;  ///< of nodes and switches
    LinkCosts costs;
};

/// What a job wrote of its hierarchy. Throws topology::FileError.
topology::Hierarchy dumped_hierarchy(const std::string& file);

/// All but the traffic. Throws tool::UsageError.
Input load_machine(const InputOptions& options);
/// The traffic, for that machine. Throws tool::UsageError, or topology::FileError for the matrix.
void load_traffic(const InputOptions& options, Input& input);
/// Both.
Input load(const InputOptions& options);

}  // namespace strata::mapping
