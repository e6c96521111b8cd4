#include "cost_direct.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "cost_flat.h"
#include "cost_links.h"

namespace strata::algorithms {
namespace {

std::size_t block_bytes(const FlatModel& model, std::size_t bytes) {
    const auto ranks = static_cast<std::size_t>(model.ranks());
    return (bytes + ranks - 1) / ranks;
}

}  // namespace

double direct_gather_cost_us(const topology::Hierarchy& hierarchy, const LinkTable& links, std::size_t bytes,
                             int root) {
    FlatModel model(hierarchy, links);
    const std::size_t block = block_bytes(model, bytes);
    // All start at once: those that cross the widest level first, which keeps the narrowest links busy.
    std::vector<std::pair<int, int>> senders;  // depth of the group in common with the root, rank
    for (int rank = 0; rank < model.ranks(); ++rank) {
        if (rank == root) continue;
        senders.emplace_back(hierarchy.groups[hierarchy.lowest_common_group(rank, root)].depth, rank);
    }
    std::sort(senders.begin(), senders.end());
    std::vector<std::pair<double, double>> arrivals;  // when, and how long the root's processor takes it in
    for (const auto& [depth, rank] : senders) {
        const topology::Group& common = hierarchy.groups[hierarchy.lowest_common_group(rank, root)];
        const LinkParameters link = links.at(link_level(common));
        const double copy = is_network(common) ? 0 : static_cast<double>(block) / link.bytes_per_us;
        arrivals.emplace_back(model.send(rank, root, block, 0), link.overhead_us + copy);
    }
    std::sort(arrivals.begin(), arrivals.end());
    double done = 0;
    for (const auto& [arrival, busy] : arrivals) done = std::max(arrival, done + busy);
    return done;
}

double direct_scatter_cost_us(const topology::Hierarchy& hierarchy, const LinkTable& links, std::size_t bytes,
                              int root) {
    FlatModel model(hierarchy, links);
    const std::size_t block = block_bytes(model, bytes);
    double done = 0;
    for (int rank = 0; rank < model.ranks(); ++rank) {
        if (rank != root) done = std::max(done, model.send(root, rank, block, 0));
    }
    return done;
}

}  // namespace strata::algorithms
