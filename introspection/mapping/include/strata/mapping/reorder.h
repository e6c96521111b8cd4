#pragma once
#include <optional>
#include <string>
#include <vector>

#include "strata/mapping/estimate.h"
#include "strata/mapping/link_costs.h"
#include "strata/mapping/traffic_matrix.h"
#include "topology/hierarchy.h"

namespace strata::mapping {

/// The method that splits the ranks of a group among its children.
enum class Engine {
    scotch,  ///< the mapping library
    greedy,  ///< own method, for builds without Scotch
};

bool is_built_in(Engine engine);
/// Returns the default engine: "Scotch 7.0.3" or "greedy (built without Scotch)".
std::string engine_version();

struct ReorderOptions {
    LinkCosts costs;
    std::optional<Engine> engine;  ///< default: Scotch if built in
    /// Least estimated saving, as a fraction of the time, that applies a new order.
    double margin = 0.05;
};

struct Reordering {
    /// k of figure 1: process i of the old communicator gets rank k[i] in the new one, and does the work
    /// of rank k[i]. The identity unless `applied`.
    std::vector<int> permutation;
    bool applied = false;
    Estimate before;
    Estimate after;   ///< estimate of the best order found, applied or not
    std::string why;  ///< reason, as one sentence for users
};

/// Computes an order in which ranks that communicate much are near each other. From the top of the
/// hierarchy downwards it splits the ranks of a group among its children, which are filled exactly, with
/// a small cut; inside a lowest group ranks keep their place if possible. Never worse than the old
/// order, by distance and by time. Deterministic. Throws std::invalid_argument if the numbers of ranks
/// differ, or for an engine that is not built in. Cost: near O(depth * (ranks + flows) * log ranks).
/// Source: seed paper on introspection monitoring, section 5.
Reordering plan_reordering(const TrafficMatrix& traffic, const topology::Hierarchy& hierarchy,
                           const ReorderOptions& options = {});

/// Returns the permutation only.
std::vector<int> reorder(const TrafficMatrix& traffic, const topology::Hierarchy& hierarchy,
                         const ReorderOptions& options = {});

}  // namespace strata::mapping
