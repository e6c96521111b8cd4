#pragma once
#include <array>
#include <vector>

namespace strata::algorithms {

/// One value per tree.
template <class Value>
using Both = std::array<Value, 2>;

/// The items of one group (groups inside it, or single ranks) that two trees span, and the outside items
/// below them.
struct Dealt {
    int items = 1;
    Both<int> first{};    ///< item by which each tree enters the group
    Both<int> outside{};  ///< number of items of other groups that need a parent in this group
};

/// The children of each item in each tree, in sending order: an item of the group, or -1 - i for outside
/// item i.
using DealtOut = std::vector<Both<std::vector<int>>>;

/// Gives every item except the first, and every outside item, a parent. The first tree takes the items in
/// ascending order from its first item, the second one in descending order; each item goes below the
/// earliest one that has room. Outside items go as near to the first item as possible without cutting off
/// items.
///
/// An item has room for 2 children in both trees together (or for the mean number of children, if that is
/// more), so that the inner items of one tree are leaves of the other. An item by which both trees enter
/// has half of that room in each tree.
///
///   5 items, entered by 0 and 4, one outside (x) in each tree:
///       first   0 -> x 1;  1 -> 2 3;  2 -> 4        second   4 -> x 3;  3 -> 2 1;  2 -> 0
DealtOut deal_out(const Dealt& group);

}  // namespace strata::algorithms
