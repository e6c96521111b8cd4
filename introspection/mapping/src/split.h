#pragma once
#include <optional>
#include <span>
#include <vector>

#include "strata/mapping/reorder.h"
#include "traffic_graph.h"

namespace strata::mapping {

/// vertex -> part.
using Parts = std::vector<int>;

/// How splits are looked for.
struct Effort {
    Engine engine = Engine::greedy;
    int seeds = 1;  ///< Scotch is asked so many times
};

/// Splits the vertices into parts of exactly these sizes (their sum is the number of vertices, none is 0)
/// such that arcs between parts weigh little. `home`, if not empty, is a split to start from and to keep
/// among equals. Scotch and the plain method compete.
Parts split(const TrafficGraph& graph, std::span<const int> sizes, const Effort& effort, const Parts& home);

/// Weight of the arcs between parts, every pair once.
double cut(const TrafficGraph& graph, const Parts& parts);

/// One part after the other grows from its heaviest vertex, along the heaviest ties. Cost: O(arcs log arcs).
Parts split_greedy(const TrafficGraph& graph, std::span<const int> sizes);

/// By Scotch; `tolerance` is by what part of their size parts may be too large, `seed` decides among equals.
/// Empty where Scotch refuses: it has said why. Its own threads are not used.
std::optional<Parts> split_scotch(const TrafficGraph& graph, std::span<const int> sizes, double tolerance,
                                  int seed);
/// "Scotch 7.0.3"; empty without it.
std::string scotch_version();

/// Moves vertices out of parts that are too large, those first that lose least.
void fill_exactly(const TrafficGraph& graph, std::span<const int> sizes, Parts& parts);

/// Swaps pairs of vertices of different parts while that makes the cut smaller and the work stays within a
/// bound: some tens of looks at every arc.
void refine(const TrafficGraph& graph, std::span<const int> sizes, Parts& parts);

}  // namespace strata::mapping
