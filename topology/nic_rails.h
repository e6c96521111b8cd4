#pragma once
#include <span>
#include <vector>

#include "topology/hierarchy.h"
#include "topology/leaders.h"

namespace strata::topology {

/// One tree per NIC, for shares of the data that travel at the same time.
struct NicRails {
    /// By rail: the same groups, led by the processes near the rail's NIC. Empty where one tree is all.
    std::vector<Hierarchy> trees;
    /// Rank -> the rail of what this rank alone gives. In every node each rail has about as many ranks, if
    /// possible those near its NIC.
    std::vector<int> of_rank;

    int count() const { return static_cast<int>(trees.size()); }
};

inline constexpr int most_nic_rails = 4;

/// As many rails as the node with the most NICs has NICs with processes near them (nic_leaders()), at most
/// four; none when that is one, or when all ranks are on one node. Rail i uses NIC i of every node; of a
/// node with fewer NICs, its number i modulo their number. Where no group inside a node holds the rail's
/// leader, leaders are those of elect_leaders(). Pure. Source: SPEC D3 (several NICs), after the seed paper
/// on NUIOA collectives, section 3.2.
NicRails nic_rails(const Hierarchy& hierarchy, std::span<const LocalityRecord> records,
                   const Election& election);

}  // namespace strata::topology
