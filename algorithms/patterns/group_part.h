#pragma once
#include <vector>

#include "algorithms/patterns/shape.h"
#include "algorithms/patterns/tree.h"

namespace strata::algorithms {

/// Returns true if a network level separates two ranks.
inline bool between_nodes(const topology::Hierarchy& hierarchy, int a, int b) {
    return is_network(hierarchy.groups[static_cast<std::size_t>(hierarchy.lowest_common_group(a, b))]);
}

/// A group in which a rank has neighbours, and the rank's position there.
struct GroupPart {
    int group = -1;
    const LevelPlan* level = nullptr;
    int window = 0;            ///< TreeLinks::Edge::window for edges between nodes
    std::vector<int> members;  ///< shape_members()
    int position = 0;          ///< of the rank; 0: it is the local root and takes part in the wider group

    int size() const { return static_cast<int>(members.size()); }
    /// Throws std::invalid_argument for a method that is no tree shape.
    ShapeLinks shape(Half half = Half::whole) const {
        return shape_links(level->method, position, size(), half);
    }
    /// `hierarchy`: the one that contains the group.
    TreeLinks::Edge edge_to(const topology::Hierarchy& hierarchy, int place) const {
        return edge_to_rank(hierarchy, members[place]);
    }
    TreeLinks::Edge edge_to_rank(const topology::Hierarchy& hierarchy, int rank) const {
        const bool apart = between_nodes(hierarchy, members[position], rank);
        return {rank, group, level->segment_bytes, apart ? window : 0};
    }
};

/// Returns the groups in which `rank` takes part, narrowest first: those whose local root it is, then the
/// one in which it is not. Time: the sizes of the groups on the rank's branch.
std::vector<GroupPart> group_parts(const topology::Hierarchy& hierarchy, const Plan& plan, int root, int rank,
                                   Flow flow = Flow::from_root);

}  // namespace strata::algorithms
