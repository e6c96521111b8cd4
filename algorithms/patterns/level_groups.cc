#include "algorithms/patterns/level_groups.h"

#include <algorithm>

#include "algorithms/patterns/tree.h"

namespace strata::algorithms {

namespace {

/// Returns the child of `group` that `participant` represents, or -1 if the rank stops in `group`.
int child_of(const topology::Hierarchy& hierarchy, int group, int participant) {
    int below = hierarchy.stop[static_cast<std::size_t>(participant)];
    if (below == group) return -1;
    while (hierarchy.groups[below].parent != group) below = hierarchy.groups[below].parent;
    return below;
}

void append_ranks(const topology::Hierarchy& hierarchy, int group, int root, std::vector<int>& order) {
    std::vector<int> members = participants(hierarchy, group, root);
    std::sort(members.begin(), members.end());
    for (const int member : members) {
        const int child = child_of(hierarchy, group, member);
        if (child < 0) {
            order.push_back(member);
        } else {
            append_ranks(hierarchy, child, root, order);
        }
    }
}

}  // namespace

int level_group(const topology::Hierarchy& hierarchy, int level, int rank, int root,
                std::vector<int>& members, int& local_root) {
    members.clear();
    int group = hierarchy.stop[static_cast<std::size_t>(rank)];
    if (hierarchy.groups[group].depth < level) {
        return -1;
    }
    while (hierarchy.groups[group].depth > level) {
        group = hierarchy.groups[group].parent;
    }
    members = participants(hierarchy, group, root);
    local_root = members.front();
    std::sort(members.begin(), members.end());
    return std::find(members.begin(), members.end(), rank) == members.end() ? -1 : group;
}

LevelBlocks level_blocks(const topology::Hierarchy& hierarchy, int root, int rank) {
    LevelBlocks blocks;
    blocks.order.reserve(hierarchy.stop.size());
    append_ranks(hierarchy, 0, root, blocks.order);
    std::vector<int> place(blocks.order.size());
    for (std::size_t i = 0; i < blocks.order.size(); ++i) {
        place[static_cast<std::size_t>(blocks.order[i])] = static_cast<int>(i);
    }
    const auto part_of = [&](int group, int member) -> LevelBlocks::Part {
        const int child = child_of(hierarchy, group, member);
        if (child < 0) return {place[static_cast<std::size_t>(member)], 1};
        const auto& ranks = hierarchy.groups[child].members;
        int first = place[static_cast<std::size_t>(ranks.front())];
        for (const int other : ranks) first = std::min(first, place[static_cast<std::size_t>(other)]);
        return {first, static_cast<int>(ranks.size())};
    };
    blocks.parts.resize(static_cast<std::size_t>(hierarchy.depth()));
    std::vector<int> members;
    for (int level = 0; level < hierarchy.depth(); ++level) {
        int local_root = -1;
        const int group = level_group(hierarchy, level, rank, root, members, local_root);
        if (group < 0) continue;
        for (const int member : members) {
            blocks.parts[static_cast<std::size_t>(level)].push_back(part_of(group, member));
        }
    }
    return blocks;
}

}  // namespace strata::algorithms
