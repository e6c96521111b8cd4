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
    int before = 0;                         ///< children combined before the own contribution
};

/// True when the members of every group are consecutive ranks: operations that do not commute can then be
/// reduced group by group.
bool consecutive_groups(const topology::Hierarchy& hierarchy);

/// `rank`'s edges of the tree of tree_links(), turned around: children of narrow levels, which arrive first,
/// are combined first. `rank_order`: a tree whose every subtree covers consecutive ranks, combined in rank
/// order; the lowest member of a group stands for it (not its leader), the root for its own ones; methods
/// that do not keep the order count as binomial. On consecutive_groups() the result is that of the serial
/// order; on others it is still the same for every leader election. All edges carry the segment size of the
/// topmost level: both ends of all streams cut alike. `half`: of carries_halves(), never with `rank_order`.
ReductionLinks reduction_links(const topology::Hierarchy& hierarchy, const Plan& plan, int root, int rank,
                               bool rank_order, Half half = Half::whole);

/// One rank's place in an exchange: trees below the topmost group, whose local roots (the core) exchange
/// among each other, so that a wide link is crossed once in each direction and at the same time.
struct ExchangeLinks {
    ReductionLinks below;           ///< parent.peer -1 for a member of the core
    std::vector<int> core;          ///< local roots of the topmost group; empty outside the core
    int position = -1;              ///< in `core`
    std::size_t segment_bytes = 0;  ///< of all edges, those among the core too
    int partner = -1;               ///< of a pair that takes part as one (halving_links())
    int window = 0;                 ///< messages in flight from member to member of the core, at least
};

/// The local roots of the topmost group, ascending by the lowest rank that each stands for.
std::vector<int> exchange_core(const topology::Hierarchy& hierarchy, const Plan& plan, bool rank_order);

/// As reduction_links(), without the edges of the topmost group. The core is that of exchange_core().
ExchangeLinks exchange_links(const topology::Hierarchy& hierarchy, const Plan& plan, int rank,
                             bool rank_order);

/// The same with the core in the order of a ring, which is that of a chain: along the hardware
/// (shape_members()). For operators that commute.
ExchangeLinks ring_links(const topology::Hierarchy& hierarchy, const Plan& plan, int rank);

/// One place in recursive halving.
struct HalvingPlace {
    int rank = -1;
    int partner = -1;  ///< another member of the core, which has no place of its own; -1: none
};

/// The places for recursive halving among the core, a power of two, which exchange in round i at a distance
/// of 2^i. Places next to each other are next to each other in the hierarchy, which matters where the core
/// comes from groups that are skipped: the long messages of the first rounds then stay inside these. Too many
/// members pair up, inside such a group wherever that makes a power of two of its places, larger groups
/// first:
///
///   skipped groups of 3 and 3 nodes:  (0 1) 2 | (3 4) 5      of 2 and 4:  0 1 | (2 3) (4 5)
std::vector<HalvingPlace> halving_places(const topology::Hierarchy& hierarchy, const Plan& plan);

/// The exchange among these places: `core` has their ranks, and is empty on a rank that has none, whose
/// `partner` has. For operators that commute.
ExchangeLinks halving_links(const topology::Hierarchy& hierarchy, const Plan& plan, int rank);

}  // namespace strata::algorithms
