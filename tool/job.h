#pragma once
#include <string>
#include <vector>

#include "job_options.h"
#include "topology/hierarchy.h"
#include "topology/node_notes.h"

namespace strata::tool {

/// The lines of the text output about one node.
struct NodeFacts {
    std::string name;
    std::vector<std::string> lines;
};

/// A synthetic job.
struct Job {
    std::vector<topology::LocalityRecord> records;  ///< by rank
    topology::HierarchySpec spec;
    topology::NotesByNode notes;
    std::vector<NodeFacts> nodes;
    std::string warning;  ///< for standard error; empty: none
};

/// Builds the job of the options. Throws UsageError.
Job make_job(const JobOptions& options);

}  // namespace strata::tool
