#pragma once
#include <vector>

#include "algorithms/base/plan.h"
#include "algorithms/patterns/tree.h"
#include "topology/hierarchy.h"

namespace strata::algorithms {

/// One rank's place in a reduction tree. The rank combines children[0..before), then its own contribution,
/// then the other children, each as the right operand: this order is the order of the result.
struct ReductionLinks {
    TreeLinks::Edge parent;                 ///< peer -1 at the root
    std::vector<TreeLinks::Edge> children;  ///< in the order in which they are combined
    int before = 0;                         ///< children combined before the rank's own contribution
};

/// Returns true if the members of every group are consecutive ranks. Operations that do not commute can
/// then be reduced group by group.
bool consecutive_groups(const topology::Hierarchy& hierarchy);

/// Returns `rank`'s edges in the tree of tree_links(), reversed: children of narrow levels arrive first
/// and are combined first. All edges have the segment size of the topmost level, so that all streams are
/// cut alike. `half`: see has_double_tree(); never with `rank_order`.
///
/// `rank_order`: every subtree covers consecutive ranks and is combined in rank order. The local root of a
/// group is its lowest member, not its leader (in the root's groups: the root). Methods that do not keep
/// the order become binomial. On consecutive_groups() the result has the serial order; on others it is
/// still the same for every leader election.
///
/// Cost: that of the tree (shape.h), plus gamma per byte combined at each hop.
ReductionLinks reduction_links(const topology::Hierarchy& hierarchy, const Plan& plan, int root, int rank,
                               bool rank_order, Half half = Half::whole);

/// One rank's place in an exchange: trees below the topmost group, whose local roots (the core) exchange
/// with each other. A wide link is crossed once in each direction, at the same time.
struct ExchangeLinks {
    ReductionLinks below;           ///< parent.peer -1 for a member of the core
    std::vector<int> core;          ///< local roots of the topmost group; empty outside the core
    int position = -1;              ///< index in `core`; -1: outside
    std::size_t segment_bytes = 0;  ///< of all edges, including those in the core
    int partner = -1;  ///< the other rank of a pair that has one place (halving_links()); -1: none
    int window = 0;    ///< least number of messages in flight between members of the core
};

/// Returns the local roots of the topmost group as participants() orders them: those of a skipped group side
/// by side, so that the first rounds stay inside groups that are powers of two. `rank_order`: ascending by the lowest rank that each
/// represents.
std::vector<int> exchange_core(const topology::Hierarchy& hierarchy, const Plan& plan, bool rank_order);

/// As reduction_links(), without the edges of the topmost group; the core is exchange_core().
ExchangeLinks exchange_links(const topology::Hierarchy& hierarchy, const Plan& plan, int rank,
                             bool rank_order);

/// The same with the core in ring order, which is the topology order of a chain (shape_members()). For
/// operations that commute.
ExchangeLinks ring_links(const topology::Hierarchy& hierarchy, const Plan& plan, int rank);

/// One place of recursive halving.
struct HalvingPlace {
    int rank = -1;
    int partner = -1;  ///< a member of the core without a place of its own; -1: none
};

/// Returns the places of recursive halving among the core: a power of two, which exchange in round i at
/// distance 2^i. Neighbouring places are neighbours in the hierarchy: where the core comes from skipped
/// groups, the long messages of the first rounds stay inside these. Surplus members form pairs, larger
/// groups first, inside a group wherever that makes its places a power of two:
///
///   skipped groups of 3 and 3 nodes:  (0 1) 2 | (3 4) 5      of 2 and 4:  0 1 | (2 3) (4 5)
std::vector<HalvingPlace> halving_places(const topology::Hierarchy& hierarchy, const Plan& plan);

/// The exchange among these places: `core` has their ranks. On a rank without a place `core` is empty, and
/// `partner` is the rank with the place. For operations that commute.
ExchangeLinks halving_links(const topology::Hierarchy& hierarchy, const Plan& plan, int rank);

}  // namespace strata::algorithms
