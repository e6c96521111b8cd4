#pragma once
#include <optional>
#include <string>
#include <vector>

#include "strata/mapping/estimate.h"
#include "strata/mapping/link_costs.h"
#include "strata/mapping/traffic_matrix.h"
#include "topology/hierarchy.h"

namespace strata::mapping {

/// What splits the ranks of a group among its children.
enum class Engine {
    scotch,  ///< the mapping library
    greedy,  ///< a few lines of this project, for builds without it
};

bool is_built_in(Engine engine);
/// "Scotch 7.0.3" or "greedy (built without Scotch)": the engine that is used unless told otherwise.
std::string engine_version();

struct ReorderOptions {
    LinkCosts costs;
    std::optional<Engine> engine;  ///< Scotch where it is built in
    /// A new order is taken only if it is estimated to save at least this part of the time.
    double margin = 0.05;
};

struct Reordering {
    /// k of figure 1: process i of the old communicator gets rank k[i] in the new one, and thereby does what
    /// rank k[i] did. The identity unless `applied`.
    std::vector<int> permutation;
    bool applied = false;
    Estimate before;
    Estimate after;   ///< of the best order that was found, applied or not
    std::string why;  ///< one sentence for people
};

/// Finds the order of ranks in which those that talk much are near each other. From the top of the hierarchy
/// downwards the ranks of a group are split among its children, which have to be filled exactly, so that
/// little crosses; inside a lowest group ranks stay where they are if they can. Never worse than the old
/// order, by distance and by time. The same input gives the same answer. Throws std::invalid_argument where
/// the numbers of ranks differ, or for an engine that is not built in. Cost: near O(depth * (ranks + flows) *
/// log ranks). Source: seed paper on introspection monitoring, section 5.
Reordering plan_reordering(const TrafficMatrix& traffic, const topology::Hierarchy& hierarchy,
                           const ReorderOptions& options = {});

/// Only k.
std::vector<int> reorder(const TrafficMatrix& traffic, const topology::Hierarchy& hierarchy,
                         const ReorderOptions& options = {});

}  // namespace strata::mapping
