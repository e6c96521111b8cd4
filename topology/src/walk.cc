#include "walk.h"

#include <algorithm>

namespace strata::topology {

void set_walk_ends(std::vector<int>& walk, const std::vector<int>& nodes,
                   std::span<const LocalityRecord> records, CardUse use) {
    const auto distance = [&](int rank) {
        return records[static_cast<std::size_t>(rank)].near(use).distance;
    };
    const auto nearer = [&](int a, int b) { return distance(a) < distance(b); };
    if (nodes.size() < 2) return;  // nothing comes or goes through a card
    for (std::size_t node = 0; node < nodes.size(); ++node) {
        const auto begin = walk.begin() + nodes[node];
        const auto end = node + 1 < nodes.size() ? walk.begin() + nodes[node + 1] : walk.end();
        const auto first = std::min_element(begin, end, nearer);
        if (distance(*first) == unknown_distance) continue;
        std::rotate(begin, first, first + 1);
        if (end - begin < 3) continue;
        // Of equals the last one: it is the nearest to where it has to go.
        auto last = begin + 1;
        for (auto at = last + 1; at != end; ++at) {
            if (!nearer(*last, *at)) last = at;
        }
        std::rotate(last, last + 1, end);
    }
}

}  // namespace strata::topology
