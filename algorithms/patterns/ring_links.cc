#include <algorithm>

#include "algorithms/patterns/reduction_links.h"

namespace strata::algorithms {

ExchangeLinks ring_links(const topology::Hierarchy& hierarchy, const Plan& plan, int rank) {
    constexpr int top = 0;
    Plan chain = plan;
    for (LevelPlan& level : chain.levels) {
        if (level.level == hierarchy.groups[top].level) {
            level.method = {Algorithm::pipeline, 0, {}};
        }
    }
    ExchangeLinks links = exchange_links(hierarchy, chain, rank, false);
    if (!links.core.empty()) {
        links.core = shape_members(hierarchy, chain, top, hierarchy.groups[top].leader);
        links.position =
            static_cast<int>(std::find(links.core.begin(), links.core.end(), rank) - links.core.begin());
    }
    return links;
}

}  // namespace strata::algorithms
