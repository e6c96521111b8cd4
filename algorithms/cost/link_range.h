#pragma once
#include <optional>
#include <vector>

#include "algorithms/base/link.h"
#include "topology/hierarchy.h"

namespace strata::algorithms {

struct PossibleLinks {
    std::vector<LinkTable> tables;
    std::optional<std::size_t> wide;  ///< among them: uplinks that never slow down what the nodes send
};

/// What the links of this hierarchy may be, the table as it is first. Values of levels above the nodes that
/// nobody gave (LinkTable::given) are guesses of their kind: the network may be narrower, its topmost links
/// alone may be, or the uplinks may be as wide as all NICs together (a fat tree without blocking), or the
/// topmost links may be far longer. So is what a message costs a processor: ranks may have to share them.
/// Inside a node, and where everything is given, there is one table.
PossibleLinks possible_links(const topology::Hierarchy& hierarchy, const LinkTable& links);

}  // namespace strata::algorithms
