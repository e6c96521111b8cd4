#pragma once
#include <span>
#include <vector>

#include "topology/hierarchy.h"
#include "topology/leaders.h"

namespace strata::topology {

/// One tree per NIC, for shares of the data that travel at the same time (multi-rail).
struct NicRails {
    /// By rail: the same groups, led by the processes near the rail's NIC. Empty for a single tree.
    std::vector<Hierarchy> trees;
    /// Rank -> the rail for the data of this rank alone. In every node each rail has about as many
    /// ranks, if possible those near its NIC.
    std::vector<int> of_rank;

    int count() const { return static_cast<int>(trees.size()); }
};

inline constexpr int most_nic_rails = 4;

/// Computes the rails: as many as the node with the most NICs has NICs with leaders (nic_leaders()), at
/// most four. None if that is one, or if all ranks are on one node. Rail i uses NIC i of every node,
/// modulo the node's number of NICs. If no group inside a node contains the rail's leader, leaders are
/// those of elect_leaders(). Pure.
///
///            node a, 3 NICs   node b, 2 NICs
///   rail 0   leader at NIC 0 -- leader at NIC 0
///   rail 1   leader at NIC 1 -- leader at NIC 1
///   rail 2   leader at NIC 2 -- leader at NIC 0
///
/// Source: SPEC D3 (several NICs), after the seed paper on NUIOA collectives, section 3.2.
NicRails nic_rails(const Hierarchy& hierarchy, std::span<const LocalityRecord> records,
                   const Election& election);

}  // namespace strata::topology
