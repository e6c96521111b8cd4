#pragma once
#include <string>
#include <vector>

#include "bcast_runs.h"
#include "reduce_runs.h"

namespace strata::testing {

/// Gives at least one level of a plan, or all of them, a double tree as shape; sometimes skips levels.
void give_double_tree(Random& random, const topology::Hierarchy& hierarchy, algorithms::Plan& plan);

/// Random cases of up to that many ranks: no elements, fewer than two, odd numbers, and others. Operators
/// commute.
BcastCase random_bcast_with_double_tree(Random& random, int ranks, std::size_t bytes);
ReduceCase random_reduction_with_double_tree(Random& random, int ranks, std::size_t elements);

/// perform_bcast(), perform_reduce() and perform_allreduce().
RunReport run_double_tree(const BcastCase& bcast, const FabricOptions& options);
ReduceRun run_double_tree(const ReduceCase& reduce, bool everywhere, const FabricOptions& options,
                          Arenas* arenas = nullptr);

// Return the differences from two trees that carry one half each, "" for none. Every edge carries its half
// once, and once back with `everywhere`. Each half enters the groups that are not skipped as a separate
// vector would (byte_oracle.h, reduce_oracle.h).
std::string double_tree_faults(const BcastCase& bcast, const std::vector<SentMessage>& messages);
std::string double_tree_faults(const ReduceCase& reduce, bool everywhere,
                               const std::vector<SentMessage>& messages);

}  // namespace strata::testing
