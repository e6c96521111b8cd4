#include "topology/hierarchy.h"

#include <algorithm>

namespace strata::topology {

bool Hierarchy::contains(int group, int rank) const {
    int at = stop[static_cast<std::size_t>(rank)];
    // Parents precede their children, so the climb may stop early.
    while (at > group) at = groups[static_cast<std::size_t>(at)].parent;
    return at == group;
}

std::vector<LevelKey> Hierarchy::levels() const {
    // The nesting of levels differs between machines (a package may contain several NUMA nodes, or a
    // NUMA node several packages). The groups determine it; the usual order resolves the rest.
    const auto usually_above = [](LevelKey a, LevelKey b) {
        return a.kind != b.kind ? a.kind < b.kind : a.height > b.height;
    };
    std::vector<LevelKey> left;
    std::vector<std::pair<LevelKey, LevelKey>> above;  // first is above second somewhere
    const auto add = [](auto& list, const auto& value) {
        if (std::find(list.begin(), list.end(), value) == list.end()) list.push_back(value);
    };
    std::pair<LevelKey, LevelKey> last;  // groups are sorted level by level, so most repeat it
    for (const Group& group : groups) {
        const LevelKey over =
            group.parent < 0 ? group.level : groups[static_cast<std::size_t>(group.parent)].level;
        const std::pair nesting(over, group.level);
        if (&group != &groups.front() && nesting == last) continue;
        last = nesting;
        add(left, group.level);
        // The topmost level comes first even if it appears again below another one (hwloc's Groups).
        if (over != group.level && group.level != groups.front().level) add(above, nesting);
    }
    std::sort(left.begin(), left.end(), usually_above);
    std::vector<LevelKey> result;
    while (!left.empty()) {
        const auto free = std::find_if(left.begin(), left.end(), [&](LevelKey key) {
            return std::none_of(above.begin(), above.end(), [&](const auto& pair) {
                return pair.second == key && std::find(left.begin(), left.end(), pair.first) != left.end();
            });
        });
        // Two machines nest two levels in opposite order: use the usual one.
        const auto next = free != left.end() ? free : left.begin();
        result.push_back(*next);
        left.erase(next);
    }
    return result;
}

int Hierarchy::depth() const {
    int deepest = 0;
    for (const Group& group : groups) deepest = std::max(deepest, group.depth + 1);
    return deepest;
}

int Hierarchy::widest_in_node(int rank) const {
    int widest = -1;
    for (int group = stop[static_cast<std::size_t>(rank)]; group >= 0;) {
        const Group& around = groups[static_cast<std::size_t>(group)];
        if (is_network(around)) break;
        widest = group;
        group = around.parent;
    }
    return widest;
}

int Hierarchy::lowest_common_group(int a, int b) const {
    int x = stop[static_cast<std::size_t>(a)];
    int y = stop[static_cast<std::size_t>(b)];
    while (x != y) {
        int& lower = x > y ? x : y;
        lower = groups[static_cast<std::size_t>(lower)].parent;
    }
    return x;
}

}  // namespace strata::topology
