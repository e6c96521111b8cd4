// The full-lane mock-up: every rank of a node carries its share of the node's data.
//
//     node 0   0 1 2   Bcast: Scatter in the root's node, Bcast of n/k on each lane, Allgather in every node
//              | | |   Allreduce: Reduce_scatter in every node, Allreduce of n/k on each lane, Allgather
//     node 1   3 4 5   Reduce: Reduce_scatter, Reduce of n/k, Gather in the root's node
//              lanes   Allgather, Gather: first on the lanes, then in the node; Scatter: the reverse
//
// Cost with N nodes of k ranks: T_node(k, n) per step in a node, T_lane(N, n/k) on all k lanes at
// once; each T is (alpha, beta) of the MPI library's own algorithm. A NIC carries the same n as through one
// leader.

#include <algorithm>
#include <stdexcept>

#include "mockups.h"
#include "nodewise_calls.h"

namespace bench {

namespace {

// Divides `count` elements into one share per rank of a node; the first shares are one larger.
Parts shares(int count, int ranks) {
    Parts parts;
    int start = 0;
    for (int place = 0; place < ranks; ++place) {
        const int share = count / ranks + (place < count % ranks);
        parts.counts.push_back(share);
        parts.displacements.push_back(start);
        start += share;
    }
    return parts;
}

// Owners of the chunks that a node's ranks hold together after each has gathered along its lane: lane by
// lane, and node by node within a lane.
std::vector<int> ranks_by_lane(const NodeOrder& order) {
    std::vector<int> ranks;
    for (std::size_t place = 0; place < order.nodes.front().size(); ++place) {
        for (const auto& node : order.nodes) ranks.push_back(node[place]);
    }
    return ranks;
}

class Lane : public NodewiseCalls {
public:
    using NodewiseCalls::NodewiseCalls;

    void bcast(char* buffer, int bytes, int root) override {
        const NodeSplit& split = splits_.of(root);
        const Parts parts = shares(bytes, split.ranks_here());
        const auto [count, start] = share(parts, split);
        if (split.index == 0) {
            MPI_Scatterv(buffer, parts.counts.data(), parts.displacements.data(), MPI_BYTE,
                         split.roots() ? MPI_IN_PLACE : buffer + start, count, MPI_BYTE, 0, split.node);
        }
        MPI_Bcast(buffer + start, count, MPI_BYTE, 0, split.across);
        MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, buffer, parts.counts.data(),
                       parts.displacements.data(), MPI_BYTE, split.node);
    }

    void reduce(const double* own, double* sum, int count, int root) override {
        const NodeSplit& split = splits_.of(root);
        const Parts parts = shares(count, split.ranks_here());
        const int mine = share(parts, split).first;
        doubles_.resize(std::max(doubles_.size(), 2 * static_cast<std::size_t>(mine) + 1));
        double *const of_node = doubles_.data(), *const of_all = of_node + mine;
        MPI_Reduce_scatter(own, of_node, parts.counts.data(), MPI_DOUBLE, MPI_SUM, split.node);
        MPI_Reduce(of_node, of_all, mine, MPI_DOUBLE, MPI_SUM, 0, split.across);
        if (split.index != 0) return;
        MPI_Gatherv(of_all, mine, MPI_DOUBLE, sum, parts.counts.data(), parts.displacements.data(),
                    MPI_DOUBLE, 0, split.node);
    }

    void allreduce(const double* own, double* sum, int count) override {
        const NodeSplit& split = splits_.of(0);
        const Parts parts = shares(count, split.ranks_here());
        const auto [mine, start] = share(parts, split);
        MPI_Reduce_scatter(own, sum + start, parts.counts.data(), MPI_DOUBLE, MPI_SUM, split.node);
        MPI_Allreduce(MPI_IN_PLACE, sum + start, mine, MPI_DOUBLE, MPI_SUM, split.across);
        MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, sum, parts.counts.data(),
                       parts.displacements.data(), MPI_DOUBLE, split.node);
    }

    void allgather(const char* own, int each, char* whole) override {
        const NodeSplit& split = splits_.of(0);
        const std::vector<int> ranks = ranks_by_lane(split.order);
        const bool ordered = std::ranges::is_sorted(ranks);
        const int of_lane = split.nodes() * each;
        char* const together = ordered ? whole : scratch(ranks.size() * static_cast<std::size_t>(each));
        MPI_Allgather(own, each, MPI_BYTE, together + static_cast<std::ptrdiff_t>(split.place) * of_lane,
                      each, MPI_BYTE, split.across);
        // coll/tuned 4.1 decides by the sent bytes, in place too.
        MPI_Allgather(MPI_IN_PLACE, of_lane, MPI_BYTE, together, of_lane, MPI_BYTE, split.node);
        if (!ordered) to_rank_order(ranks, together, each, whole);
    }

    void gather(const char* own, int each, char* whole, int root) override {
        const NodeSplit& split = splits_.of(root);
        const std::vector<int> ranks = ranks_by_lane(split.order);
        const int of_lane = split.nodes() * each;
        const bool direct = split.roots() && std::ranges::is_sorted(ranks);
        char* const together = direct ? whole : scratch(ranks.size() * static_cast<std::size_t>(each));
        MPI_Gather(own, each, MPI_BYTE, together, each, MPI_BYTE, 0, split.across);
        if (split.index != 0) return;
        // The root is at place 0, so its lane's chunks are in place.
        MPI_Gather(split.roots() ? MPI_IN_PLACE : together, of_lane, MPI_BYTE, together, of_lane, MPI_BYTE, 0,
                   split.node);
        if (split.roots() && !direct) to_rank_order(ranks, together, each, whole);
    }

    void scatter(const char* whole, int each, char* own, int root) override {
        const NodeSplit& split = splits_.of(root);
        const std::vector<int> ranks = ranks_by_lane(split.order);
        const int of_lane = split.nodes() * each;
        const char* mine = nullptr;  // chunks of this rank's lane
        if (split.index == 0) {
            char* const together = scratch(ranks.size() * static_cast<std::size_t>(each));
            const char* all = whole;
            if (split.roots() && !std::ranges::is_sorted(ranks)) {
                from_rank_order(ranks, whole, each, together);
                all = together;
            }
            mine = split.roots() ? all : together;
            MPI_Scatter(all, of_lane, MPI_BYTE, split.roots() ? MPI_IN_PLACE : together, of_lane, MPI_BYTE, 0,
                        split.node);
        }
        MPI_Scatter(mine, each, MPI_BYTE, own, each, MPI_BYTE, 0, split.across);
    }

private:
    // (count, start) of this rank.
    static std::pair<int, int> share(const Parts& parts, const NodeSplit& split) {
        const auto place = static_cast<std::size_t>(split.place);
        return {parts.counts[place], parts.displacements[place]};
    }

    char* scratch(std::size_t bytes) {
        bytes_.resize(std::max(bytes_.size(), bytes));
        return bytes_.data();
    }

    std::vector<double> doubles_;
    std::vector<char> bytes_;
};

}  // namespace

std::unique_ptr<Calls> make_lane(MPI_Comm comm, std::span<const int> node_of) {
    if (!node_order(node_of, 0).equal()) {
        throw std::invalid_argument("lanes need equally many ranks on every node");
    }
    return std::make_unique<Lane>(comm, node_of);
}

}  // namespace bench
