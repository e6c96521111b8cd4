#pragma once
#include <span>
#include <vector>

#include "strata/algorithms/link.h"
#include "strata/topology/hierarchy.h"

namespace strata::algorithms {

/// What the links of this hierarchy may be, the table as it is first. Values of levels above the nodes that
/// nobody gave (LinkTable::given) are guesses of their kind: the network may be narrower, its topmost links
/// alone may be, or the topmost links may be far longer. Inside a node, and where everything is given, there
/// is one table.
std::vector<LinkTable> possible_links(const topology::Hierarchy& hierarchy, const LinkTable& links);

/// Of ways to do the same thing: by how much each is at worst slower than the best one (1: always the best).
/// `us`: by way, the time under each of several circumstances, equally many for all.
std::vector<double> regrets(std::span<const std::vector<double>> us);

}  // namespace strata::algorithms
