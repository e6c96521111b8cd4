#pragma once
#include <optional>

#include "algorithms/base/link.h"
#include "algorithms/base/operation.h"
#include "algorithms/base/plan.h"
#include "algorithms/config/overrides.h"
#include "algorithms/planning/make_plan.h"
#include "topology/hierarchy.h"

namespace strata::algorithms {

/// A plan by the levels engine that is predicted faster than the one in use, and what it costs to begin.
struct Delegation {
    Plan plan;
    double gain_us = 0;   ///< per call
    double setup_us = 0;  ///< of making the levels' communicators, once
    /// Whether to change the plan at the call after so many: as soon as the calls so far have missed as much
    /// as making the communicators costs. Whenever a program ends, it has lost no more than that against who
    /// knew the number of its calls (the ski-rental rule). Nothing is fitted, and every rank counts the same.
    bool pays(unsigned calls) const { return calls >= first_call; }
    /// The fewest calls after which it pays: a whole number, since callers round as they like.
    unsigned first_call = fewest_calls(gain_us, setup_us);

private:
    static unsigned fewest_calls(double gain_us, double setup_us);
};

/// Weighs the levels engine where the user left the engine open: every level by coll/tuned or coll/libnbc,
/// whose messages are known. Empty unless it is predicted faster than `chosen` (of make_plan()), and than the
/// underlying component, by more than the model's error. Only where latency and bandwidth of the topmost
/// level were given (by a tuner, say): communicators are not made on a guess. Between nodes only
/// (judge_unseen()), and only for collectives without a root: those with one need communicators for every
/// root that leads none of its groups. Never for reductions: the same sum must have the same bits at every
/// call. Cost: that of eight predictions by levels_cost_us().
std::optional<Delegation> weigh_delegation(const topology::Hierarchy& hierarchy, const LinkTable& links,
                                           const Overrides& overrides, const Operation& operation,
                                           const Plan& chosen);

/// Predicted time of making one communicator per group and agreeing on them, us: a split per level, which is
/// an Allgather of colours and keys and three short Allreduces about the communicator's number, and two more
/// Allreduces in all. Selecting the components in each process is not counted.
double delegation_setup_us(const topology::Hierarchy& hierarchy, const LinkTable& links);

}  // namespace strata::algorithms
