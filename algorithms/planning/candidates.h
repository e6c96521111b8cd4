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

/// Plans that are worth measuring, predicted fastest first: the model's own choice and the best one of every
/// engine that the collective has (trees with recursive doubling on top apart from others), and of others the
/// best that are predicted at most `within` (0.5: half) slower than the fastest of all, of every kind in
/// turn: with another shape on one level, other segments, other levels (all; nodes alone, which skip the
/// switches below the topmost; none inside nodes), or levels left to components that the model knows. What
/// `overrides` fixes stays fixed. `reason` tells what each is. Empty for operations whose size not all ranks
/// know. At most `most` plans, no two that do the same. Cost: some dozens of make_plan().
std::vector<Plan> candidate_plans(const topology::Hierarchy& hierarchy, const LinkTable& links,
                                  const Overrides& overrides, const Operation& operation, double within,
                                  std::size_t most = most_candidates);

/// Parameters, without coll_strata_ in front, that ask for a plan on its hierarchy: ("bcast_algorithm",
/// "tree"), ("bcast_level_algorithms", "switch0=chain:2,node=binomial,numa=skip"), ("bcast_segsize",
/// "switch0=61440,node=0").
std::vector<std::pair<std::string, std::string>> plan_parameters(const Plan& plan, Collective collective);

}  // namespace strata::algorithms
