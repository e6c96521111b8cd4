#include "algorithms/base/algorithm.h"

#include <array>

namespace strata::algorithms {
namespace {

// In the order of the enumeration. Radix 4 is Open MPI's default for its chain fan-out and its k-nomial
// tree.
using enum LevelTask;
constexpr auto table = std::to_array<AlgorithmInfo>({
    {Algorithm::automatic, "auto", false, {}, false, 0},
    {Algorithm::linear,
     "linear",
     true,
     {bcast, reduce, allreduce, allgather, allgatherv, gather, scatter, barrier},
     true,
     0},
    {Algorithm::chain, "chain", true, {bcast, reduce}, true, 4},
    {Algorithm::pipeline, "pipeline", true, {bcast, reduce}, true, 0},
    {Algorithm::split_binary, "split_binary", true, {bcast}, false, 0, true},
    {Algorithm::binary, "binary", true, {bcast, reduce}, false, 0},
    {Algorithm::binomial, "binomial", true, {bcast, reduce, gather, scatter}, true, 0},
    {Algorithm::knomial, "knomial", true, {bcast}, true, 4},
    {Algorithm::double_binary, "double_binary", true, {}, false, 0, true},
    {Algorithm::scatter_allgather, "scatter_allgather", false, {bcast}, false, 0},
    {Algorithm::scatter_allgather_ring, "scatter_allgather_ring", false, {bcast}, false, 0},
    {Algorithm::recursive_doubling, "recursive_doubling", false, {allreduce, allgather, barrier}, true, 0},
    {Algorithm::in_order_binary, "in_order_binary", true, {reduce}, true, 0},
    {Algorithm::rabenseifner, "rabenseifner", false, {reduce, allreduce}, true, 0},
    {Algorithm::ring, "ring", false, {allreduce, allgather, allgatherv}, false, 0},
    {Algorithm::segmented_ring, "segmented_ring", false, {allreduce}, false, 0},
    {Algorithm::nonoverlapping, "nonoverlapping", false, {allreduce}, true, 0},
    {Algorithm::bruck, "bruck", false, {allgather, allgatherv, barrier}, true, 0},
    {Algorithm::neighbor, "neighbor", false, {allgather, allgatherv}, true, 0},
    {Algorithm::two_proc, "two_proc", false, {allgather, allgatherv, barrier}, true, 0},
    {Algorithm::double_ring, "double_ring", false, {barrier}, true, 0},
    {Algorithm::recursive_tree, "tree", false, {barrier}, true, 0},
    {Algorithm::linear_sync, "linear_sync", false, {gather}, true, 0},
    {Algorithm::linear_nb, "linear_nb", false, {scatter}, true, 0},
    {Algorithm::skip, "skip", false, {}, false, 0},
});

constexpr AlgorithmInfo component_info{Algorithm::component, "component", false, {}, false, 0};

constexpr bool in_enumeration_order() {
    for (std::size_t i = 0; i < table.size(); ++i) {
        if (static_cast<std::size_t>(table[i].id) != i) return false;
    }
    return static_cast<std::size_t>(Algorithm::component) == table.size();
}
static_assert(in_enumeration_order());

}  // namespace

std::span<const AlgorithmInfo> all_algorithms() { return table; }

const AlgorithmInfo& info(Algorithm id) {
    const auto index = static_cast<std::size_t>(id);
    return index < table.size() ? table[index] : component_info;
}

std::optional<Algorithm> algorithm_from_name(std::string_view name) {
    for (const AlgorithmInfo& entry : table) {
        if (entry.name == name) return entry.id;
    }
    return std::nullopt;
}

std::string name_of(const LevelMethod& method) {
    if (method.algorithm == Algorithm::component) return method.component;
    const std::string name(info(method.algorithm).name);
    return method.radix > 0 ? name + ":" + std::to_string(method.radix) : name;
}

std::string known_algorithm_names() {
    std::string names;
    for (const AlgorithmInfo& entry : table) {
        if (!names.empty()) names += ", ";
        names += entry.name;
    }
    return names;
}

}  // namespace strata::algorithms
