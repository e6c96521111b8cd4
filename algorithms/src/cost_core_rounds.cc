// Exchanges among the stand-ins of the topmost group: the part of TreeModel in which these go in rounds, all
// together.
#include <algorithm>
#include <bit>

#include "cost_links.h"
#include "cost_tree.h"
#include "strata/algorithms/reduction_links.h"

namespace strata::algorithms {
namespace {

/// The members of a core that have a place in the rounds, and for each of them who has none beside it.
std::vector<HalvingPlace> doubling_places(const std::vector<int>& core) {
    const std::size_t paired = 2 * (core.size() - std::bit_floor(core.size()));
    std::vector<HalvingPlace> result;
    for (std::size_t i = 0; i < paired; i += 2) result.push_back({core[i + 1], core[i]});
    for (std::size_t i = paired; i < core.size(); ++i) result.push_back({core[i], -1});
    return result;
}

}  // namespace

/// What slows messages that all start together.
TreeModel::Crossings TreeModel::crossings(const std::vector<std::pair<int, int>>& messages) const {
    Crossings all;
    std::vector<int> out(groups_.size(), 0);
    std::vector<int> in(groups_.size(), 0);
    std::vector<Meeting> met;
    for (const auto& [from, to] : messages) {
        met.push_back(meeting(0, {from, 0}, {to, 0}));
        each_boundary(from, met.back().group, [&](int c) { ++out[c]; });
        each_boundary(to, met.back().group, [&](int c) { ++in[c]; });
    }
    for (std::size_t m = 0; m < messages.size(); ++m) {
        const std::size_t level = groups_[met[m].group].level;
        const auto add = [&](int c, int users) {
            all.push_back({level, met[m].us_per_byte, users - 1, group_gap_us_[c], group_us_per_byte_[c]});
        };
        all.push_back({.level = level, .us_per_byte = met[m].us_per_byte});
        each_boundary(messages[m].first, met[m].group, [&](int c) { add(c, out[c]); });
        each_boundary(messages[m].second, met[m].group, [&](int c) { add(c, in[c]); });
    }
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
}

void TreeModel::set_links(const LinkTable& links) {
    CostModel::set_links(links);
    rounds_.clear();
}

/// Where no group is skipped every message has all boundaries on its way for itself.
TreeModel::Rounds TreeModel::rounds_apart(const GroupView& top) {
    Crossing widest{.level = top.level};
    for (const Participant& member : top.participants)
        widest.us_per_byte = std::max(widest.us_per_byte, member.us_per_byte);
    Rounds made;
    made.rounds.resize(std::bit_width(top.participants.size()) - 1, {widest});
    if (!std::has_single_bit(top.participants.size())) made.before = made.after = {widest};
    return made;
}

TreeModel::Rounds TreeModel::make_rounds(const LevelPlan& plan) const {
    const GroupView& top = groups_.front();
    if (!top.merged) return rounds_apart(top);
    Plan exchange;
    exchange.levels.push_back(plan);
    exchange.skipped = skipped_;
    Rounds made;
    std::vector<HalvingPlace> places;
    if (plan.method.algorithm == Algorithm::rabenseifner) {
        places = halving_places(hierarchy_, exchange);
    } else {
        places = doubling_places(exchange_core(hierarchy_, exchange, false));
    }
    std::vector<std::pair<int, int>> before;
    std::vector<std::pair<int, int>> after;
    for (const HalvingPlace& place : places) {
        if (place.partner < 0) continue;
        before.emplace_back(place.partner, place.rank);
        after.emplace_back(place.rank, place.partner);
    }
    if (!before.empty()) {
        made.before = crossings(before);
        made.after = crossings(after);
    }
    for (std::size_t distance = 1; distance < places.size(); distance *= 2) {
        std::vector<std::pair<int, int>> messages;
        for (std::size_t place = 0; place < places.size(); ++place)
            messages.emplace_back(places[place].rank, places[place ^ distance].rank);
        made.rounds.push_back(crossings(messages));
    }
    return made;
}

/// Until the last of these messages has arrived.
double TreeModel::message_us(const Crossings& crossings, double bytes) const {
    double last = 0;
    for (const Crossing& way : crossings) {
        const LinkParameters& link = links_[way.level];
        const double waiting = way.before * std::max(way.gap, bytes * way.group_us_per_byte);
        const double sending = 2 * link.overhead_us + link.latency_us + bytes * way.us_per_byte +
                               handshake_us(link, static_cast<std::size_t>(bytes));
        last = std::max(last, waiting + sending);
    }
    return last;
}

/// Recursive doubling of whole vectors, or recursive halving and doubling, among the stand-ins of the topmost
/// group, who all start together.
double TreeModel::rounds_us(const LevelPlan& plan) {
    const GroupView& top = groups_.front();
    if (top.participants.size() < 2) return 0;
    const Algorithm algorithm = plan.method.algorithm;
    auto known = rounds_.find(algorithm);
    if (known == rounds_.end()) known = rounds_.emplace(algorithm, make_rounds(plan)).first;
    const Rounds& rounds = known->second;
    double us = message_us(rounds.before, bytes_) + message_us(rounds.after, bytes_);
    if (!rounds.before.empty()) us += bytes_ * fold_us_per_byte_;
    // A processor that moves the bytes itself first sends its own, then takes in the partner's.
    const double copy = network_[top.level] ? 0 : 1 / links_[top.level].bytes_per_us;
    const bool halves = algorithm == Algorithm::rabenseifner;
    double bytes = bytes_;
    for (const Crossings& round : rounds.rounds) {
        const bool there_and_back = halves && &round != &rounds.rounds.back();
        if (there_and_back) bytes /= 2;
        const double message = message_us(round, bytes) + bytes * copy;
        us += bytes * fold_us_per_byte_ + (there_and_back ? 2 : 1) * message;
    }
    return us;
}

}  // namespace strata::algorithms
