#include "skipped_levels.h"

#include <algorithm>

namespace strata::testing {

using algorithms::LevelPlan;
using topology::Group;
using topology::Hierarchy;
using topology::LevelKey;

Hierarchy without(const Hierarchy& hierarchy, const std::vector<LevelKey>& levels) {
    Hierarchy result = hierarchy;
    result.groups.clear();
    std::vector<int> place;  // old group -> the new group that holds its members
    for (const Group& old : hierarchy.groups) {
        const int parent = old.parent < 0 ? -1 : place[static_cast<std::size_t>(old.parent)];
        if (std::find(levels.begin(), levels.end(), old.level) != levels.end()) {
            place.push_back(parent);
            continue;
        }
        place.push_back(static_cast<int>(result.groups.size()));
        Group kept = old;
        kept.parent = parent;
        kept.depth = parent < 0 ? 0 : result.groups[static_cast<std::size_t>(parent)].depth + 1;
        kept.children.clear();
        kept.direct.clear();
        result.groups.push_back(kept);
    }
    for (std::size_t group = 1; group < result.groups.size(); ++group) {
        result.groups[static_cast<std::size_t>(result.groups[group].parent)].children.push_back(
            static_cast<int>(group));
    }
    for (Group& group : result.groups) {
        std::sort(group.children.begin(), group.children.end(), [&](int a, int b) {
            return result.groups[static_cast<std::size_t>(a)].members.front() <
                   result.groups[static_cast<std::size_t>(b)].members.front();
        });
    }
    for (int rank = 0; rank < hierarchy.ranks(); ++rank) {
        int& stop = result.stop[static_cast<std::size_t>(rank)];
        stop = place[static_cast<std::size_t>(stop)];
        result.groups[static_cast<std::size_t>(stop)].direct.push_back(rank);
    }
    return result;
}

void skip_some(Random& random, const Hierarchy& hierarchy, algorithms::Plan& plan, bool whole_nodes) {
    const auto may_go = [&](LevelKey level) {
        return std::none_of(hierarchy.groups.begin(), hierarchy.groups.end(), [&](const Group& group) {
            return group.level == level &&
                   (group.parent < 0 ||
                    (whole_nodes && !is_network(group) &&
                     is_network(hierarchy.groups[static_cast<std::size_t>(group.parent)])));
        });
    };
    const int share = random.percent(30) ? 100 : 50;
    std::erase_if(plan.levels, [&](const LevelPlan& level) {
        const bool goes = may_go(level.level) && random.percent(share);
        if (goes) plan.skipped.push_back(level.level);
        return goes;
    });
}

}  // namespace strata::testing
