#pragma once
#include <cstdint>
#include <vector>

#include "topology/hierarchy.h"

namespace strata::topology {

/// A hierarchy with a root, independent of the numbering of its ranks.
struct CanonicalOrder {
    /// Hash of the structure: levels, oversubscription, and of each group the parts (children and direct
    /// ranks) by lowest member, beginning with its local root's; where ranks do not receive for themselves,
    /// also which ones do, and the place of the leader. Tree shapes and exchanges of the topmost group depend
    /// on nothing else, unless they keep the order of ranks. All orders of a regular machine's ranks have the
    /// same structure; of others, those that keep the sequence of unequal parts.
    std::uint64_t structure;
    /// The ranks of the parts in this sequence, part by part; the root is the first.
    std::vector<int> ranks;
};

/// The local root of a group is the root or, elsewhere, the leader. Cost: O(ranks + groups * depth).
CanonicalOrder canonical_order(const Hierarchy& hierarchy, int root);

/// Returns the hierarchy with its ranks renumbered: order.ranks[i] becomes rank i. Its topology order is the
/// order of ranks. The root leads the groups around it if their leaders do not matter. Equal structures give
/// equal hierarchies, apart from Group::object.
Hierarchy renumbered(const Hierarchy& hierarchy, const CanonicalOrder& order);

}  // namespace strata::topology
