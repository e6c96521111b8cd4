#pragma once
#include <optional>

#include "algorithms/base/link.h"
#include "algorithms/base/operation.h"
#include "algorithms/base/plan.h"
#include "algorithms/config/overrides.h"
#include "algorithms/openmpi_cost/rounds.h"
#include "algorithms/planning/make_plan.h"
#include "topology/hierarchy.h"

namespace strata::algorithms {

/// Whether a plan of ours is used, and the reason.
struct Verdict {
    bool take;
    const char* reason;
};
inline constexpr const char* no_gain = "no gain predicted over the underlying component";

/// Returns true for reductions whose order must not depend on the size. The underlying component's may.
bool fixed_order(const Operation& operation);

/// Returns the verdict if no prediction can change it.
std::optional<Verdict> judge_unseen(const Operation& operation, const topology::Hierarchy& hierarchy,
                                    const LinkTable& links);

/// Compares the predictions of a plan inside a node.
Verdict judge_inside(const Plan& plan, const topology::Hierarchy& hierarchy, const LinkTable& links,
                     Collective collective);

/// Returns the predicted time of the underlying component, with a far root; 0: not all ranks know the sizes.
double underlying_us(const topology::Hierarchy& hierarchy, const LinkTable& links, const Operation& operation,
                     FlatRounds& rounds);

/// Predicts what the underlying component takes. Returns the proposed plan if it is faster by more than the
/// model's error, or if the user or the order requires it, else the operation passed through.
Plan weigh(Proposal proposal, const topology::Hierarchy& hierarchy, const LinkTable& links,
           const Overrides& overrides, const Operation& operation, RoundCounts& counts);

}  // namespace strata::algorithms
