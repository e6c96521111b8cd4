#pragma once
#include <span>
#include <vector>

#include "algorithms/patterns/shape.h"
#include "topology/hierarchy.h"

namespace strata::algorithms {

/// One participant's neighbours.
struct RankLinks {
    int parent = -1;            ///< rank; -1 at the root
    std::vector<int> children;  ///< ranks, in sending order
};

/// The group that both trees span.
struct DoubleBinaryGroup {
    const topology::Hierarchy& hierarchy;
    std::span<const topology::LevelKey> skipped;  ///< Plan::skipped
    int group = 0;
    int root = 0;  ///< as in participants()
};

/// Returns `rank`'s neighbours in one of two trees over the participants of a group; the group's local root
/// is the root of both. Each tree carries one half of every vector. A participant forwards at most two
/// halves, nearly all in one tree, and so does every skipped group (docs/design/double-binary-tree.md).
///
///   nodes {0 1 2} {3 4 5} {6 7 8}, root 0:   first half    0 -> 1;  1 -> 3 2;  3 -> 6 4;  4 -> 5;  6 -> 7 8
///                                            second half   0 -> 2;  2 -> 8 1;  5 -> 4 3;  7 -> 6;  8 -> 5 7
///
/// Throws std::invalid_argument for Half::whole.
/// Cost: n beta + O(log2 p)(alpha + s beta) for p participants and segments of s bytes.
/// Time: O(ranks of the group * depth).
RankLinks double_binary_links(const DoubleBinaryGroup& of, int rank, Half half);

/// The same for every rank of the hierarchy; ranks that take no part have empty links.
std::vector<RankLinks> double_binary_tree(const DoubleBinaryGroup& of, Half half);

}  // namespace strata::algorithms
