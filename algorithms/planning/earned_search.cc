#include "algorithms/planning/earned_search.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace strata::algorithms {
namespace {

// A search rarely saves more than this (table in docs/design/planning.md).
constexpr double saved_share = 0.1;
// A call that lasts as long as the search is searched for at once: ten such calls would earn it.
constexpr double few_calls = 1 / saved_share;
constexpr double calls_of_a_reduction = 250;
constexpr double most_calls = 1e9;

// Fitted to the measured times. Most of the ranks above 256 have representatives in the model.
constexpr int ranks_known = 256;
constexpr double us_per_rank = 20;
constexpr double us_per_represented_rank = 6;

}  // namespace

double search_us(int ranks) {
    return std::min(ranks, ranks_known) * us_per_rank +
           std::max(ranks - ranks_known, 0) * us_per_represented_rank;
}

unsigned calls_before_search(const Operation& operation, int ranks, double call_us) {
    if (!(call_us > 0)) return 0;
    const double calls = std::min(search_us(ranks) / (call_us * saved_share), most_calls);
    if (!traits_of(operation.collective).combines)
        return calls < few_calls ? 0 : static_cast<unsigned>(calls);
    const bool is_short = operation.bytes <= longest_reduction_by_formulas;
    return is_short || calls > calls_of_a_reduction ? no_search : 0;
}

}  // namespace strata::algorithms
