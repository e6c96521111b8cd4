#include "topology/equal_groups.h"

#include <algorithm>
#include <map>
#include <utility>

namespace strata::topology {
namespace {

/// What equal groups have in common. Children: twice the class, plus one if the child contains the
/// leader.
struct Shape {
    LevelKey level;
    LevelKey around;
    std::size_t near = 0;  ///< direct ranks that receive for themselves
    std::size_t far = 0;
    bool leads = false;  ///< a direct rank is the leader
    bool leader_is_near = false;
    std::vector<int> children;
    auto operator<=>(const Shape&) const = default;
};

}  // namespace

std::vector<int> equal_groups(const Hierarchy& hierarchy) {
    std::vector<int> classes(hierarchy.groups.size());
    std::map<Shape, int> shapes;
    // From the last group on, because children follow their parents.
    for (int g = static_cast<int>(classes.size()) - 1; g >= 0; --g) {
        const Group& group = hierarchy.groups[static_cast<std::size_t>(g)];
        const auto is_near = [&](int rank) { return hierarchy.receiver_of(rank) == rank; };
        Shape shape;
        shape.level = group.level;
        shape.around = group.around;
        shape.near = static_cast<std::size_t>(std::ranges::count_if(group.direct, is_near));
        shape.far = group.direct.size() - shape.near;
        shape.leads = std::ranges::binary_search(group.direct, group.leader);
        shape.leader_is_near = is_near(group.leader);
        for (const int child : group.children) {
            const bool leads = !shape.leads && hierarchy.contains(child, group.leader);
            shape.children.push_back(2 * classes[static_cast<std::size_t>(child)] + (leads ? 1 : 0));
        }
        std::ranges::sort(shape.children);
        const auto number = static_cast<int>(shapes.size());
        classes[static_cast<std::size_t>(g)] = shapes.try_emplace(std::move(shape), number).first->second;
    }
    return classes;
}

}  // namespace strata::topology
