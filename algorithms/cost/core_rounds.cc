// Exchanges among the local roots of the topmost group, in rounds: the messages for all models, and the times
// of whole vectors and of reduce-scatter + allgather.
#include <algorithm>
#include <bit>
#include <map>

#include "algorithms/cost/links.h"
#include "algorithms/cost/tree.h"
#include "algorithms/patterns/reduction_links.h"

namespace strata::algorithms {
namespace {

/// Returns the core's members with a place in the rounds, each with the member that it is proxy for, or -1.
std::vector<HalvingPlace> doubling_places(const std::vector<int>& core) {
    const std::size_t paired = 2 * (core.size() - std::bit_floor(core.size()));
    std::vector<HalvingPlace> result;
    for (std::size_t i = 0; i < paired; i += 2) result.push_back({core[i + 1], core[i]});
    for (std::size_t i = paired; i < core.size(); ++i) result.push_back({core[i], -1});
    return result;
}

}  // namespace

/// Calls action(m, crossings) for each of some messages that start together.
template <typename Action>
void CostModel::each_crossings(const std::vector<std::pair<int, int>>& messages, Action&& action) const {
    std::vector<int> out(groups_.size(), 0);
    std::vector<int> in(groups_.size(), 0);
    std::vector<int> moved(groups_.size(), 0);
    std::vector<Meeting> met;
    met.reserve(messages.size());
    for (const auto& [from, to] : messages) {
        met.push_back(meeting(0, {from, 0}, {to, 0}));
        each_boundary(from, met.back().group, [&](int c) { ++out[c]; });
        each_boundary(to, met.back().group, [&](int c) { ++in[c]; });
        each_bus(from, to, met.back().group, [&](int c) { ++moved[c]; });
    }
    Crossings own;
    for (std::size_t m = 0; m < messages.size(); ++m) {
        own.clear();
        const std::size_t level = groups_[met[m].group].level;
        const auto add = [&](int c, int users) {
            own.push_back({level, met[m].us_per_byte, users - 1, group_gap_us_[c], group_us_per_byte_[c]});
        };
        own.push_back({.level = level, .us_per_byte = met[m].us_per_byte});
        each_boundary(messages[m].first, met[m].group, [&](int c) { add(c, out[c]); });
        each_boundary(messages[m].second, met[m].group, [&](int c) { add(c, in[c]); });
        each_bus(messages[m].first, messages[m].second, met[m].group,
                 [&](int c) { own.push_back(on_bus(level, c, moved[c])); });
        std::sort(own.begin(), own.end());
        own.erase(std::unique(own.begin(), own.end()), own.end());
        action(m, own);
    }
}

/// All messages on a bus are done when it has moved all their bytes.
CostModel::Crossing CostModel::on_bus(std::size_t level, int group, int messages) const {
    const double us_per_byte = group_bus_us_per_byte_[group];
    return {level, us_per_byte, messages - 1, 0, us_per_byte};
}

/// Without skipped groups each message has the boundaries on its way for itself. The group's bus carries all
/// messages; buses inside it carry one member's sent and received data.
CostModel::Rounds CostModel::rounds_apart(const GroupView& top) const {
    Crossing widest{.level = top.level};
    int slowest = -1;
    for (const Participant& member : top.participants) {
        widest.us_per_byte = std::max(widest.us_per_byte, member.us_per_byte);
        each_bus(member.rank, member.rank, 0, [&](int c) {
            const bool slower = slowest < 0 || group_bus_us_per_byte_[c] > group_bus_us_per_byte_[slowest];
            if (c != 0 && slower) slowest = c;
        });
    }
    Crossings round{widest};
    if (slowest >= 0) round.push_back(on_bus(top.level, slowest, 2));
    if (group_bus_us_per_byte_[0] > 0)
        round.push_back(on_bus(top.level, 0, static_cast<int>(top.participants.size())));
    Rounds made;
    made.rounds.resize(std::bit_width(top.participants.size()) - 1, round);
    if (!std::has_single_bit(top.participants.size())) made.before = made.after = round;
    return made;
}

Plan CostModel::without_skipped() const {
    Plan plan;
    plan.skipped = skipped_;
    return plan;
}

std::vector<HalvingPlace> CostModel::places_side_by_side() const {
    return halving_places(hierarchy_, without_skipped());
}

const CostModel::Rounds& CostModel::rounds_among(Places places) {
    const auto [entry, added] = rounds_.try_emplace(places);
    if (!added) return entry->second;
    if (!groups_.front().merged) {
        entry->second = rounds_apart(groups_.front());
    } else if (places == Places::side_by_side) {
        entry->second = make_rounds(places_side_by_side());
    } else {
        entry->second = make_rounds(doubling_places(exchange_core(hierarchy_, without_skipped(), false)));
    }
    return entry->second;
}

CostModel::Rounds CostModel::make_rounds(const std::vector<HalvingPlace>& places) const {
    Rounds made;
    std::map<Crossings, int> known;
    const auto add = [&](auto&& from, auto&& to) {
        std::vector<std::pair<int, int>> messages;
        std::vector<std::size_t> senders;
        messages.reserve(places.size());
        senders.reserve(places.size());
        for (std::size_t place = 0; place < places.size(); ++place) {
            if (from(place) < 0 || to(place) < 0) continue;
            messages.emplace_back(from(place), to(place));
            senders.push_back(place);
        }
        std::vector<int>& ways = made.by_place.emplace_back(places.size(), -1);
        each_crossings(messages, [&](std::size_t m, const Crossings& own) {
            auto entry = known.find(own);
            if (entry == known.end()) {
                entry = known.emplace(own, static_cast<int>(made.ways.size())).first;
                made.ways.push_back(own);
            }
            ways[senders[m]] = entry->second;
        });
    };
    const auto own = [&](std::size_t place) { return places[place].rank; };
    const auto partner = [&](std::size_t place) { return places[place].partner; };
    add(partner, own);
    for (std::size_t distance = 1; distance < places.size(); distance *= 2)
        add(own, [&](std::size_t place) { return places[place ^ distance].rank; });
    add(own, partner);
    made.rounds.resize(made.by_place.size() - 2);
    return made;
}

double CostModel::message_us(const Crossings& crossings, double bytes, double others, double segment) const {
    double last = 0;
    for (const Crossing& way : crossings) {
        const LinkParameters& link = links_[way.level];
        const double waiting = way.before * std::max(way.gap, others * way.group_us_per_byte);
        const double sending = 2 * link.overhead_us + link.latency_us + bytes * way.us_per_byte +
                               handshake_us(link, static_cast<std::size_t>(segment));
        last = std::max(last, waiting + sending);
    }
    return last;
}

/// A processor that copies first sends its own bytes, then receives its partner's.
double CostModel::copy_us_per_byte(const Crossings& round) const {
    double slowest = 0;
    for (const Crossing& way : round) slowest = std::max(slowest, copy_us_per_byte(way.level));
    return slowest;
}

/// Returns the time of recursive doubling of whole vectors, or of recursive halving and doubling, among the
/// local roots of the topmost group. All start together. p local roots, n bytes, gamma us per combined byte:
///   recursive doubling           log2 p (alpha + n (beta + gamma))
///   reduce-scatter + allgather   2 log2 p alpha + 2 n (1 - 1/p) beta + n (1 - 1/p) gamma
double TreeModel::rounds_us(const LevelPlan& plan) {
    const GroupView& top = groups_.front();
    if (top.participants.size() < 2) return 0;
    const Algorithm algorithm = plan.method.algorithm;
    const bool reduce_scatter = algorithm == Algorithm::rabenseifner;
    const Rounds& rounds = rounds_among(reduce_scatter ? Places::side_by_side : Places::as_participants);
    const double combined = bytes_ * combine_us_per_byte_;
    if (!rounds.by_place.empty()) return rounds_by_place_us(rounds, reduce_scatter);
    double us = message_us(rounds.before, bytes_) + message_us(rounds.after, bytes_);
    if (!rounds.before.empty()) us += combined;
    double share = 1;
    for (const Crossings& round : rounds.rounds) {
        const bool there_and_back = reduce_scatter && &round != &rounds.rounds.back();
        if (there_and_back) share /= 2;
        us += share * combined + (there_and_back ? 2 : 1) * trade_us(round, share * bytes_);
    }
    return us;
}

double TreeModel::trade_us(const Crossings& round, double bytes) const {
    return message_us(round, bytes) + bytes * copy_us_per_byte(round);
}

/// The same with individual times: each place waits for its partner only.
double TreeModel::rounds_by_place_us(const Rounds& rounds, bool reduce_scatter) const {
    const double combined = bytes_ * combine_us_per_byte_;
    std::vector<double> way_us(rounds.ways.size());
    std::vector<double> at(rounds.by_place.front().size(), 0);
    const auto count = rounds.rounds.size();
    const auto trade = [&](std::size_t round, double share, bool combines) {
        for (std::size_t way = 0; way < way_us.size(); ++way)
            way_us[way] = trade_us(rounds.ways[way], share * bytes_);
        const std::vector<int>& ways = rounds.by_place[1 + round];
        const std::size_t distance = std::size_t{1} << round;
        for (std::size_t place = 0; place < at.size(); ++place) {
            const std::size_t peer = place ^ distance;
            if (peer < place) continue;
            const double both = std::max(way_us[ways[place]], way_us[ways[peer]]);
            at[place] = at[peer] = std::max(at[place], at[peer]) + both + (combines ? share * combined : 0);
        }
    };
    const auto join = [&](const std::vector<int>& ways, double combine) {
        for (std::size_t place = 0; place < at.size(); ++place) {
            if (ways[place] >= 0) at[place] += message_us(rounds.ways[ways[place]], bytes_) + combine;
        }
    };
    join(rounds.by_place.front(), combined);
    double share = 1;
    for (std::size_t round = 0; round < count; ++round) {
        if (reduce_scatter && round + 1 < count) share /= 2;
        trade(round, share, true);
    }
    for (std::size_t round = count - 1; reduce_scatter && round-- > 0; share *= 2) trade(round, share, false);
    join(rounds.by_place.back(), 0);
    return *std::max_element(at.begin(), at.end());
}

}  // namespace strata::algorithms
