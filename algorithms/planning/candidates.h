#pragma once
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/base/collective.h"
#include "algorithms/base/link.h"
#include "algorithms/base/operation.h"
#include "algorithms/base/plan.h"
#include "algorithms/config/overrides.h"
#include "algorithms/planning/make_plan.h"
#include "topology/hierarchy.h"

namespace strata::algorithms {

inline constexpr std::size_t most_candidates = 12;

/// Returns plans that are worth measuring, predicted fastest first: the model's choice, and the best plan of
/// each engine (trees with an exchange on top separately; the node engine, whose time is unknown, inside a
/// node). Then, of each kind in turn, the best plans
/// predicted at most `within` (0.5: half) slower than the fastest: other shapes on one level, other segments,
/// other levels (all; without switches below the topmost level; none inside nodes), levels by components with
/// a model. `overrides` stay in force. Plan::reason describes each plan. Empty for operations whose size not
/// every rank knows. At most `most` plans, all different. Cost: some dozens of make_plan().
std::vector<Plan> candidate_plans(const topology::Hierarchy& hierarchy, const LinkTable& links,
                                  const Overrides& overrides, const Operation& operation, double within,
                                  std::size_t most = most_candidates);

/// Returns parameters, without the prefix coll_strata_, that request the plan on its hierarchy:
/// ("bcast_algorithm", "tree"), ("bcast_level_algorithms", "switch0=chain:2,node=binomial,numa=skip"),
/// ("bcast_segsize", "switch0=61440,node=0").
std::vector<std::pair<std::string, std::string>> plan_parameters(const Plan& plan, Collective collective);

}  // namespace strata::algorithms
