#include "consecutive_shapes.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace strata::testing {
namespace {

using topology::Group;
using topology::Hierarchy;

/// Renumbers the ranks below `group`: its children and the ranks that stop here, in random order.
void number(Random& random, const Hierarchy& hierarchy, int group, std::vector<int>& numbers, int& next) {
    const Group& self = hierarchy.groups[group];
    std::vector<int> parts(self.children.size() + self.direct.size());
    std::iota(parts.begin(), parts.end(), 0);
    shuffle(random, parts);
    for (const int part : parts) {
        const auto child = static_cast<std::size_t>(part);
        if (child < self.children.size()) {
            number(random, hierarchy, self.children[child], numbers, next);
        } else {
            numbers[self.direct[child - self.children.size()]] = next++;
        }
    }
}

}  // namespace

Hierarchy consecutive(Random& random, const Hierarchy& hierarchy) {
    std::vector<int> numbers(hierarchy.stop.size());
    int next = 0;
    number(random, hierarchy, 0, numbers, next);
    Hierarchy result = hierarchy;
    const auto renumber = [&](std::vector<int>& ranks) {
        for (int& rank : ranks) {
            rank = numbers[rank];
        }
        std::sort(ranks.begin(), ranks.end());
    };
    for (Group& group : result.groups) {
        renumber(group.members);
        renumber(group.direct);
        group.leader = numbers[group.leader];
    }
    for (Group& group : result.groups) {
        std::sort(group.children.begin(), group.children.end(), [&](int a, int b) {
            return result.groups[a].members.front() < result.groups[b].members.front();
        });
    }
    for (std::size_t rank = 0; rank < numbers.size(); ++rank) {
        result.stop[numbers[rank]] = hierarchy.stop[rank];
    }
    return result;
}

Hierarchy with_other_leaders(Random& random, const Hierarchy& hierarchy) {
    std::vector<int> preference(hierarchy.stop.size());
    std::iota(preference.begin(), preference.end(), 0);
    shuffle(random, preference);
    Hierarchy result = hierarchy;
    for (Group& group : result.groups) {
        group.leader = *std::min_element(group.members.begin(), group.members.end(),
                                         [&](int a, int b) { return preference[a] < preference[b]; });
    }
    return result;
}

}  // namespace strata::testing
