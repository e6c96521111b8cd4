#pragma once
#include "strata/algorithms/plan.h"
#include "strata/algorithms/selector.h"

namespace strata::algorithms {

/// Ranks per processor, where this decides how the previous component carries an operation: the Allreduce of
/// one node. 1 elsewhere.
double crowding_of(const topology::Hierarchy& hierarchy, const Operation& operation);

/// Lets a forward plan of an Allreduce inside a crowded node be carried out as Reduce and Bcast
/// (Plan::composed) where that is predicted to take at least needed_gain less. Where ranks have processors of
/// their own an Allreduce that exchanges gives every rank its part of the work; where they share few, that
/// work takes turns, and what has fewer messages wins. Never where the order of a reduction is fixed for all
/// sizes; one that follows the ranks is kept by MPI_Reduce. Cost: that of forward_cost_us().
void compose(Plan& plan, const topology::Hierarchy& hierarchy, const LinkTable& links,
             const Operation& operation);

}  // namespace strata::algorithms
