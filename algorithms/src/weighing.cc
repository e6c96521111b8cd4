#include "weighing.h"

#include <algorithm>

#include "link_range.h"
#include "receiver.h"

namespace strata::algorithms {

Weighing::Weighing(const topology::Hierarchy& hierarchy, const LinkTable& links, const Operation& operation,
                   int window)
    : hierarchy_(hierarchy), operation_(operation), tables_(possible_links(hierarchy, links)) {
    for (const LinkTable& table : tables_) {
        windows_.push_back(choose_window(window, hierarchy, table));
        forward_us_.push_back(forward_cost_us(hierarchy, table, operation) +
                              receiver_cost(hierarchy, table, operation, 0).far_us);
    }
}

void Weighing::add(const std::vector<LevelPlan>& levels, bool near_card,
                   std::span<const topology::LevelKey> skipped) {
    std::vector<double> us;
    for (std::size_t t = 0; t < tables_.size(); ++t) {
        const LinkTable& table = tables_[t];
        us.push_back(make_cost_model(hierarchy_, table, operation_, skipped)
                         ->cost_us(levels, operation_.bytes, windows_[t]) +
                     receiving_us(hierarchy_, table, operation_, levels, near_card));
    }
    ways_us_.push_back(std::move(us));
}

Weighing::Choice Weighing::choose() const {
    const double forward_us = mean_us(forward_us_);
    double least_us = forward_us;
    for (const auto& way : ways_us_) least_us = std::min(least_us, mean_us(way));
    const CollectiveTraits traits = traits_of(operation_.collective);
    const bool spares_links = !(traits.blocks && traits.rooted);
    for (std::size_t way = 0; way < ways_us_.size(); ++way) {
        const double us = mean_us(ways_us_[way]);
        if (us * (1 - needed_gain) > least_us) continue;
        if (spares_links || us <= forward_us * (1 - needed_gain)) return {way, ways_us_[way].front()};
    }
    return {std::nullopt, forward_us_.front()};
}

}  // namespace strata::algorithms
