#pragma once
#include <span>
#include <vector>

#include "topology/hierarchy.h"
#include "topology/leaders.h"

namespace strata::topology {

/// One tree per network card, for shares of the data that travel at the same time.
struct CardLanes {
    /// By lane: the same groups, led by the processes near the lane's card. Empty where one tree is all.
    std::vector<Hierarchy> trees;
    /// Rank -> the lane of what this rank alone gives. In every node each lane has about as many ranks, if
    /// possible those near its card.
    std::vector<int> of_rank;

    int count() const { return static_cast<int>(trees.size()); }
};

inline constexpr int most_card_lanes = 4;

/// As many lanes as the node with the most cards has cards with processes near them (card_leaders()), at most
/// four; none when that is one, or when all ranks are on one node. Lane i uses card i of every node; of a
/// node with fewer cards, its number i modulo their number. Where no group inside a node holds the lane's
/// leader, leaders are those of elect_leaders(). Pure. Source: SPEC D3 (several cards), after the seed paper
/// on NUIOA collectives, section 3.2.
CardLanes card_lanes(const Hierarchy& hierarchy, std::span<const LocalityRecord> records,
                     const Election& election);

}  // namespace strata::topology
