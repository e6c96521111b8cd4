#include "strata/algorithms/algorithm.h"

#include <array>

namespace strata::algorithms {
namespace {

// In the order of the enumeration. Radix 4: Open MPI's own defaults for its chain fan-out and its k-nomial
// tree.
constexpr std::array<AlgorithmInfo, 11> table{{
    {Algorithm::automatic, "auto", false, false, 0},
    {Algorithm::linear, "linear", true, true, 0},
    {Algorithm::chain, "chain", true, true, 4},
    {Algorithm::pipeline, "pipeline", true, true, 0},
    {Algorithm::split_binary, "split_binary", false, false, 0},
    {Algorithm::binary, "binary", true, false, 0},
    {Algorithm::binomial, "binomial", true, true, 0},
    {Algorithm::knomial, "knomial", true, true, 4},
    {Algorithm::scatter_allgather, "scatter_allgather", false, false, 0},
    {Algorithm::scatter_allgather_ring, "scatter_allgather_ring", false, false, 0},
    {Algorithm::recursive_doubling, "recursive_doubling", false, true, 0},
}};

constexpr AlgorithmInfo component_info{Algorithm::component, "component", false, false, 0};

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

std::string known_algorithm_names() {
    std::string names;
    for (const AlgorithmInfo& entry : table) {
        if (!names.empty()) names += ", ";
        names += entry.name;
    }
    return names;
}

}  // namespace strata::algorithms
