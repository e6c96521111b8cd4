#pragma once
#include <vector>

#include "topology/hierarchy.h"

namespace strata::algorithms {

/// The blocks of ranks as the levels engine moves them: in one order in which the ranks of every group lie
/// one behind the other.
struct LevelBlocks {
    /// The blocks at places first..first+count-1, one participant's share of a group.
    struct Part {
        int first = 0;
        int count = 0;
        bool operator==(const Part&) const = default;
    };
    std::vector<int> order;                ///< place -> rank
    std::vector<std::vector<Part>> parts;  ///< by level: the participants of this rank's group by ascending
                                           ///< rank; empty where it takes no part
};
/// Cost: O(ranks * depth * log(ranks)).
LevelBlocks level_blocks(const topology::Hierarchy& hierarchy, int root, int rank);

/// The group of this level in which `rank` takes part, or -1; its participants() by ascending rank, and the
/// one that stands for the group.
int level_group(const topology::Hierarchy& hierarchy, int level, int rank, int root,
                std::vector<int>& members, int& local_root);

}  // namespace strata::algorithms
