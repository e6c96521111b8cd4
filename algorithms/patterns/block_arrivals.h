#pragma once
#include <span>
#include <vector>

#include "algorithms/patterns/whole_tree.h"

namespace strata::algorithms {

/// The ranks that can be reached from `start` without its neighbour `barred`: those nearer to it first.
/// `toward`: each one's neighbour on the way back; a tree has only one.
std::vector<int> reach(const WholeTree& tree, int start, int barred, std::vector<int>& toward);

/// What every rank sends towards one of them, in the order in which it becomes available there: its own
/// block, then the others by the deepest group that they share with it (the wider that group, the slower the
/// links on the way), within a group one block of each edge in turn.
class BlockArrivals {
public:
    /// Towards `rank`, from everywhere but its neighbour `barred`; the tree outlives it. The lists are merged
    /// from the leaves on. Where lists meet in turn, the longest is not touched beyond the length of the
    /// second longest but spliced: O(ranks * log(ranks)) in all, and O(ranks) for a chain.
    BlockArrivals(const WholeTree& tree, int rank, int barred);

    /// The blocks that a neighbour brings.
    std::vector<int> from(int neighbour) const;
    /// What `rank`, at which all lists end, sends to `neighbour`.
    std::vector<int> onward(int rank, int neighbour) const;

private:
    /// A list of blocks through a table of successors; a block is in one list at a time.
    struct List {
        int head = -1;
        int last_near = -1;  ///< what follows comes from outside the group of the edge that brings the list
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
