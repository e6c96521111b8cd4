#pragma once
#include <array>
#include <string>
#include <vector>

#include "algorithms/patterns/double_binary.h"

namespace strata::testing {

/// The two trees of one group.
struct TwoTrees {
    topology::Hierarchy hierarchy;
    std::vector<topology::LevelKey> skipped;
    int group = 0;
    int root = 0;
    algorithms::Flow flow = algorithms::Flow::from_root;
    std::array<std::vector<algorithms::RankLinks>, 2> links;  ///< by half, by rank

    algorithms::DoubleBinaryGroup group_of() const { return {hierarchy, skipped, group, root, flow}; }
    void grow();
    std::vector<int> participants() const;
    bool skips(int group) const;
    /// The skipped groups that participants come from.
    std::vector<int> skipped_groups() const;
    std::string words() const;
};

/// "0 -> 1 2;  1 -> 3": the ranks with children.
std::string drawing(const std::vector<algorithms::RankLinks>& tree);

// Each answers with the first fault, "" for none.

/// Each tree has all participants and nobody else, and begins at the one that stands for the group.
std::string spanning_faults(const TwoTrees& made);
/// Each half enters every skipped group without the root once, the root's never.
std::string entering_faults(const TwoTrees& made);
/// double_binary_links() of every rank is its place in the tree.
std::string own_place_faults(const TwoTrees& made);
/// Of both trees together no participant, and no skipped group, passes on more than two halves. Towards the
/// root, where what is inside a node differs in its distance to the NIC, whole nodes still do not; inside
/// them gates (deal_out.h) cost one more, and two at the root and in the groups with both the root and the
/// NIC.
std::string leaving_faults(const TwoTrees& made);
/// From the root, what enters a node does next to its NIC; towards the root, what other nodes send to it.
std::string nic_faults(const TwoTrees& made);

/// Edges between a rank and the root, at most.
int depth_of(const std::vector<algorithms::RankLinks>& tree);

}  // namespace strata::testing
