#pragma once
#include <cstddef>
#include <vector>

#include "algorithms/base/plan.h"
#include "random.h"
#include "topology/hierarchy.h"

namespace strata::testing {

/// Limits of a random hierarchy.
struct ShapeLimits {
    int ranks = 64;  ///< 1..ranks
    int levels = 6;  ///< 1..levels on the longest branch
};

/// A random hierarchy: shuffled ranks, unequal branches that may skip levels, ranks that stop at any height,
/// groups of one, and leaders that are not the lowest rank. Consistent as build_hierarchy() would make it: a
/// group's leader leads the child that contains it.
topology::Hierarchy random_hierarchy(Random& random, const ShapeLimits& limits = {});

/// Levels of `counts.size()` heights: counts[0] children of the top, counts[1] children of each of these,
/// ...; the last count is ranks per lowest group. {3} is one group of three ranks. Ranks in block order,
/// lowest rank leads.
topology::Hierarchy regular_hierarchy(const std::vector<int>& counts);

/// `nodes` nodes of `size` ranks; ranks are assigned to nodes cyclically; the lowest rank leads.
topology::Hierarchy dealt_out(int nodes, int size);

/// The distinct levels, topmost first, found without Hierarchy::levels().
std::vector<topology::LevelKey> levels_of(const topology::Hierarchy& hierarchy);

/// Returns a tree plan with a random shape and segment size per level. Segments are around `bytes`: none,
/// or from 1 byte to more than `bytes`, with at most about 40 messages per edge. Windows are 1 to 6
/// messages, between nodes often more (Plan::network_window_bytes).
algorithms::Plan random_tree_plan(Random& random, const topology::Hierarchy& hierarchy, std::size_t bytes);

/// The same with rings on all or on most levels.
algorithms::Plan random_ring_plan(Random& random, const topology::Hierarchy& hierarchy, std::size_t bytes);

/// Returns a plan with the same method and segment size on every level.
algorithms::Plan uniform_plan(const topology::Hierarchy& hierarchy, const algorithms::LevelMethod& method,
                              std::size_t segment_bytes);

}  // namespace strata::testing
