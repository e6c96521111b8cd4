#pragma once
#include "algorithms/base/link.h"
#include "algorithms/base/operation.h"
#include "algorithms/base/plan.h"
#include "algorithms/config/overrides.h"
#include "algorithms/planning/effort.h"
#include "topology/hierarchy.h"

namespace strata::algorithms {

struct PlanningFacts;  // planning_facts.h

/// Chooses engine, methods, skipped levels and segment sizes of an operation (docs/design/planning.md). All
/// inputs must be equal on all ranks. Overrides come first; the rest is what the cost model, or with
/// Effort::closed_form mostly formulas, predict to be fastest. An automatic engine becomes
///  - forward for Gatherv, Scatterv and without a hierarchy;
///  - tree for reproducible reductions;
///  - node where it was measured to be faster (node_choice.h);
///  - inside a node: tree if it is predicted clearly faster than the underlying component, else forward;
///  - between nodes: tree, ring or forward, by the robust choice over link scenarios (robust_choice.h).
/// The model never chooses the levels or rails engine. The underlying component (forward_us) is taken to be
/// Open MPI's coll/tuned 4.1. On more than 64 ranks predictions use representatives (reduce_by_symmetry()).
///
/// `facts`: of this hierarchy, kept from plan to plan, by any thread; null: made for this plan alone. Throws
/// std::invalid_argument with check()'s message. Local, without communication. Cost: O(ranks * depth) per
/// candidate plan, whose number depends on the number of levels only.
Plan make_plan(const topology::Hierarchy& hierarchy, const LinkTable& links, const Overrides& overrides,
               const Operation& operation, Effort effort = Effort::full, PlanningFacts* facts = nullptr);

/// A plan that the underlying component has not been compared with. Until weigh() its forward_us is infinite.
struct Proposal {
    Plan plan;    ///< Engine::forward if no prediction can change that
    Plan passed;  ///< the same operation passed through; both predictions are infinite
};

/// Returns the plan that formulas find fastest, as make_plan() with Effort::closed_form if the underlying
/// component took forever. weigh() (verdict.h) makes the comparison.
Proposal propose_by_formulas(const topology::Hierarchy& hierarchy, const LinkTable& links,
                             const Overrides& overrides, const Operation& operation, PlanningFacts& facts);

/// Returns why make_plan() passes a collective without overrides through at every size and root, or null if
/// these matter. Not for reproducible reductions.
const char* passed_at_every_size(const topology::Hierarchy& hierarchy, const LinkTable& links,
                                 Collective collective);

}  // namespace strata::algorithms
