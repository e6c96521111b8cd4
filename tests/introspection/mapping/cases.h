#pragma once
#include <random>
#include <span>
#include <string>
#include <vector>

#include "strata/mapping/estimate.h"
#include "strata/mapping/reorder.h"
#include "topology/hierarchy.h"

namespace strata::testing {

using Permutation = std::span<const int>;

/// A machine and where its ranks run.
struct Placement {
    std::vector<topology::LocalityRecord> records;
    topology::Hierarchy hierarchy;
};

enum class Order { block, cyclic };

/// Nodes with the given numbers of ranks, every rank on its own core, maybe in packages of two cores and
/// below two leaf switches.
Placement nodes_with(const std::vector<int>& ranks, Order order, bool packages = false,
                     bool switches = false);

/// 1 to 9 nodes of 1 to 9 ranks, in block, cyclic or any order, with or without packages and switches.
Placement random_placement(std::mt19937& random);

/// No traffic, a few pairs, groups, a ring or all pairs; numbers of all sizes.
mapping::TrafficMatrix random_traffic(std::mt19937& random, int ranks);

/// Ranks of one group of `size` consecutive ranks exchange `bytes` each.
mapping::TrafficMatrix group_traffic(int ranks, int size, std::uint64_t bytes);

/// Returns the errors of the answer, as text; empty if there are none. Uses only the rules, independent of
/// mapping/'s implementation.
std::string complaint_about_permutation(Permutation permutation, int ranks);
/// Against bytes, messages and distance that are added up pair by pair from the records.
std::string complaint_about_estimate(const mapping::Estimate& estimate, const mapping::TrafficMatrix& traffic,
                                     const Placement& placement, Permutation permutation);
/// A new order costs no more than the old, saves its margin, and is the identity if not.
std::string complaint_about_reordering(const mapping::Reordering& reordering,
                                       const mapping::TrafficMatrix& traffic, const Placement& placement,
                                       double margin);

}  // namespace strata::testing
