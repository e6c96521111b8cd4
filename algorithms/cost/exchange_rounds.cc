// The exchange among the local roots of the topmost group: the part of ExchangeModel that proceeds in rounds.
#include <algorithm>
#include <bit>
#include <numeric>
#include <utility>
#include <vector>

#include "algorithms/cost/exchange.h"
#include "algorithms/cost/links.h"

namespace strata::algorithms {

/// Returns the time of one round, whose messages start together.
double ExchangeModel::round_us(const Crossings& crossings, double bytes, double others, const LevelPlan& plan,
                               const Window& window) const {
    const Stream stream = cut({.bytes = bytes}, plan.segment_bytes);
    double us = message_us(crossings, bytes, others, stream.message);
    for (const Crossing& way : crossings) {
        const LinkParameters& link = links_[way.level];
        // Each rank sends as many messages as it receives.
        const double busy = 2 * stream.messages * link.overhead_us + link.latency_us;
        us = std::max({us, busy, acknowledged_us(way.level, stream, plan.segment_bytes, window)});
    }
    return us;
}

/// Returns the time of one place's message of `bytes` in a round (index into Rounds::by_place). It crosses
/// the others of the round, `mean` bytes each; `together`: the crossings if all are equal.
double ExchangeModel::own_us(const Rounds& rounds, std::size_t round, const Crossings& together,
                             std::size_t place, double bytes, double mean, const LevelPlan& plan,
                             const Window& window) const {
    const bool alike = rounds.by_place.empty();
    const Crossings& own = alike ? together : rounds.ways[rounds.by_place[round][place]];
    // A processor that copies first sends its own bytes, then receives its partner's.
    return round_us(own, bytes, mean, plan, window) + bytes * copy_us_per_byte(own);
}

/// Times the rounds among the local roots of the topmost group. In each round a place sends everything that
/// it has, and waits only for its partner.
///
///   places 0 1 2 3:  distance 2: 0 <-> 2, 1 <-> 3   distance 1: 0 <-> 1, 2 <-> 3
void ExchangeModel::exchange(const LevelPlan& plan, const Window& window) {
    if (places_.empty()) places_ = places_side_by_side();
    const Rounds& rounds = rounds_among(Places::side_by_side);
    const bool alike = rounds.by_place.empty();
    const auto bytes_of = [&](int rank) { return bytes_ * ranks_[rank].below / all_ranks_; };
    const auto joins = [&](std::size_t round, const Crossings& together, std::size_t place, double bytes) {
        return own_us(rounds, round, together, place, bytes, bytes, plan, window);
    };
    std::vector<double> at;
    std::vector<double> held;
    for (std::size_t place = 0; place < places_.size(); ++place) {
        const auto& [rank, partner] = places_[place];
        at.push_back(arrivals_[rank].all());
        held.push_back(bytes_of(rank));
        if (partner < 0) continue;
        at.back() = std::max(at.back(), arrivals_[partner].all()) +
                    joins(0, rounds.before, place, bytes_of(partner));
        held.back() += bytes_of(partner);
    }
    for (std::size_t distance = held.size() / 2; distance > 0; distance /= 2) {
        const double most = *std::max_element(held.begin(), held.end());
        const double mean = std::accumulate(held.begin(), held.end(), 0.0) / static_cast<double>(held.size());
        const auto round = static_cast<std::size_t>(std::countr_zero(distance));
        const double all_us =
            alike ? own_us(rounds, round + 1, rounds.rounds[round], 0, most, mean, plan, window) : 0;
        std::vector<std::pair<double, double>> timed(rounds.ways.size(), {-1, 0});  // bytes, us
        const auto us = [&](std::size_t place) {
            if (alike) return all_us;
            auto& [bytes, own] = timed[static_cast<std::size_t>(rounds.by_place[round + 1][place])];
            if (bytes != held[place])
                own = own_us(rounds, round + 1, {}, place, held[place], mean, plan, window);
            bytes = held[place];
            return own;
        };
        for (std::size_t place = 0; place < held.size(); ++place) {
            const std::size_t peer = place ^ distance;
            if (peer < place) continue;
            at[place] = at[peer] = std::max(at[place], at[peer]) + std::max(us(place), us(peer));
            held[place] = held[peer] = held[place] + held[peer];
        }
    }
    constexpr int no_rank = -1;
    for (std::size_t place = 0; place < places_.size(); ++place) {
        const auto& [rank, partner] = places_[place];
        arrivals_[rank].add(no_rank, at[place], 0, 0);
        if (partner < 0) continue;
        const double last = joins(rounds.rounds.size() + 1, rounds.after, place, bytes_ - bytes_of(partner));
        arrivals_[partner].add(no_rank, at[place] + last, 0, 0);
    }
}

}  // namespace strata::algorithms
