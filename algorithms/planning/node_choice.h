#pragma once
#include <cstddef>
#include <optional>

#include "algorithms/base/collective.h"
#include "algorithms/base/operation.h"
#include "algorithms/config/overrides.h"
#include "topology/hierarchy.h"

namespace strata::algorithms {

/// Returns the bytes from which on the node engine serves a collective faster than coll/tuned, as measured
/// (docs/results/inside-a-node.md); empty: at no size, or not measured. Not for reproducible
/// reductions, whose order the tree gives.
std::optional<std::size_t> served_by_node_from(const topology::Hierarchy& hierarchy, Collective collective);

/// Returns true if the node engine serves an operation that the user leaves open.
bool chooses_node(const topology::Hierarchy& hierarchy, const Overrides& overrides,
                  const Operation& operation);

}  // namespace strata::algorithms
