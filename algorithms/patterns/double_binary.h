#pragma once
#include <span>
#include <vector>

#include "algorithms/patterns/shape.h"
#include "algorithms/patterns/tree.h"
#include "topology/hierarchy.h"

namespace strata::algorithms {

/// One participant's neighbours.
struct RankLinks {
    int parent = -1;            ///< rank; -1 at the root
    std::vector<int> children;  ///< ranks, in the order in which they are to be served
};

/// What the two trees of a group grow over.
struct DoubleBinaryGroup {
    const topology::Hierarchy& hierarchy;
    std::span<const topology::LevelKey> skipped;  ///< Plan::skipped
    int group = 0;
    int root = 0;  ///< participants()
    Flow flow = Flow::from_root;
};

/// `rank`'s place in one of the two trees over the participants of a group, both rooted at the one that
/// stands for it. Every participant passes on two halves at most, nearly all in one tree only: a vector
/// leaves each once, as in a chain, but after a number of hops that grows with the logarithm of their number.
///
/// Where participants come from groups that are skipped (one inside the other, as they are in the hierarchy),
/// the same is true of every such group: each half enters it once, and of both together it passes on two. So
/// that its NIC, or its bus, carries as little as below a chain along the hardware:
///
///   nodes {0 1 2} {3 4 5} {6 7 8}, root 0:   first half    0 -> 1;  1 -> 3 2;  3 -> 6 4;  4 -> 5;  6 -> 7 8
///                                            second half   0 -> 2;  2 -> 8 1;  5 -> 4 3;  7 -> 6;  8 -> 5 7
///
/// What comes from other nodes enters a node, towards the root its neighbours in the other nodes enter it,
/// next to its NIC. Throws std::invalid_argument for Half::whole. Cost: O(ranks of the group * depth).
/// Source: two trees with disjoint inner nodes (Sanders, Speck and Traeff 2009, "Two-tree algorithms for full
/// bandwidth broadcast, reduction and scan"), applied to every level of a hierarchy.
RankLinks double_binary_links(const DoubleBinaryGroup& of, int rank, Half half);

/// The same for every rank of the hierarchy; empty links for those that take no part.
std::vector<RankLinks> double_binary_tree(const DoubleBinaryGroup& of, Half half);

}  // namespace strata::algorithms
