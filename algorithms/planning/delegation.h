#pragma once
#include <optional>

#include "algorithms/base/link.h"
#include "algorithms/base/operation.h"
#include "algorithms/base/plan.h"
#include "algorithms/config/overrides.h"
#include "algorithms/planning/make_plan.h"
#include "topology/hierarchy.h"

namespace strata::algorithms {

/// A plan by the levels engine that is predicted faster than the plan in use, and its set-up cost.
struct Delegation {
    Plan plan;
    double gain_us = 0;   ///< per call
    double setup_us = 0;  ///< of creating the levels' communicators, once
    /// Returns true from the call on at which the earlier calls have lost as much as the set-up costs. The
    /// total loss against a choice with a known number of calls is then at most the set-up cost (ski-rental
    /// rule). Needs no fitted parameter, and all ranks count alike.
    bool pays(unsigned calls) const { return calls >= first_call; }
    /// The fewest calls after which it pays. An integer, because callers' rounding modes differ.
    unsigned first_call = fewest_calls(gain_us, setup_us);

private:
    static unsigned fewest_calls(double gain_us, double setup_us);
};

/// Returns the plan of the levels engine that is predicted fastest if coll/tuned or coll/libnbc, whose
/// messages the model knows, carry out each level; empty: none is modelled. `chosen`: of make_plan(). Cost:
/// eight predictions by levels_cost_us().
std::optional<Plan> fastest_by_components(const topology::Hierarchy& hierarchy, const LinkTable& links,
                                          const Operation& operation, const Plan& chosen);

/// Evaluates the levels engine for an open engine. Returns fastest_by_components() only if it is predicted
/// faster than `chosen` and the underlying component by more than the model's error. Conditions:
///  - the topmost level's latency and bandwidth were given: guesses do not justify communicators;
///  - between nodes (judge_unseen());
///  - a collective without a root: others need communicators for each root that leads none of its groups;
///  - no reduction: the same sum must have the same bits in every call.
std::optional<Delegation> evaluate_delegation(const topology::Hierarchy& hierarchy, const LinkTable& links,
                                              const Overrides& overrides, const Operation& operation,
                                              const Plan& chosen);

/// Returns the predicted time of creating one communicator per group and agreeing on them, us. One split per
/// level: an Allgather of colours and keys, three short Allreduces for the communicator's number. Two more
/// Allreduces in all. Selecting the components in each process is not included.
double delegation_setup_us(const topology::Hierarchy& hierarchy, const LinkTable& links);

}  // namespace strata::algorithms
