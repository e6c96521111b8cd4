#include "rank_order.h"

#include <algorithm>
#include <ctime>
#include <numeric>
#include <utility>

#include "node_split.h"
#include "payload.h"

namespace bench {

namespace {

std::vector<int> by_turns(const NodeOrder& order) {
    std::vector<int> ranks;
    for (std::size_t turn = 0, found = 1; found > 0; ++turn) {
        found = 0;
        for (const auto& node : order.nodes) {
            if (turn >= node.size()) continue;
            ranks.push_back(node[turn]);
            ++found;
        }
    }
    return ranks;
}

}  // namespace

std::vector<int> ordered_ranks(std::span<const int> node_of, std::string_view order, std::uint64_t seed) {
    std::vector<int> ranks(node_of.size());
    std::iota(ranks.begin(), ranks.end(), 0);
    if (order == "world") return ranks;
    if (order == "shuffle") {
        for (std::size_t left = ranks.size(); left > 1; --left) {
            std::swap(ranks[left - 1], ranks[mix(mix(seed) + left) % left]);
        }
        return ranks;
    }
    const NodeOrder by_node = node_order(node_of, 0);
    if (order == "cyclic") return by_turns(by_node);
    ranks.clear();
    for (std::size_t index = 0; index < by_node.nodes.size(); ++index) {
        const auto& node = by_node.nodes[index];
        const std::size_t quarter = std::max<std::size_t>(1, node.size() / 4);
        const std::size_t out = order == "unequal" ? std::min(index % 3 * quarter, node.size() - 1) : 0;
        ranks.insert(ranks.end(), node.begin(), node.end() - static_cast<std::ptrdiff_t>(out));
    }
    return ranks;
}

MPI_Comm ordered(MPI_Comm world, std::span<const int> ranks) {
    int rank = 0, size = 1;
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &size);
    if (static_cast<int>(ranks.size()) == size && std::ranges::is_sorted(ranks)) return world;
    const auto found = std::ranges::find(ranks, rank);
    MPI_Comm chosen = MPI_COMM_NULL;
    MPI_Comm_split(world, found == ranks.end() ? MPI_UNDEFINED : 0, static_cast<int>(found - ranks.begin()),
                   &chosen);
    if (chosen != MPI_COMM_NULL) MPI_Comm_set_name(chosen, "ordered");
    return chosen;
}

void wait_for_all(MPI_Comm world) {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(world, &request);
    constexpr timespec pause{0, 10'000'000};
    for (int done = 0; done == 0;) {
        MPI_Test(&request, &done, MPI_STATUS_IGNORE);
        if (done == 0) nanosleep(&pause, nullptr);
    }
}

}  // namespace bench
