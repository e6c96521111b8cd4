#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "strata/mapping/link_costs.h"
#include "strata/mapping/traffic_matrix.h"
#include "topology/hierarchy.h"

namespace strata::mapping {

/// Traffic on the links of one level: between ranks that share a group of this level, but no narrower
/// one.
struct LevelTraffic {
    topology::LevelKey level;
    bool network = false;  ///< links outside nodes
    std::uint64_t bytes = 0;
    std::uint64_t messages = 0;
    /// Load of the more loaded direction of the busiest link, that of a group or of a rank directly
    /// below the level. Transit traffic counts between nodes: a node's NIC carries all traffic that
    /// leaves its switch.
    std::uint64_t busiest_bytes = 0;
    std::uint64_t busiest_messages = 0;
    /// Half the busiest link's time plus half the average link's, in seconds: the former governs
    /// programs that synchronise at every step, the latter programs that run freely and share the
    /// network.
    double seconds = 0;
};

/// Cost of a traffic matrix on a machine.
struct Estimate {
    std::vector<LevelTraffic> levels;  ///< all levels of the hierarchy, the widest first
    /// Objective of a mapping: the sum over all flows of (bytes + messages * message_bytes) * cost of
    /// the level.
    double distance = 0;
    /// Sum of `seconds` over the levels; decides whether a new order is worthwhile.
    double seconds = 0;

    std::uint64_t network_bytes() const;
};

/// Estimates the traffic on the links of the hierarchy. `permutation` is k of the seed paper on
/// monitoring, figure 1: process i of the hierarchy does the work of rank k[i] of the matrix; empty: the
/// identity. Throws std::invalid_argument if the numbers of ranks differ, or for no permutation. Cost:
/// O((ranks + flows) * depth).
Estimate estimate(const TrafficMatrix& traffic, const topology::Hierarchy& hierarchy,
                  std::span<const int> permutation = {}, const LinkCosts& costs = {});

/// Returns rank of the matrix -> the process that does its work; the identity for an empty permutation.
/// Throws std::invalid_argument unless it is a permutation of 0..ranks-1.
std::vector<int> inverse_permutation(std::span<const int> permutation, int ranks);

/// Throws std::invalid_argument with both numbers of ranks if they differ.
void check_same_ranks(const TrafficMatrix& traffic, const topology::Hierarchy& hierarchy);

/// Returns a level and what it connects: "cluster (between nodes)", "numa (between cores, ranks)".
std::string describe_level(const topology::Hierarchy& hierarchy, topology::LevelKey level);

}  // namespace strata::mapping
