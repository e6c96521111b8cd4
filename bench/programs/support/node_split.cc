#include "node_split.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace bench {

bool NodeOrder::equal() const {
    return std::ranges::all_of(nodes,
                               [&](const auto& ranks) { return ranks.size() == nodes.front().size(); });
}

NodeOrder node_order(std::span<const int> node_of, int root) {
    NodeOrder order;
    std::map<int, std::size_t> places;  // index of each node met so far
    const auto add = [&](int rank) {
        const auto [found, added] =
            places.try_emplace(node_of[static_cast<std::size_t>(rank)], places.size());
        if (added) order.nodes.emplace_back();
        order.nodes[found->second].push_back(rank);
    };
    add(root);
    for (int rank = 0; rank < static_cast<int>(node_of.size()); ++rank) {
        if (rank != root) add(rank);
    }
    return order;
}

std::vector<int> nodes_by_memory(MPI_Comm comm) {
    MPI_Comm node = MPI_COMM_NULL;
    int rank = 0, size = 1;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
    int lowest = 0;
    MPI_Allreduce(&rank, &lowest, 1, MPI_INT, MPI_MIN, node);
    MPI_Comm_free(&node);
    std::vector<int> nodes(static_cast<std::size_t>(size));
    MPI_Allgather(&lowest, 1, MPI_INT, nodes.data(), 1, MPI_INT, comm);
    return nodes;
}

NodeSplit::NodeSplit(MPI_Comm comm, NodeOrder given) : order(std::move(given)) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    for (std::size_t one = 0; one < order.nodes.size(); ++one) {
        const auto& ranks = order.nodes[one];
        const auto found = std::ranges::find(ranks, rank);
        if (found == ranks.end()) continue;
        index = static_cast<int>(one);
        place = static_cast<int>(found - ranks.begin());
    }
    MPI_Comm_split(comm, index, place, &node);
    MPI_Comm_split(comm, place, index, &across);
}

NodeSplit::~NodeSplit() {
    MPI_Comm_free(&node);
    MPI_Comm_free(&across);
}

NodeSplit& NodeSplits::of(int root) {
    const auto found = splits_.find(root);
    return found != splits_.end()
               ? found->second
               : splits_.try_emplace(root, comm_, node_order(node_of_, root)).first->second;
}

void to_rank_order(std::span<const int> ranks, const char* blocks, int each, char* whole) {
    const auto bytes = static_cast<std::size_t>(each);
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        std::memcpy(whole + static_cast<std::size_t>(ranks[i]) * bytes, blocks + i * bytes, bytes);
    }
}

void from_rank_order(std::span<const int> ranks, const char* whole, int each, char* blocks) {
    const auto bytes = static_cast<std::size_t>(each);
    for (std::size_t i = 0; i < ranks.size(); ++i) {
        std::memcpy(blocks + i * bytes, whole + static_cast<std::size_t>(ranks[i]) * bytes, bytes);
    }
}

}  // namespace bench
