#pragma once
#include <optional>
#include <vector>

#include "algorithms/base/link.h"
#include "topology/hierarchy.h"

namespace strata::algorithms {

struct PossibleLinks {
    std::vector<LinkTable> tables;
    std::optional<std::size_t> wide;  ///< index in `tables`: uplinks that never slow down the nodes' data
};

/// Returns the link scenarios of this hierarchy, the given table first. Only guessed values vary, those
/// without an entry in LinkTable::given: a narrower network; a narrower topmost level; uplinks as wide as all
/// NICs together (a non-blocking fat tree); a topmost level with a much longer latency; higher message
/// overheads, as on shared processors. One table inside a node, or if all values were given.
PossibleLinks possible_links(const topology::Hierarchy& hierarchy, const LinkTable& links);

}  // namespace strata::algorithms
