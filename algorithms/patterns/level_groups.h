#pragma once
#include <vector>

#include "topology/hierarchy.h"

namespace strata::algorithms {

/// The blocks of all ranks in the order of the levels engine: the ranks of every group are contiguous.
struct LevelBlocks {
    /// The blocks at places first..first+count-1, one participant's share of a group.
    struct Part {
        int first = 0;
        int count = 0;
        bool operator==(const Part&) const = default;
    };
    std::vector<int> order;                ///< place -> rank
    std::vector<std::vector<Part>> parts;  ///< by level: the participants of this rank's group, ascending;
                                           ///< empty where the rank takes no part
};
/// Time: O(ranks * depth * log(ranks)).
LevelBlocks level_blocks(const topology::Hierarchy& hierarchy, int root, int rank);

/// Returns the group of `level` in which `rank` takes part, or -1. `members` receives its participants()
/// in ascending order, `local_root` the group's local root.
int level_group(const topology::Hierarchy& hierarchy, int level, int rank, int root,
                std::vector<int>& members, int& local_root);

}  // namespace strata::algorithms
