#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "strata/mapping/traffic_matrix.h"

namespace strata::mapping {

struct Arc {
    int to = 0;
    double weight = 0;  ///< both directions together
};

/// Undirected traffic graph without loops; every arc has its reverse with the same weight.
struct TrafficGraph {
    std::vector<std::size_t> begin{0};  ///< first arc by vertex; last entry: the end
    std::vector<Arc> arcs;

    int vertices() const { return static_cast<int>(begin.size()) - 1; }
    std::span<const Arc> of(int vertex) const {
        const std::size_t from = begin[static_cast<std::size_t>(vertex)];
        return std::span(arcs).subspan(from, begin[static_cast<std::size_t>(vertex) + 1] - from);
    }
};

/// Returns a graph with a vertex per rank; a message weighs as much as `message_bytes` bytes.
TrafficGraph graph_of(const TrafficMatrix& traffic, double message_bytes);

/// Returns the subgraph of `vertices`; the i-th becomes vertex i. `scratch` has graph.vertices()
/// entries, all -1, before and after.
TrafficGraph induced(const TrafficGraph& graph, std::span<const int> vertices, std::vector<int>& scratch);

}  // namespace strata::mapping
