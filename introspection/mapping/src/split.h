#pragma once
#include <optional>
#include <span>
#include <vector>

#include "strata/mapping/reorder.h"
#include "traffic_graph.h"

namespace strata::mapping {

/// vertex -> part.
using Parts = std::vector<int>;

/// Engine and number of attempts of a split.
struct Effort {
    Engine engine = Engine::greedy;
    int seeds = 1;  ///< number of Scotch runs
};

/// Splits the vertices into parts of exactly these sizes (none is 0; their sum is the number of
/// vertices) with a small cut. `home`, if not empty, is a split to start from and to prefer among
/// equals. Returns the better result of Scotch and the greedy method.
Parts split(const TrafficGraph& graph, std::span<const int> sizes, const Effort& effort, const Parts& home);

/// Returns the weight of the arcs between parts, each pair once.
double cut(const TrafficGraph& graph, const Parts& parts);

/// Grows one part after the other from its heaviest vertex, along the heaviest arcs. Cost: O(arcs log
/// arcs).
Parts split_greedy(const TrafficGraph& graph, std::span<const int> sizes);

/// Splits by Scotch on one thread. Parts may be too large by the fraction `tolerance`; `seed` decides
/// among equals. Returns empty if Scotch fails; Scotch has then printed the reason.
std::optional<Parts> split_scotch(const TrafficGraph& graph, std::span<const int> sizes, double tolerance,
                                  int seed);
/// Returns "Scotch 7.0.3"; empty without Scotch.
std::string scotch_version();

/// Moves vertices out of parts that are too large, the cheapest moves first.
void fill_exactly(const TrafficGraph& graph, std::span<const int> sizes, Parts& parts);

/// Swaps pairs of vertices of different parts while that reduces the cut, with at most some tens of
/// visits per arc.
void refine(const TrafficGraph& graph, std::span<const int> sizes, Parts& parts);

}  // namespace strata::mapping
