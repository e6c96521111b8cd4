#pragma once
#include <cstdint>
#include <vector>

#include "algorithms/base/algorithm.h"

namespace strata::algorithms {

/// The part of every vector that a tree carries. Algorithms with two trees (AlgorithmInfo::double_tree) have
/// one tree per half, and all levels above and below carry halves, too. For whole vectors these algorithms
/// are complete binary trees.
enum class Half : std::uint8_t { whole, first, second };

/// One member's neighbours in a tree over the positions 0..size-1, rooted at position 0.
struct ShapeLinks {
    int parent = -1;            ///< position; -1 at the root
    std::vector<int> children;  ///< positions, in sending order
};

/// Returns true if `size` members of a group form a directed ring. Two members do not: they are neighbours
/// in both directions, and a tree (shape_links()).
bool makes_ring(const LevelMethod& method, int size);

/// Returns the neighbours of `position`. `method.algorithm` must be a tree shape; radix 0 means the
/// algorithm's default. Throws std::invalid_argument for another algorithm, a radix below 1 (chain) or 2
/// (knomial), a position outside 0..size-1, or a half of double_binary (double_binary.h).
///
/// Cost for p members and n bytes in m segments of s bytes:
///   linear    (p-1)(alpha + n beta)          chain, radix k  ((p-1)/k - 1 + k m)(alpha + s beta)
///   binomial  (log2 p)(alpha + n beta)       pipeline        (p - 2 + m)(alpha + s beta)
///   knomial   (k-1)(log_k p)(alpha + n beta)  binary          2 (log2 p - 1 + m)(alpha + s beta)
///
///   binomial, size 8:  0 -> 4 2 1;  4 -> 6 5;  2 -> 3;  6 -> 7     (largest subtree first)
///   binomial, size 7:  0 -> 4 2 1;  4 -> 6 5;  2 -> 3
///   in_order_binary, size 7:  0 -> 1 4;  1 -> 2 3;  4 -> 5 6
///   split_binary, size 6:  first half   0 -> 1;  1 -> 3 5 2;  3 -> 4
///                          second half  0 -> 2 5;  2 -> 4 1;  4 -> 3
///   chain radix 2, size 6:  0 -> 1 3;  1 -> 2;  3 -> 4;  4 -> 5    (radix chains, lengths differing by one)
ShapeLinks shape_links(const LevelMethod& method, int position, int size, Half half = Half::whole);

}  // namespace strata::algorithms
