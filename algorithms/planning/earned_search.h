#pragma once
#include <limits>

#include "algorithms/base/operation.h"

namespace strata::algorithms {

/// Returns the estimated CPU time of make_plan() with Effort::full, us. Measured (bench plan_cost): 70 to 500
/// us for 16 ranks, 0.6 to 5 ms for 128, 3 to 20 ms for 1,024, 50 to 150 ms for 10,240.
double search_us(int ranks);

inline constexpr unsigned no_search = std::numeric_limits<unsigned>::max();

/// Returns the number of calls after which the full search replaces the plan of Effort::closed_form: then a
/// tenth of their time, which the search may have saved, is what it costs (the rule of Delegation::pays()).
/// 0: before the first call, if that lasts as long as the search. All ranks count alike.
///
/// The same sum must have the same bits in every call, so reductions keep their first plan. Up to 4 KiB (the
/// smallest size of the class counts) it is the one of the formulas (no_search); a longer reduction is
/// searched for before its first call if a thousand calls earn that. `call_us`: predicted time of a call with
/// the plan of the formulas.
unsigned calls_before_search(const Operation& operation, int ranks, double call_us);

}  // namespace strata::algorithms
