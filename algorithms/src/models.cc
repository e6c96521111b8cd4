#include "models.h"

#include <algorithm>

namespace strata::algorithms {

CostModel& Models::at(const LinkTable& links, std::span<const topology::LevelKey> skipped) {
    for (Entry& entry : entries_) {
        if (!std::equal(skipped.begin(), skipped.end(), entry.skipped.begin(), entry.skipped.end())) continue;
        if (entry.links != &links) entry.model->set_links(links);
        entry.links = &links;
        return *entry.model;
    }
    entries_.push_back(
        {{skipped.begin(), skipped.end()}, &links, make_cost_model(hierarchy_, links, operation_, skipped)});
    return *entries_.back().model;
}

}  // namespace strata::algorithms
