#pragma once
#include <string>

#include "job.h"

namespace strata::tool {

/// What stands above the tree in text: ranks, nodes and levels, then every node's NICs and who leads there,
/// nodes of which the same is true together.
std::string report(const Job& job, const topology::Hierarchy& hierarchy);

}  // namespace strata::tool
