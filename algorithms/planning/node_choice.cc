#include "algorithms/planning/node_choice.h"

#include <algorithm>

namespace strata::algorithms {
namespace {

/// What was measured, all blocks together; the first row that fits: two ranks with a processor each; 4 and 16
/// ranks that share two processors.
struct Measured {
    Collective collective;
    int most_ranks;
    std::size_t from;  ///< bytes
};
constexpr Measured measured[] = {
    {Collective::barrier, 16, 0},   {Collective::allreduce, 16, 0}, {Collective::bcast, 16, 1024},
    {Collective::reduce, 4, 1024},  // 16 ranks, root 0: tuned is faster from 1 MiB on
    {Collective::allgather, 16, 0}, {Collective::gather, 4, 1024},  {Collective::gather, 16, 8192},
    {Collective::scatter, 4, 1024},  // 16 ranks: tuned is faster from 512 KiB on
};

}  // namespace

std::optional<std::size_t> served_by_node_from(const topology::Hierarchy& hierarchy, Collective collective) {
    if (topology::is_network(hierarchy.groups.front())) return std::nullopt;
    const auto* const found = std::ranges::find_if(measured, [&](const Measured& one) {
        return one.collective == collective && hierarchy.ranks() <= one.most_ranks;
    });
    return found == std::end(measured) ? std::nullopt : std::optional(found->from);
}

bool chooses_node(const topology::Hierarchy& hierarchy, const Overrides& overrides,
                  const Operation& operation) {
    const bool open =
        overrides.engine == Engine::automatic && overrides.methods.empty() && overrides.segments.empty();
    if (!open || !operation.on_boards || operation.reproducible) return false;
    const auto from = served_by_node_from(hierarchy, operation.collective);
    return from && operation.bytes >= *from;
}

}  // namespace strata::algorithms
