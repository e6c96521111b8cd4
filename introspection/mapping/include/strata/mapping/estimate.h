#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "strata/mapping/link_costs.h"
#include "strata/mapping/traffic_matrix.h"
#include "topology/hierarchy.h"

namespace strata::mapping {

/// Traffic that is exchanged on the links of one level: between ranks that share a group of this level, but
/// no narrower one.
struct LevelTraffic {
    topology::LevelKey level;
    bool network = false;  ///< it leaves the nodes
    std::uint64_t bytes = 0;
    std::uint64_t messages = 0;
    /// The more loaded direction of the most loaded link: that of a group, or of a rank that hangs directly
    /// below the level. Between nodes what only passes through counts too: the NIC of a node carries what
    /// leaves its switch.
    std::uint64_t busiest_bytes = 0;
    std::uint64_t busiest_messages = 0;
    /// Half the busiest link's time and half the average link's: programs whose ranks wait for each other at
    /// every step go by the former, those that run freely and share the network by the latter.
    double seconds = 0;
};

/// What a matrix costs on a machine.
struct Estimate {
    std::vector<LevelTraffic> levels;  ///< all that the hierarchy has, the widest first
    /// Sum over all flows of (bytes + messages * message_bytes) * cost of the level: what a mapping makes
    /// small.
    double distance = 0;
    /// Sum over the levels: whether it pays.
    double seconds = 0;

    std::uint64_t network_bytes() const;
};

/// Folds the traffic onto the tree. `permutation` is k of seed paper on monitoring, figure 1: process i of
/// the hierarchy does what rank k[i] of the matrix did; empty: all their own. Throws std::invalid_argument
/// where the numbers of ranks differ or it is no permutation. Cost: O((ranks + flows) * depth).
Estimate estimate(const TrafficMatrix& traffic, const topology::Hierarchy& hierarchy,
                  std::span<const int> permutation = {}, const LinkCosts& costs = {});

/// rank of the matrix -> the process that does its work. Throws std::invalid_argument for what is no
/// permutation of 0..ranks-1; empty: all themselves.
std::vector<int> inverse_permutation(std::span<const int> permutation, int ranks);

/// Throws std::invalid_argument, which names both numbers, where they differ.
void check_same_ranks(const TrafficMatrix& traffic, const topology::Hierarchy& hierarchy);

/// "cluster (between nodes)", "numa (between cores, ranks)": the level, and what it connects.
std::string describe_level(const topology::Hierarchy& hierarchy, topology::LevelKey level);

}  // namespace strata::mapping
