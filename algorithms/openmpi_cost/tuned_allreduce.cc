// coll/tuned's allreduce (tuned.h).
#include <bit>
#include <utility>

#include "algorithms/openmpi_cost/tuned.h"

namespace strata::algorithms {
namespace {

using enum Algorithm;

constexpr TunedChoice commuting_allreduce_choices[] = {
    {4, 8, ring},
    {4, 4096, recursive_doubling},
    {4, 8192, ring},
    {4, 16384, recursive_doubling},
    {4, 65536, ring},
    {4, 262144, segmented_ring},
    {4, any_bytes, rabenseifner},
    {8, 16, ring},
    {8, 8192, recursive_doubling},
    {8, any_bytes, rabenseifner},
    {16, 8192, recursive_doubling},
    {16, any_bytes, rabenseifner},
    {32, 64, segmented_ring},
    {32, 4096, recursive_doubling},
    {32, any_bytes, rabenseifner},
    {64, 128, segmented_ring},
    {64, any_bytes, rabenseifner},
    {128, 262144, recursive_doubling},
    {128, any_bytes, rabenseifner},
    {256, 131072, nonoverlapping},
    {256, 262144, recursive_doubling},
    {256, any_bytes, rabenseifner},
    {512, 4096, nonoverlapping},
    {512, any_bytes, rabenseifner},
    {2048, 2048, nonoverlapping},
    {2048, 16384, recursive_doubling},
    {2048, any_bytes, rabenseifner},
    {4096, 2048, nonoverlapping},
    {4096, 4096, segmented_ring},
    {4096, 16384, recursive_doubling},
    {4096, any_bytes, rabenseifner},
    {any_ranks, 2048, nonoverlapping},
    {any_ranks, 16384, segmented_ring},
    {any_ranks, 32768, recursive_doubling},
    {any_ranks, any_bytes, rabenseifner},
};

constexpr TunedChoice ordered_allreduce_choices[] = {
    {4, 131072, recursive_doubling},    {4, any_bytes, linear},
    {8, any_bytes, recursive_doubling}, {16, 1048576, recursive_doubling},
    {16, any_bytes, nonoverlapping},    {128, any_bytes, recursive_doubling},
    {256, 131072, nonoverlapping},      {256, 524288, recursive_doubling},
    {256, any_bytes, nonoverlapping},   {512, 4096, nonoverlapping},
    {512, 524288, recursive_doubling},  {512, any_bytes, nonoverlapping},
    {any_ranks, 2048, nonoverlapping},  {any_ranks, any_bytes, recursive_doubling},
};

/// Recursive doubling of whole vectors. If the number of ranks is no power of two, the first even ranks do
/// not take part: their odd neighbours receive their vectors and return the results.
MessageSchedule doubling_allreduce_schedule(int ranks, std::size_t bytes) {
    MessageSchedule schedule(ranks);
    const int power = whole_power(ranks);
    const int extra = ranks - power;
    const auto rank_of = [&](int v) { return v < extra ? 2 * v + 1 : v + extra; };
    const auto rounds = static_cast<std::size_t>(std::bit_width(static_cast<unsigned>(power)));
    for (auto& steps : schedule.steps) steps.reserve(rounds + (extra > 0 ? 1 : 0));
    for (int even = 0; even < 2 * extra; even += 2) {
        schedule.send(even, even + 1, bytes);
        schedule.receive(even + 1, even, bytes);
    }
    for (int distance = 1; distance < power; distance *= 2) {
        for (int v = 0; v < power; ++v) {
            const int peer = rank_of(v ^ distance);
            schedule.steps[rank_of(v)].push_back({peer, bytes, peer, bytes});
        }
    }
    for (int even = 0; even < 2 * extra; even += 2) {
        schedule.send(even + 1, even, bytes);
        schedule.receive(even, even + 1);
    }
    return schedule;
}

/// The part of the vector that a rank of the power of two has after some rounds of halving.
struct Halves {
    std::size_t kept;
    std::size_t given;
};
Halves halved(int v, int distance, std::size_t window) {
    const std::size_t lower = window / 2;
    return (v & distance) == 0 ? Halves{lower, window - lower} : Halves{window - lower, lower};
}

/// The ranks that take part in halving, and their parts round by round. If the number of ranks is no power of
/// two, the first odd ranks do not take part, after they have combined half a vector for their neighbours.
struct Halving {
    int power;
    int extra;
    std::vector<std::vector<Halves>> rounds;  ///< by rank of the power of two

