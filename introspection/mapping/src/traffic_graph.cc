#include "traffic_graph.h"

#include <algorithm>

namespace strata::mapping {

TrafficGraph graph_of(const TrafficMatrix& traffic, double message_bytes) {
    const auto n = static_cast<std::size_t>(traffic.ranks());
    TrafficGraph graph;
    graph.begin.assign(n + 1, 0);
    for (const Flow& flow : traffic.flows()) {
        if (flow.from == flow.to) continue;
        ++graph.begin[static_cast<std::size_t>(flow.from) + 1];
        ++graph.begin[static_cast<std::size_t>(flow.to) + 1];
    }
    for (std::size_t i = 1; i <= n; ++i) graph.begin[i] += graph.begin[i - 1];
    graph.arcs.resize(graph.begin[n]);
    std::vector<std::size_t> next(graph.begin.begin(), graph.begin.end() - 1);
    for (const Flow& flow : traffic.flows()) {
        if (flow.from == flow.to) continue;
        const double weight =
            static_cast<double>(flow.bytes) + static_cast<double>(flow.messages) * message_bytes;
        graph.arcs[next[static_cast<std::size_t>(flow.from)]++] = {flow.to, weight};
        graph.arcs[next[static_cast<std::size_t>(flow.to)]++] = {flow.from, weight};
    }
    // Merge both directions of a pair into one arc.
    std::size_t kept = 0;
    for (std::size_t v = 0; v < n; ++v) {
        const auto first = graph.arcs.begin() + static_cast<std::ptrdiff_t>(graph.begin[v]);
        const auto last = graph.arcs.begin() + static_cast<std::ptrdiff_t>(next[v]);
        std::sort(first, last, [](const Arc& a, const Arc& b) { return a.to < b.to; });
        const std::size_t row = kept;
        for (auto arc = first; arc != last; ++arc) {
            if (kept > row && graph.arcs[kept - 1].to == arc->to) {
                graph.arcs[kept - 1].weight += arc->weight;
            } else {
                graph.arcs[kept++] = *arc;
            }
        }
        graph.begin[v] = row;
    }
    graph.begin[n] = kept;
    graph.arcs.resize(kept);
    return graph;
}

TrafficGraph induced(const TrafficGraph& graph, std::span<const int> vertices, std::vector<int>& scratch) {
    for (std::size_t i = 0; i < vertices.size(); ++i) {
        scratch[static_cast<std::size_t>(vertices[i])] = static_cast<int>(i);
    }
    TrafficGraph part;
    part.begin.reserve(vertices.size() + 1);
    for (const int vertex : vertices) {
        for (const Arc& arc : graph.of(vertex)) {
            const int to = scratch[static_cast<std::size_t>(arc.to)];
            if (to >= 0) part.arcs.push_back({to, arc.weight});
        }
        part.begin.push_back(part.arcs.size());
    }
    for (const int vertex : vertices) scratch[static_cast<std::size_t>(vertex)] = -1;
    return part;
}

}  // namespace strata::mapping
