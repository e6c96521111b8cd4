#pragma once
#include <array>
#include <vector>

namespace strata::algorithms {

/// By tree, of two.
template <class Value>
using Both = std::array<Value, 2>;

/// The items of one group (groups inside it, or single ranks) that two trees are to grow over, and what else
/// hangs below them.
struct Dealt {
    int items = 1;
    Both<int> first{};             ///< by which each tree enters the group
    Both<int> outside{};           ///< items of other groups whose parents are to be found here
    Both<std::vector<int>> fixed;  ///< outside ones, from 0, that have to be below `gate`
    int gate = -1;                 ///< an item; -1: none
};

/// What each item has below it in each tree: an item of the group, or -1 - i for the i-th one outside, in the
/// order in which they are to be served.
using DealtOut = std::vector<Both<std::vector<int>>>;

/// Gives every item but the first, and everything outside, a place below an item. Items follow the first one
/// by their numbers, in the second tree backwards, each below the earliest one that has room, and what is
/// outside stands as near to the first as it can without cutting off items. There is room for two in both
/// trees together, so that the items of one tree's inside are the leaves of the other one; for one in each at
/// an item by which both are entered; for as many more as all have to have in the mean. A gate has all that
/// is fixed to it; who is first may then need one place more, since the order of the items is another one.
///
///   5 items, entered by 0 and 4, one outside (x) in each tree:
///       first   0 -> x 1;  1 -> 2 3;  2 -> 4        second   4 -> x 3;  3 -> 2 1;  2 -> 0
DealtOut deal_out(const Dealt& group);

}  // namespace strata::algorithms
