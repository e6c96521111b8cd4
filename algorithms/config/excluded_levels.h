#pragma once
#include <string>
#include <vector>

#include "algorithms/base/operation.h"
#include "algorithms/base/plan.h"
#include "algorithms/config/overrides.h"
#include "topology/hierarchy.h"

namespace strata::algorithms {

/// True for reductions whose order must not change: no level may be left out of them.
bool keeps_order(const Operation& operation);

/// True of the level by which nodes stand apart.
bool divides_nodes(const topology::Hierarchy& hierarchy, topology::LevelKey level);

/// True where it is worth a look what all ranks can do alike: where they share processors it is the same work
/// in more messages.
bool can_all_take_part(const topology::Hierarchy& hierarchy);

/// True of what loads all its members alike: a ring, an exchange of halves, and a chain to or from a root.
/// Nodes need no leaders there.
bool may_be_among_all(Algorithm algorithm, const Operation& operation);

/// What rules ask to skip (Algorithm::skip) on a hierarchy.
struct SkipWords {
    std::vector<topology::LevelKey> levels;  ///< those that can be skipped, topmost first
    std::vector<Source> sources;             ///< one per level
    std::string passed_over;                 ///< "; skip is not for node, which divides nodes", or empty
};

/// The topmost level stays, and so does one by which nodes stand apart: who is near a node's NIC speaks for
/// the node, unless a rule has all ranks take part alike on the topmost level. All others can be skipped:
/// switches below the topmost one, and what is inside nodes. None in a reduction that keeps an order. The
/// first rule that a level can have decides, as for other methods.
SkipWords skip_words(const topology::Hierarchy& hierarchy, const Overrides& overrides,
                     const Operation& operation);

/// Enters what is skipped, in the order of the hierarchy, and who said so. Throws std::logic_error where that
/// is the topmost level: its parts would be left alone.
void set_skipped(Plan& plan, const topology::Hierarchy& hierarchy,
                 const std::vector<topology::LevelKey>& skipped, const SkipWords& words);

}  // namespace strata::algorithms
