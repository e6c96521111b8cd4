#pragma once
#include <cstddef>
#include <vector>

#include "strata/algorithms/link.h"
#include "strata/topology/hierarchy.h"

namespace strata::algorithms {

/// A tree over virtual ranks 0..size-1 rooted at 0: children of each in the order in which they are served,
/// and the bytes of the message that each one receives (entry 0 unused).
struct FlatTree {
    std::vector<std::vector<int>> children;
    std::vector<std::size_t> bytes;
};

/// Times unsegmented messages between arbitrary ranks: the resources of TreeModel, which now contend because
/// a pattern that does not know the hierarchy crosses a group's boundary many times. Every resource serves
/// messages in the order in which they reach it; a message holds each only for its own bytes / bandwidth.
class FlatModel {
public:
    FlatModel(const topology::Hierarchy& hierarchy, const LinkTable& links);

    int ranks() const { return static_cast<int>(ranks_.size()); }
    /// Sends when `ready` and the sender's processor allow; returns the arrival, us.
    double send(int from, int to, std::size_t bytes, double ready);
    /// When the sender's processor can start its next message, us.
    double free_at(int rank) const { return ranks_[rank].processor_free; }
    /// Sends `tree` down from `root` (virtual rank v is rank (root + v) mod ranks()); arrival by virtual
    /// rank.
    std::vector<double> run_tree(const FlatTree& tree, int root);

private:
    struct Direction {
        double out = 0;  ///< free from here on, us
        double in = 0;
    };
    struct RankState {
        double processor_free = 0;
        Direction card;
        double card_us_per_byte = 0;
        double card_gap_us = 0;
    };
    struct GroupState {
        Direction free;
        double us_per_byte = 0;
        double gap_us = 0;
        LinkParameters link;  ///< of the group's own level
        bool network = false;
    };
    struct Passage;

    const topology::Hierarchy& hierarchy_;
    std::vector<RankState> ranks_;
    std::vector<GroupState> groups_;
};

}  // namespace strata::algorithms
