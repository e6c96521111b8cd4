// Rounds between neighbours, as many as ranks: run by message for few ranks, estimated for many (tuned.h).
#include <algorithm>

#include "algorithms/cost/links.h"
#include "algorithms/openmpi_cost/tuned.h"

namespace strata::algorithms {
namespace {

using topology::Hierarchy;

/// Returns the largest sum of `count` consecutive entries of a ring, with as many turns as needed.
double longest_way(const std::vector<double>& hops, int count) {
    const int size = static_cast<int>(hops.size());
    double round = 0;
    for (const double hop : hops) round += hop;
    double window = 0;
    const int rest = count % size;
    for (int r = 0; r < rest; ++r) window += hops[r];
    double most = window;
    for (int r = 0; r < size; ++r) {
        window += hops[(r + rest) % size] - hops[r];
        most = std::max(most, window);
    }
    return count / size * round + most;
}

/// Returns a rank's partner in a round of the neighbour exchange.
int neighbor_of(int rank, int round, int size) {
    return (rank % 2 == round % 2 ? rank + 1 : rank + size - 1) % size;
}

}  // namespace

MessageSchedule ring_schedule(int ranks, std::size_t bytes, int rounds, std::size_t combined) {
    MessageSchedule schedule(ranks);
    for (int r = 0; r < ranks; ++r) {
        const ScheduleStep step{(r + 1) % ranks, bytes, (r + ranks - 1) % ranks, combined};
        schedule.steps[r].assign(rounds, step);
    }
    if (combined > 0) schedule.ask_ahead();
    return schedule;
}

MessageSchedule neighbor_schedule(int ranks, std::size_t block) {
    MessageSchedule schedule(ranks);
    for (int r = 0; r < ranks; ++r) {
        for (int round = 0; round < ranks / 2; ++round) {
            const int peer = neighbor_of(r, round, ranks);
            schedule.steps[r].push_back({peer, round == 0 ? block : 2 * block, peer});
        }
    }
    return schedule;
}

double ring_estimate_us(const Hierarchy& hierarchy, const LinkTable& links, std::size_t bytes, int rounds,
                        std::size_t combined) {
    if (rounds == 0) return 0;
    FlatModel model(hierarchy, links);
    const int size = model.ranks();
    const double combine = model.combine_us(combined);
    std::vector<double> hops;
    double longest_hop = 0;
    double longest_wait = 0;  // a sender waits for its receiver and for its own message
    for (int r = 0; r < size; ++r) {
        const int next = (r + 1) % size;
        const FlatModel::Path path = model.path(r, next);
        hops.push_back(model.hop_us(path, bytes) + combine);
        model.add_load(r, next, bytes);
        model.add_load(r, combine);
        longest_hop = std::max(longest_hop, hops.back());
        if (model.waits_for_receiver(path, bytes)) longest_wait = std::max(longest_wait, hops.back());
    }
    const double round = model.busiest_us();
    const double busy = (rounds - 1) * std::max(round, longest_wait) + std::max(round, longest_hop);
    return std::max(longest_way(hops, rounds), busy);
}

double neighbor_estimate_us(const Hierarchy& hierarchy, const LinkTable& links, std::size_t block) {
    const int size = hierarchy.ranks();
    const int rounds[] = {(size / 2 - 1) / 2,
                          size / 4};  // with two blocks, between these pairs and between the others
    FlatModel model(hierarchy, links);
    std::vector<FlatModel::Path> paths;  // from each rank to the next one
    paths.reserve(hierarchy.stop.size());
    for (int r = 0; r < size; ++r) paths.push_back(model.path(r, (r + 1) % size));
    double first_us = 0;
    for (int r = 0; r < size; ++r) {
        model.add_load(r, neighbor_of(r, 0, size), block);
        if (r % 2 == 0) first_us = std::max(first_us, model.hop_us(paths[r], block));
    }
    first_us = std::max(first_us, model.busiest_us());
    model.clear_loads();
    std::vector<double> hops;
    hops.reserve(paths.size());
    for (const FlatModel::Path& path : paths) hops.push_back(model.hop_us(path, 2 * block));
    double longest_stay = 0;  // per rank: no message overtakes the previous exchange with the same neighbour
    for (int r = 0; r < size; ++r) {
        double wait = 0;
        for (const int parity : {0, 1}) {
            const int peer = neighbor_of(r, parity, size);
            const int first = peer == (r + 1) % size ? r : peer;  // of the pair
            model.add_load(r, peer, 2 * block, rounds[parity]);
            const double hops_us = rounds[parity] * hops[first];
            longest_stay = std::max(longest_stay, hops_us);
            if (model.waits_for_receiver(paths[first], 2 * block)) wait += hops_us;
        }
        longest_stay = std::max(longest_stay, wait);
    }
    return first_us + std::max({longest_stay, model.busiest_us(), longest_way(hops, rounds[0] + rounds[1])});
}

}  // namespace strata::algorithms
