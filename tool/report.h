#pragma once
#include <string>

#include "job.h"

namespace strata::tool {

/// Returns the text above the tree: ranks, nodes and levels, then the NICs and leaders of every node;
/// equal nodes share an entry.
std::string report(const Job& job, const topology::Hierarchy& hierarchy);

}  // namespace strata::tool
