#pragma once
#include "algorithms/base/algorithm.h"
#include "algorithms/base/collective.h"

namespace strata::algorithms {

/// What the groups of the levels engine are asked to do for a collective. A level's method has to know one of
/// these tasks by its name; the others on that level are done by a default.
struct CollectiveTasks {
    LevelTasks topmost;
    LevelTasks below;
};
CollectiveTasks tasks_of(Collective collective);

/// True where the tree engine's topmost level may exchange by this method: whole vectors, or blocks, by
/// recursive doubling, halves of vectors that are reduced by Rabenseifner's algorithm.
bool exchanges_by(Algorithm algorithm, const CollectiveTraits& traits);

/// True where vectors can go in two halves, each along a tree of its own (carries_halves()).
constexpr bool may_go_in_halves(const CollectiveTraits& traits) {
    return !traits.blocks && (traits.rooted || traits.folds);
}

}  // namespace strata::algorithms
