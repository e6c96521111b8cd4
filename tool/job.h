#pragma once
#include <string>
#include <vector>

#include "job_options.h"
#include "topology/hierarchy.h"
#include "topology/node_notes.h"

namespace strata::tool {

/// What the text says about one node.
struct NodeFacts {
    std::string name;
    std::vector<std::string> lines;
};

/// A job that nobody runs.
struct Job {
    std::vector<topology::LocalityRecord> records;  ///< by rank
    topology::HierarchySpec spec;
    topology::NotesByNode notes;
    std::vector<NodeFacts> nodes;
    std::string warning;  ///< for standard error; empty: none
};

/// Throws UsageError.
Job make_job(const JobOptions& options);

}  // namespace strata::tool
