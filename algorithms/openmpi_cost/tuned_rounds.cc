// Rounds with doubling or halving distances, estimated for many ranks (tuned.h).
#include <algorithm>

#include "algorithms/openmpi_cost/tuned.h"

namespace strata::algorithms {
namespace {

// Rounds are named by a pattern and their distance; these are the others, which serve ranks above a power of
// two.
constexpr int standing_aside = -1;
constexpr int coming_back = -2;
constexpr int sharing_combines = -3;
using Pattern = RoundCounts::Pattern;

/// Returns the partner function of a round among a power of two of ranks; `rank_of` maps v to its rank.
template <typename RankOf, typename PlaceOf>
auto pairwise(int distance, RankOf rank_of, PlaceOf place_of) {
    return [=](int rank) {
        const int v = place_of(rank);
        return v < 0 ? -1 : rank_of(v ^ distance);
    };
}

FlatRounds::Time allreduce_rounds(FlatModel& model, FlatRounds& rounds, Algorithm algorithm,
                                  std::size_t bytes) {
    const int ranks = model.ranks();
    const int power = whole_power(ranks);
    const int extra = ranks - power;
    const bool halving = algorithm == Algorithm::rabenseifner;
    const int kept = halving ? 0 : 1;  // parity of the ranks of the first pairs that continue
    const auto rank_of = [=](int v) { return v < extra ? 2 * v + kept : v + extra; };
    const auto place_of = [=](int rank) {
        if (rank >= 2 * extra) return rank - extra;
        return rank % 2 == kept ? rank / 2 : -1;
    };
    const auto aside = [=](int rank) {
        return rank < 2 * extra && rank % 2 != kept ? rank + (kept ? 1 : -1) : -1;
    };
    const auto back = [=](int rank) {
        return rank < 2 * extra && rank % 2 == kept ? rank + (kept ? -1 : 1) : -1;
    };
    const auto pair = [=](int rank) { return rank < 2 * extra ? rank ^ 1 : -1; };
    const Pattern pattern = halving ? Pattern::allreduce_halving : Pattern::allreduce_doubling;
    FlatRounds::Time time;
    if (extra > 0) {
        const std::size_t half = bytes - bytes / 2;
        if (halving) rounds.add(time, model, {pattern, sharing_combines}, half, half, pair);
        rounds.add(time, model, {pattern, standing_aside}, halving ? half : bytes, halving ? 0 : bytes,
                   aside);
        rounds.add(time, model, {pattern, coming_back}, bytes, 0, back);
    }
    std::size_t window = bytes;
    for (int distance = 1; distance < power; distance *= 2) {
        const auto partner = pairwise(distance, rank_of, place_of);
        if (halving) window -= window / 2;
        rounds.add(time, model, {pattern, distance}, window, window, partner);
        if (halving) rounds.add(time, model, {pattern, distance}, window, 0, partner);
    }
    return time;
}

}  // namespace

FlatRounds::Time rounds_of(FlatModel& model, FlatRounds& rounds, const TunedCall& call) {
    if (call.task == LevelTask::allreduce) return allreduce_rounds(model, rounds, call.algorithm, call.bytes);
    const int ranks = model.ranks();
    const bool doubling = call.algorithm == Algorithm::recursive_doubling;
    const Pattern pattern = doubling ? Pattern::allgather_doubling : Pattern::allgather_bruck;
    FlatRounds::Time time;
    for (int distance = 1; distance < ranks; distance *= 2) {
        const int blocks = doubling ? distance : std::min(distance, ranks - distance);
        rounds.add(time, model, {pattern, distance}, static_cast<std::size_t>(blocks) * call.bytes, 0,
                   [=](int rank) { return doubling ? rank ^ distance : (rank + ranks - distance) % ranks; });
    }
    return time;
}

double in_turn_or_shared_us(double in_turn_us, const FlatRounds::Time& rounds) {
    return (in_turn_us + std::max(in_turn_us, rounds.shared_us())) / 2;
}

}  // namespace strata::algorithms
