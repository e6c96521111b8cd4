#include "traffic.h"

#include <algorithm>

namespace strata::simulation {

Traffic::Traffic(const topology::Hierarchy& hierarchy) : hierarchy_(&hierarchy) {
    for (const topology::LevelKey level : hierarchy.levels()) counts_.push_back({level, 0, 0});
    for (const topology::Group& group : hierarchy.groups) {
        const auto place = std::find_if(counts_.begin(), counts_.end(),
                                        [&](const Count& count) { return count.level == group.level; });
        level_of_.push_back(static_cast<std::size_t>(place - counts_.begin()));
    }
}

void Traffic::add(int from, int to, std::size_t bytes) {
    if (from == to) return;
    const auto group = static_cast<std::size_t>(hierarchy_->lowest_common_group(from, to));
    Count& count = counts_[level_of_[group]];
    ++count.messages;
    count.bytes += bytes;
}

void Traffic::clear() {
    for (Count& count : counts_) count.messages = count.bytes = 0;
}

}  // namespace strata::simulation
