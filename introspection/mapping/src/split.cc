#include "split.h"

#include <limits>

namespace strata::mapping {
namespace {

// Scotch's exact parts have the smaller cut on grids; parts with slack that are repaired afterwards have
// it on hypercube-like graphs.
constexpr double tolerances[] = {0.05, 0.0};

}  // namespace

double cut(const TrafficGraph& graph, const Parts& parts) {
    double weight = 0;
    for (int v = 0; v < graph.vertices(); ++v) {
        for (const Arc& arc : graph.of(v)) {
            if (parts[static_cast<std::size_t>(v)] != parts[static_cast<std::size_t>(arc.to)]) {
                weight += arc.weight;
            }
        }
    }
    return weight / 2;
}

Parts split(const TrafficGraph& graph, std::span<const int> sizes, const Effort& effort, const Parts& home) {
    Parts best;
    double least = std::numeric_limits<double>::infinity();
    const auto consider = [&](Parts parts) {
        fill_exactly(graph, sizes, parts);
        refine(graph, sizes, parts);
        const double weight = cut(graph, parts);
        if (weight < least) {
            least = weight;
            best = std::move(parts);
        }
    };
    if (!home.empty()) consider(home);
    if (least == 0) return best;
    consider(split_greedy(graph, sizes));
    if (effort.engine == Engine::greedy) return best;
    for (const double tolerance : tolerances) {
        for (int seed = 0; seed < effort.seeds; ++seed) {
            if (auto parts = split_scotch(graph, sizes, tolerance, seed)) consider(std::move(*parts));
        }
    }
    return best;
}

}  // namespace strata::mapping
