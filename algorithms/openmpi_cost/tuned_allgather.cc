// coll/tuned's allgather and allgatherv (tuned.h).
#include <algorithm>

#include "algorithms/openmpi_cost/tuned.h"

namespace strata::algorithms {
namespace {

using enum Algorithm;

constexpr TunedChoice allgather_choices[] = {
    {3, any_bytes, two_proc},
    {32, any_bytes, recursive_doubling},
    {64, 1024, recursive_doubling},
    {64, 65536, neighbor},
    {64, any_bytes, ring},
    {128, 512, recursive_doubling},
    {128, 65536, neighbor},
    {128, any_bytes, ring},
    {256, 512, recursive_doubling},
    {256, 131072, neighbor},
    {256, 524288, ring},
    {256, 1048576, neighbor},
    {256, any_bytes, ring},
    {512, 32, recursive_doubling},
    {512, 128, bruck},
    {512, 1024, recursive_doubling},
    {512, 131072, neighbor},
    {512, 524288, ring},
    {512, 1048576, neighbor},
    {512, any_bytes, ring},
    {1024, 64, recursive_doubling},
    {1024, 256, bruck},
    {1024, 2048, recursive_doubling},
    {1024, any_bytes, neighbor},
    {2048, 4, recursive_doubling},
    {2048, 8, bruck},
    {2048, 16, recursive_doubling},
    {2048, 32, bruck},
    {2048, 256, recursive_doubling},
    {2048, 512, bruck},
    {2048, 4096, recursive_doubling},
    {2048, any_bytes, neighbor},
    {4096, 32, bruck},
    {4096, 128, recursive_doubling},
    {4096, 512, bruck},
    {4096, 4096, recursive_doubling},
    {4096, any_bytes, neighbor},
    {any_ranks, 2, recursive_doubling},
    {any_ranks, 8, bruck},
    {any_ranks, 16, recursive_doubling},
    {any_ranks, 512, bruck},
    {any_ranks, 4096, recursive_doubling},
    {any_ranks, any_bytes, neighbor},
};

// Default: linear, a gatherv and a broadcast.
constexpr TunedChoice allgatherv_choices[] = {
    {3, 2048, ring},          {3, 4096, two_proc},      {3, 8192, ring},
    {3, any_bytes, two_proc}, {8, 256, linear},         {8, 4096, neighbor},
    {8, 8192, ring},          {8, 16384, neighbor},     {8, 262144, bruck},
    {8, any_bytes, neighbor}, {16, 1024, linear},       {16, any_bytes, bruck},
    {32, 128, linear},        {32, 262144, bruck},      {32, any_bytes, ring},
    {64, 256, linear},        {64, 8192, bruck},        {64, any_bytes, ring},
    {128, 256, linear},       {128, 4096, bruck},       {128, any_bytes, ring},
    {256, 1024, bruck},       {256, 65536, neighbor},   {256, any_bytes, ring},
    {512, 1024, bruck},       {512, any_bytes, ring},   {1024, 512, bruck},
    {1024, 1024, linear},     {1024, 4096, bruck},      {1024, 1048576, neighbor},
    {1024, any_bytes, ring},  {any_ranks, 4096, bruck}, {any_ranks, any_bytes, neighbor},
};

bool is_power(int ranks) { return whole_power(ranks) == ranks; }

MessageSchedule doubling_allgather_schedule(int ranks, std::size_t block) {
    MessageSchedule schedule(ranks);
    for (int r = 0; r < ranks; ++r) {
        for (int distance = 1; distance < ranks; distance *= 2) {
            const int peer = r ^ distance;
            schedule.steps[r].push_back({peer, static_cast<std::size_t>(distance) * block, peer});
        }
    }
    return schedule;
}

/// Each rank sends everything that it holds to the rank a power of two before; in the last round only what
/// that rank lacks.
MessageSchedule bruck_schedule(int ranks, std::size_t block) {
    MessageSchedule schedule(ranks);
    for (int r = 0; r < ranks; ++r) {
        for (int distance = 1; distance < ranks; distance *= 2) {
            const auto blocks = static_cast<std::size_t>(std::min(distance, ranks - distance));
            schedule.steps[r].push_back(
                {(r + ranks - distance) % ranks, blocks * block, (r + distance) % ranks});
        }
    }
    return schedule;
}

}  // namespace

/// Recursive doubling needs a power of two, a neighbour exchange an even number of ranks.
Algorithm possible_allgather(Algorithm algorithm, int ranks) {
    if (algorithm == Algorithm::recursive_doubling && !is_power(ranks)) return Algorithm::bruck;
    if (algorithm == Algorithm::neighbor && ranks % 2 != 0) return Algorithm::ring;
    return algorithm;
}

Algorithm tuned_allgather_algorithm(int ranks, std::size_t block) {
    return possible_allgather(tuned_choice(allgather_choices, ranks, block), ranks);
}

Algorithm tuned_allgatherv_algorithm(int ranks, std::size_t block) {
    return possible_allgather(tuned_choice(allgatherv_choices, ranks, block), ranks);
}

MessageSchedule allgather_schedule(Algorithm algorithm, int ranks, std::size_t block) {
    switch (algorithm) {
        case Algorithm::bruck: return bruck_schedule(ranks, block);
        case Algorithm::ring: return ring_schedule(ranks, block, ranks - 1, 0);
        case Algorithm::neighbor: return neighbor_schedule(ranks, block);
        default: return doubling_allgather_schedule(ranks, block);
    }
}

TunedCalls allgather_calls(Algorithm algorithm, LevelTask task, const Operation& operation, int ranks) {
    const std::size_t block = block_bytes(operation.bytes, ranks);
    if (algorithm != linear) return {{task, algorithm, block}};
    const Algorithm gathers = task == LevelTask::allgather ? tuned_gather_algorithm(ranks, block) : linear;
    return {{LevelTask::gather, gathers, block},
            {LevelTask::bcast, tuned_bcast_algorithm(ranks, operation.bytes), operation.bytes}};
}

TunedCalls tuned_allgather(const Operation& operation, int ranks) {
    const Algorithm algorithm = tuned_allgather_algorithm(ranks, block_bytes(operation.bytes, ranks));
    return allgather_calls(algorithm, LevelTask::allgather, operation, ranks);
}

TunedCalls tuned_allgatherv(const Operation& operation, int ranks) {
    const Algorithm algorithm = tuned_allgatherv_algorithm(ranks, block_bytes(operation.bytes, ranks));
    return allgather_calls(algorithm, LevelTask::allgatherv, operation, ranks);
}

}  // namespace strata::algorithms
