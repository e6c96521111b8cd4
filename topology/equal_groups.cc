#include "topology/equal_groups.h"

#include <algorithm>
#include <map>
#include <utility>

namespace strata::topology {
namespace {

/// What equal groups have in common. Children: twice the class, plus one if the child contains the leader;
/// else a direct rank is the leader.
struct Likeness {
    LevelKey level;
    LevelKey around;
    std::size_t near = 0;  ///< direct ranks that receive for themselves
    std::size_t far = 0;
    bool leader_is_near = false;
    std::vector<int> children;
    auto operator<=>(const Likeness&) const = default;
};

}  // namespace

std::vector<int> equal_groups(const Hierarchy& hierarchy) {
    std::vector<int> classes(hierarchy.groups.size());
    std::map<Likeness, int> known;
    // From the last group on, because children follow their parents.
    for (int g = static_cast<int>(classes.size()) - 1; g >= 0; --g) {
        const Group& group = hierarchy.groups[static_cast<std::size_t>(g)];
        const auto is_near = [&](int rank) { return hierarchy.receiver_of(rank) == rank; };
        Likeness own;
        own.level = group.level;
        own.around = group.around;
        own.near = static_cast<std::size_t>(std::ranges::count_if(group.direct, is_near));
        own.far = group.direct.size() - own.near;
        const bool leads_itself = std::ranges::binary_search(group.direct, group.leader);
        own.leader_is_near = is_near(group.leader);
        for (const int child : group.children) {
            const bool leads = !leads_itself && hierarchy.contains(child, group.leader);
            own.children.push_back(2 * classes[static_cast<std::size_t>(child)] + (leads ? 1 : 0));
        }
        std::ranges::sort(own.children);
        const auto number = static_cast<int>(known.size());
        classes[static_cast<std::size_t>(g)] = known.try_emplace(std::move(own), number).first->second;
    }
    return classes;
}

}  // namespace strata::topology
