#pragma once
#include <cstdint>
#include <vector>

#include "algorithms/base/algorithm.h"

namespace strata::algorithms {

/// Which part of every vector a tree carries. Algorithms with two trees (AlgorithmInfo::halves) have one for
/// each half, where everything above and below carries halves, too; as the only tree for whole vectors they
/// are complete binary trees.
enum class Half : std::uint8_t { whole, first, second };

/// One member's neighbours in a tree over the positions 0..size-1, rooted at position 0.
struct ShapeLinks {
    int parent = -1;            ///< position; -1 at the root
    std::vector<int> children;  ///< positions, in the order in which they are to be served
};

/// True when `size` members of a group are a directed ring, each of them sending to the next one. Fewer than
/// three are none: two are neighbours in both directions anyway, and a tree of two (shape_links()).
bool makes_ring(const LevelMethod& method, int size);

/// Pure rank arithmetic. `method.algorithm` must be a tree shape; a radix of 0 takes the algorithm's default.
/// Throws std::invalid_argument for another algorithm, a radix below 1 (chain) or 2 (knomial), a position
/// outside 0..size-1, or a half of double_binary (double_binary.h).
///
///   binomial, size 8:  0 -> 4 2 1;  4 -> 6 5;  2 -> 3;  6 -> 7     (largest subtree first)
///   binomial, size 7:  0 -> 4 2 1;  4 -> 6 5;  2 -> 3
///   in_order_binary, size 7:  0 -> 1 4;  1 -> 2 3;  4 -> 5 6
///   split_binary, size 6:  first half   0 -> 1;  1 -> 3 5 2;  3 -> 4
///                          second half  0 -> 2 5;  2 -> 4 1;  4 -> 3
///   chain radix 2, size 6:  0 -> 1 3;  1 -> 2;  3 -> 4;  4 -> 5    (radix chains, lengths differing by one)
ShapeLinks shape_links(const LevelMethod& method, int position, int size, Half half = Half::whole);

}  // namespace strata::algorithms
