#pragma once
// A choice as lines of the log (coll_strata_verbose).
#include <cstddef>
#include <string>

#include "algorithms/base/operation.h"
#include "algorithms/base/plan.h"

namespace strata::algorithms {

/// Returns "64-80 KiB" for the sizes from 64 KiB to below 80 KiB, "5 B" for one size.
std::string size_range_text(std::size_t from, std::size_t below);

/// Returns "linear on all levels", "recursive_doubling on cluster, linear below", or
/// "binomial on cluster/node, linear on numa".
std::string shape_text(const Plan& plan);

/// Returns "tree (linear on all levels), predicted 101, fallback 217 us" or, for calls that pass through,
/// "passed through to tuned, predicted 1.6 us". `underlying`: the component; empty: unknown.
std::string choice_text(const Plan& plan, const std::string& underlying);

/// Returns "bcast of 65536 bytes from rank 0", "allreduce of 8 bytes", "gatherv to rank 2", "barrier".
std::string operation_text(const Operation& operation);

/// Returns "tree (switch1 pipeline/61440, node binomial; skips numa)": segments in bytes, none for whole
/// messages.
std::string outline(const Plan& plan);

/// Returns the outline with times, reason and sources: "tree (node binomial), predicted 170.2 us, fallback
/// 850.1 us: predicted faster than the underlying component; segment of node from /etc/rules.json:12".
std::string details_text(const Plan& plan, Collective collective, const std::string& rules_file);

}  // namespace strata::algorithms
