#pragma once
#include <array>
#include <string>
#include <vector>

#include "algorithms/patterns/double_binary.h"
#include "algorithms/patterns/tree.h"

namespace strata::testing {

/// The two trees of one group.
struct TwoTrees {
    topology::Hierarchy hierarchy;
    std::vector<topology::LevelKey> skipped;
    int group = 0;
    int root = 0;
    std::array<std::vector<algorithms::RankLinks>, 2> links;  ///< by half, by rank

    algorithms::DoubleBinaryGroup group_of() const { return {hierarchy, skipped, group, root}; }
    void grow();
    std::vector<int> participants() const;
    bool skips(int group) const;
    /// The skipped groups from which participants come.
    std::vector<int> skipped_groups() const;
    std::string words() const;
};

/// "0 -> 1 2;  1 -> 3": the ranks with children.
std::string drawing(const std::vector<algorithms::RankLinks>& tree);

// Each returns the first fault, "" for none.

/// Each tree has exactly the participants, and begins at the group's local root.
std::string spanning_faults(const TwoTrees& made);
/// Each half enters every skipped group without the root once, the root's never.
std::string entering_faults(const TwoTrees& made);
/// double_binary_links() of every rank is its place in the tree.
std::string own_place_faults(const TwoTrees& made);
/// In both trees together, no participant and no skipped group forwards more than two halves.
std::string leaving_faults(const TwoTrees& made);

/// Edges between a rank and the root, at most.
int depth_of(const std::vector<algorithms::RankLinks>& tree);

}  // namespace strata::testing
