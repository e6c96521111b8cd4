#include "algorithms/patterns/whole_tree.h"

#include <algorithm>

#include "algorithms/patterns/shape.h"
#include "algorithms/patterns/tree.h"

namespace strata::algorithms {
namespace {

using topology::Hierarchy;

/// Returns per group the participant at which blocks for `rank` leave the group's ring: the one that
/// represents `rank`, or -1 (the local root) if the group does not contain `rank`.
std::vector<int> exits_towards(const Hierarchy& hierarchy, const Plan& plan, int root, int rank) {
    std::vector<int> exits(hierarchy.groups.size(), -1);
    int behind = rank;
    const auto used = [&](int group) { return used_group(hierarchy, group, plan.skipped); };
    for (int group = used(hierarchy.stop[rank]); group >= 0; group = used(hierarchy.groups[group].parent)) {
        exits[group] = behind;
        behind = hierarchy.contains(group, root) ? root : hierarchy.groups[group].leader;
    }
    return exits;
}

/// Two arms that begin at position 0 and end at the exit and at the position after it.
int parent_on_path(int position, int size, int exit) {
    return position <= exit ? position - 1 : (position + 1) % size;
}

}  // namespace

WholeTree::WholeTree(const Hierarchy& hierarchy, const Plan& plan, int root, int rank)
    : parents_(hierarchy.stop.size(), -1),
      groups_(hierarchy.stop.size(), -1),
      first_(hierarchy.stop.size() + 1, 0) {
    struct Link {
        int parent;
        int child;
        int group;
    };
    std::vector<Link> links;
    links.reserve(parents_.size());
    const std::vector<int> exits = exits_towards(hierarchy, plan, root, rank);
    // Parents have lower numbers than children: in reverse, a rank's edges come narrow levels first.
    for (int group = static_cast<int>(hierarchy.groups.size()) - 1; group >= 0; --group) {
        if (used_group(hierarchy, group, plan.skipped) != group) {
            continue;
        }
        const std::vector<int> members = shape_members(hierarchy, plan, group, root);
        const LevelMethod& method = plan.at(hierarchy.groups[group].level).method;
        const auto size = static_cast<int>(members.size());
        const bool ring = makes_ring(method, size);
        const auto found = std::find(members.begin(), members.end(), exits[group]);
        const int exit = found == members.end() ? 0 : static_cast<int>(found - members.begin());
        for (int position = 1; position < size; ++position) {
            const int parent =
                ring ? parent_on_path(position, size, exit) : shape_links(method, position, size).parent;
            links.push_back({members[parent], members[position], group});
        }
    }
    for (const Link& link : links) {
        parents_[link.child] = link.parent;
        groups_[link.child] = link.group;
        ++first_[link.parent + 1];
        ++first_[link.child + 1];
    }
    for (std::size_t place = 1; place < first_.size(); ++place) {
        first_[place] += first_[place - 1];
    }
    edges_.resize(2 * links.size());
    std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
    for (const Link& link : links) {
        edges_[next[link.parent]++] = {link.child, link.group};
        edges_[next[link.child]++] = {link.parent, link.group};
    }
}

}  // namespace strata::algorithms
