#pragma once
#include <span>
#include <vector>

#include "strata/topology/locality_record.h"

namespace strata::topology {

/// Moves, in every node's part of a walk (place -> rank), the process nearest to a card of `use` to the front
/// and the next nearest one to the end. `nodes`: where the parts begin. A node without known distances, and
/// an only node, stays as it is.
void set_walk_ends(std::vector<int>& walk, const std::vector<int>& nodes,
                   std::span<const LocalityRecord> records, CardUse use);

}  // namespace strata::topology
