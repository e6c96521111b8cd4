#include "algorithms/planning/robust_choice.h"

#include <algorithm>
#include <utility>

#include "algorithms/cost/choose_window.h"
#include "algorithms/cost/receiver.h"

namespace strata::algorithms {
namespace {

/// Replaces the geometric mean: twice as fast under one table offsets twice as slow under another. C
/// libraries round logarithms differently; a product has the same bits on every rank.
double product(const std::vector<double>& us) {
    double all = 1;
    for (const double one : us) all *= one;
    return all;
}

}  // namespace

RobustChoice::RobustChoice(const topology::Hierarchy& hierarchy, const LinkTable& links,
                           const Operation& operation, int window, double forward_us, FlatRounds& rounds,
                           Effort effort)
    : hierarchy_(hierarchy),
      operation_(operation),
      possible_(effort == Effort::full ? possible_links(hierarchy, links) : PossibleLinks{{links}, {}}) {
    forward_us_.push_back(forward_us);
    for (const LinkTable& table : tables()) {
        windows_.push_back(choose_window(window, hierarchy, table));
        if (&table == &tables().front()) continue;
        forward_us_.push_back(forward_cost_us(hierarchy, table, operation, rounds) +
                              receiver_cost(hierarchy, table, operation, 0).far_us);
    }
}

void RobustChoice::add(const std::vector<LevelPlan>& levels, bool nic_local,
                       std::vector<topology::LevelKey> skipped, std::optional<double> us) {
    ways_.push_back({levels, nic_local, std::move(skipped), {}});
    if (us)
        ways_.back().us.push_back(*us +
                                  receiving_us(hierarchy_, tables().front(), operation_, levels, nic_local));
}

/// Table by table, because a model has one table at a time.
void RobustChoice::predict(Models& models) {
    for (std::size_t t = 0; t < tables().size(); ++t) {
        const LinkTable& table = tables()[t];
        for (Way& way : ways_) {
            if (way.us.size() > t) continue;
            const auto same = std::find_if(ways_.begin(), ways_.end(), [&](const Way& other) {
                return other.us.size() > t && other.nic_local == way.nic_local &&
                       other.skipped == way.skipped && other.levels == way.levels;
            });
            way.us.push_back(
                same != ways_.end()
                    ? same->us[t]
                    : models.at(table, way.skipped).cost_us(way.levels, operation_.bytes, windows_[t]) +
                          receiving_us(hierarchy_, table, operation_, way.levels, way.nic_local));
        }
    }
}

RobustChoice::Choice RobustChoice::choose(Models& models) {
    predict(models);
    const double forward_us = product(forward_us_);
    double least_us = forward_us;
    for (const Way& way : ways_) least_us = std::min(least_us, product(way.us));
    const double gained = product(std::vector<double>(forward_us_.size(), 1 - needed_gain));
    for (std::size_t way = 0; way < ways_.size(); ++way) {
        const double us = product(ways_[way].us);
        if (us * gained > least_us) continue;
        // Without a gain above the model's error a plan may be slower than the underlying component.
        if (us <= forward_us * gained) return {way, ways_[way].us.front()};
    }
    return {std::nullopt, forward_us_.front()};
}

}  // namespace strata::algorithms
