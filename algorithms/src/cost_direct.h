#pragma once
#include <cstddef>

#include "strata/algorithms/link.h"
#include "strata/topology/hierarchy.h"

namespace strata::algorithms {

/// Predicted time in microseconds of a Gather of `bytes` bytes of equal blocks, every rank sending its own
/// one straight to `root`: what Open MPI's linear algorithm does.
double direct_gather_cost_us(const topology::Hierarchy& hierarchy, const LinkTable& links, std::size_t bytes,
                             int root);
/// The same for a Scatter, the root sending every block straight to its rank.
double direct_scatter_cost_us(const topology::Hierarchy& hierarchy, const LinkTable& links, std::size_t bytes,
                              int root);

}  // namespace strata::algorithms