    int rank_of(int v) const { return v < extra ? 2 * v : v + extra; }
};

Halving scatter_by_halving(MessageSchedule& schedule, std::size_t bytes) {
    const int ranks = static_cast<int>(schedule.steps.size());
    const int power = whole_power(ranks);
    Halving halving{power, ranks - power, {}};
    const std::size_t lower = bytes / 2;
    const std::size_t upper = bytes - lower;
    for (int even = 0; even < 2 * halving.extra; even += 2) {
        const int odd = even + 1;
        schedule.steps[even].push_back({odd, upper, odd, lower});
        schedule.steps[odd].push_back({even, lower, even, upper});
        schedule.send(odd, even, upper);
        schedule.receive(even, odd);
    }
    for (int v = 0; v < power; ++v) {
        std::vector<Halves>& rounds = halving.rounds.emplace_back();
        std::size_t window = bytes;
        for (int distance = 1; distance < power; distance *= 2) {
            const int peer = halving.rank_of(v ^ distance);
            rounds.push_back(halved(v, distance, window));
            window = rounds.back().kept;
            schedule.steps[halving.rank_of(v)].push_back({peer, rounds.back().given, peer, window});
        }
    }
    return halving;
}

/// Reduce-scatter with halved vectors and doubled distances, then the allgather in the opposite order.
MessageSchedule halving_schedule(int ranks, std::size_t bytes) {
    MessageSchedule schedule(ranks);
    Halving halving = scatter_by_halving(schedule, bytes);
    for (int v = 0; v < halving.power; ++v) {
        for (int distance = halving.power / 2; distance > 0; distance /= 2) {
            const int peer = halving.rank_of(v ^ distance);
            schedule.steps[halving.rank_of(v)].push_back({peer, halving.rounds[v].back().kept, peer});
            halving.rounds[v].pop_back();
        }
    }
    for (int even = 0; even < 2 * halving.extra; even += 2) {
        schedule.send(even, even + 1, bytes);
        schedule.receive(even + 1, even);
    }
    return schedule;
}

}  // namespace

/// Both rings require one element per rank; their messages have no segments.
Algorithm possible_allreduce(Algorithm algorithm, int ranks, std::size_t bytes) {
    const std::size_t elements = bytes / tuned_element_bytes;
    if (algorithm == Algorithm::segmented_ring) algorithm = Algorithm::ring;
    if (algorithm == Algorithm::ring && elements < static_cast<std::size_t>(ranks)) {
        return Algorithm::recursive_doubling;
    }
    if (algorithm == Algorithm::rabenseifner && elements < static_cast<std::size_t>(whole_power(ranks))) {
        return Algorithm::linear;
    }
    return algorithm;
}

Algorithm tuned_allreduce_algorithm(int ranks, std::size_t bytes, bool commutes) {
    const Algorithm choice = commutes ? tuned_choice(commuting_allreduce_choices, ranks, bytes)
                                      : tuned_choice(ordered_allreduce_choices, ranks, bytes);
    return possible_allreduce(choice, ranks, bytes);
}

/// A ring's schedule is its reduce-scatter, with blocks of `bytes` bytes.
MessageSchedule allreduce_schedule(Algorithm algorithm, int ranks, std::size_t bytes) {
    switch (algorithm) {
        case ring: return ring_schedule(ranks, bytes, ranks - 1, bytes);
        case rabenseifner: return halving_schedule(ranks, bytes);
        default: return doubling_allreduce_schedule(ranks, bytes);
    }
}

/// Of two partners the one on the root's side receives the part of the other one. An odd root that does not
/// take part replaces rank 0.
MessageSchedule halving_reduce_schedule(int ranks, std::size_t bytes, int root) {
    MessageSchedule schedule(ranks);
    const Halving halving = scatter_by_halving(schedule, bytes);
    const bool aside = root < 2 * halving.extra && root % 2 != 0;
    const int root_v = aside ? 0 : root < 2 * halving.extra ? root / 2 : root - halving.extra;
    const auto rank_of = [&](int v) { return aside && v == 0 ? root : halving.rank_of(v); };
    if (aside && !halving.rounds[0].empty()) {
        schedule.send(0, root, halving.rounds[0].back().kept);
        schedule.receive(root, 0);
    }
    std::size_t round = halving.rounds[0].size();
    for (int distance = halving.power / 2; distance > 0; distance /= 2) {
        --round;
        for (int v = 0; v < halving.power; ++v) {
            const bool beside = v / (2 * distance) == root_v / (2 * distance);  // else it has finished
            if (v / distance == root_v / distance || !beside) continue;
            const int from = rank_of(v);
            const int to = rank_of(v ^ distance);
            schedule.send(from, to, halving.rounds[v][round].kept);
            schedule.receive(to, from);
        }
    }
    return schedule;
}

/// `nonoverlapping`: rank 0 has the whole result before it broadcasts it.
TunedCalls allreduce_calls(Algorithm algorithm, const Operation& operation, int ranks) {
    const std::size_t bytes = operation.bytes;
    const std::size_t block = block_bytes(bytes, ranks);
    switch (algorithm) {
        case ring: return {{LevelTask::allreduce, ring, block}, {LevelTask::allgather, ring, block}};
        case linear: return {{LevelTask::reduce, linear, bytes}, {LevelTask::bcast, linear, bytes}};
        case nonoverlapping:
            return {{LevelTask::reduce, tuned_reduce_algorithm(ranks, bytes, !operation.rank_order), bytes},
                    {LevelTask::bcast, tuned_bcast_algorithm(ranks, bytes), bytes}};
        default: return {{LevelTask::allreduce, algorithm, bytes}};
    }
}

TunedCalls tuned_allreduce(const Operation& operation, int ranks) {
    const Algorithm algorithm = tuned_allreduce_algorithm(ranks, operation.bytes, !operation.rank_order);
    return allreduce_calls(algorithm, operation, ranks);
}

}  // namespace strata::algorithms
