#include "split.h"

#ifdef STRATA_SCOTCH
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>

#include <scotch.h>

namespace strata::mapping {
namespace {

// Scotch adds arc weights in its own integers, also differences of several sums.
constexpr double most_weight = 1 << 28;

template <class Object, void (*end)(Object*)>
struct Ending {
    void operator()(Object* object) const {
        end(object);
        SCOTCH_memFree(object);
    }
};
using Graph = std::unique_ptr<SCOTCH_Graph, Ending<SCOTCH_Graph, SCOTCH_graphExit>>;
using Arch = std::unique_ptr<SCOTCH_Arch, Ending<SCOTCH_Arch, SCOTCH_archExit>>;
using Strategy = std::unique_ptr<SCOTCH_Strat, Ending<SCOTCH_Strat, SCOTCH_stratExit>>;
using Context = std::unique_ptr<SCOTCH_Context, Ending<SCOTCH_Context, SCOTCH_contextExit>>;

template <class Owner, class Object>
Owner made(Object* object, int (*init)(Object*)) {
    if (object == nullptr) return Owner();
    if (init(object) != 0) {
        SCOTCH_memFree(object);
        return Owner();
    }
    return Owner(object);
}

/// The graph in Scotch's integers; must outlive the SCOTCH_Graph built on it.
struct Arrays {
    std::vector<SCOTCH_Num> begin, to, weight;
};

/// Scales weights into the range; the lightest arcs have at least weight 1.
Arrays arrays_of(const TrafficGraph& graph) {
    double sum = 0;
    for (const Arc& arc : graph.arcs) sum += arc.weight;
    const double scale = sum > 0 ? most_weight / sum : 1;
    Arrays arrays;
    for (const std::size_t begin : graph.begin) arrays.begin.push_back(static_cast<SCOTCH_Num>(begin));
    for (const Arc& arc : graph.arcs) {
        arrays.to.push_back(arc.to);
        arrays.weight.push_back(static_cast<SCOTCH_Num>(std::max(1.0, std::floor(arc.weight * scale))));
    }
    return arrays;
}

/// An own context restricts Scotch to this thread and isolates its seed.
Context make_context(int seed) {
    Context context = made<Context>(SCOTCH_contextAlloc(), SCOTCH_contextInit);
    if (!context || SCOTCH_contextOptionSetNum(context.get(), SCOTCH_OPTIONNUMDETERMINISTIC, 1) != 0 ||
        SCOTCH_contextThreadSpawn(context.get(), 1, nullptr) != 0) {
        return Context();
    }
    SCOTCH_contextRandomSeed(context.get(), seed + 1);
    SCOTCH_contextRandomReset(context.get());
    return context;
}

}  // namespace

std::string scotch_version() {
    int version = 0, release = 0, patch = 0;
    SCOTCH_version(&version, &release, &patch);
    return "Scotch " + std::to_string(version) + "." + std::to_string(release) + "." + std::to_string(patch);
}

std::optional<Parts> split_scotch(const TrafficGraph& graph, std::span<const int> sizes, double tolerance,
                                  int seed) {
    if (graph.arcs.size() > static_cast<std::size_t>(most_weight)) return std::nullopt;
    Arrays arrays = arrays_of(graph);
    const std::vector<SCOTCH_Num> loads(sizes.begin(), sizes.end());
    const auto parts = static_cast<SCOTCH_Num>(sizes.size());
    const Context context = make_context(seed);
    const Graph plain = made<Graph>(SCOTCH_graphAlloc(), SCOTCH_graphInit);
    const Graph bound = made<Graph>(SCOTCH_graphAlloc(), SCOTCH_graphInit);
    const Arch arch = made<Arch>(SCOTCH_archAlloc(), SCOTCH_archInit);
    const Strategy strategy = made<Strategy>(SCOTCH_stratAlloc(), SCOTCH_stratInit);
    if (!context || !plain || !bound || !arch || !strategy) return std::nullopt;
    const SCOTCH_Num flags = SCOTCH_STRATQUALITY | SCOTCH_STRATBALANCE | SCOTCH_STRATRECURSIVE;
    Parts found(static_cast<std::size_t>(graph.vertices()));
    std::vector<SCOTCH_Num> part_of(found.size());
    if (SCOTCH_graphBuild(plain.get(), 0, graph.vertices(), arrays.begin.data(), nullptr, nullptr, nullptr,
                          arrays.begin.back(), arrays.to.data(), arrays.weight.data()) != 0 ||
        SCOTCH_contextBindGraph(context.get(), plain.get(), bound.get()) != 0 ||
        SCOTCH_archCmpltw(arch.get(), parts, loads.data()) != 0 ||
        SCOTCH_stratGraphMapBuild(strategy.get(), flags, parts, tolerance) != 0 ||
        SCOTCH_graphMap(bound.get(), arch.get(), strategy.get(), part_of.data()) != 0) {
        return std::nullopt;
    }
    for (std::size_t v = 0; v < found.size(); ++v) {
        if (part_of[v] < 0 || part_of[v] >= parts) return std::nullopt;
        found[v] = static_cast<int>(part_of[v]);
    }
    return found;
}

}  // namespace strata::mapping

#else

namespace strata::mapping {

std::string scotch_version() { return {}; }
std::optional<Parts> split_scotch(const TrafficGraph&, std::span<const int>, double, int) {
    return std::nullopt;
}

}  // namespace strata::mapping
#endif
