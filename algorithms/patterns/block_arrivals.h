#pragma once
#include <span>
#include <vector>

#include "algorithms/patterns/whole_tree.h"

namespace strata::algorithms {

/// Returns the ranks reachable from `start` without its neighbour `barred`, nearest first. `toward`
/// receives each rank's neighbour on its way back, which is unique in a tree.
std::vector<int> reach(const WholeTree& tree, int start, int barred, std::vector<int>& toward);

/// The blocks that every rank sends towards one rank, in the order in which they become available at the
/// sender: its own block, then the others by the deepest group that they share with it (a wider group
/// means slower links on the way), within a group one block of each edge in turn.
class BlockArrivals {
public:
    /// Merges the lists towards `rank` from the leaves on, without the side of its neighbour `barred`.
    /// `tree` must outlive this object. A merge touches the longest list up to the length of the second
    /// longest, then splices it. Time: O(ranks * log(ranks)), for a chain O(ranks).
    BlockArrivals(const WholeTree& tree, int rank, int barred);

    /// Returns the blocks that `neighbour` sends to the constructor's rank.
    std::vector<int> from(int neighbour) const;
    /// Returns the blocks that `rank`, the constructor's, sends to `neighbour`.
    std::vector<int> onward(int rank, int neighbour) const;

private:
    /// A list linked through next_; a block is in one list at a time.
    struct List {
        int head = -1;
        int last_near = -1;  ///< later blocks come from outside the group of the list's edge
        int tail = -1;
    };
    /// Part of a list, both ends included.
    struct Part {
        int head;
        int tail;
    };

    void collect(Part part, std::vector<int>& blocks) const;
    template <typename Take>
    void merge(int rank, int receiver, Take&& take) const;
    template <typename Take>
    void take_in_turn(std::vector<Part>& parts, Take&& take) const;

    const WholeTree& tree_;
    std::vector<List> lists_;  ///< by sender
    std::vector<int> next_;    ///< block -> the next one in its list
};

}  // namespace strata::algorithms
