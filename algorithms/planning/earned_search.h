#pragma once
#include <cstddef>
#include <limits>

#include "algorithms/base/operation.h"

namespace strata::algorithms {

/// Returns the estimated CPU time of make_plan() with Effort::full, us. Fitted to bench/programs' plan_cost
/// (0.07 to 0.5 ms for 16 ranks, 3 to 20 ms for 1,024, 40 to 100 ms for 16,384); inside one node searches
/// take less.
double search_us(int ranks);

/// The plan is final: no search follows.
inline constexpr unsigned no_search = std::numeric_limits<unsigned>::max();

/// Reductions up to here keep their plan by formulas, bytes.
inline constexpr std::size_t longest_reduction_by_formulas = 4096;

/// Returns after how many calls the full search replaces the plan by formulas: when it costs a tenth of their
/// predicted time, more than which it rarely saves. 0: search before the first call, if a call takes longer
/// than the search or has no prediction. All ranks get the same number.
///
/// Reductions keep their first plan, because the same sum must have the same bits in every call. Up to
/// longest_reduction_by_formulas: no_search. Above: 0 if 250 calls earn the search, else no_search.
/// `operation`: the representative of its class. `call_us`: predicted for the plan by formulas.
unsigned calls_before_search(const Operation& operation, int ranks, double call_us);

}  // namespace strata::algorithms
