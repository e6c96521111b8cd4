// The hierarchical mock-up: one leader per node; the root leads its own node.

#include <algorithm>

#include "mockups.h"
#include "nodewise_calls.h"

namespace bench {

namespace {

// Chunks that the leaders exchange, in bytes: those of all nodes, node by node.
struct NodeBlocks {
    std::vector<int> ranks;  // ranks that own the chunks, in this order
    Parts parts;             // by node

    NodeBlocks(const NodeOrder& order, int each) {
        for (const auto& node : order.nodes) {
            parts.displacements.push_back(static_cast<int>(ranks.size()) * each);
            parts.counts.push_back(static_cast<int>(node.size()) * each);
            ranks.insert(ranks.end(), node.begin(), node.end());
        }
    }
    bool in_rank_order() const { return std::ranges::is_sorted(ranks); }
    std::size_t bytes(int each) const { return ranks.size() * static_cast<std::size_t>(each); }
};

class Hierarchical : public NodewiseCalls {
public:
    using NodewiseCalls::NodewiseCalls;

    void bcast(char* buffer, int bytes, int root) override {
        const NodeSplit& split = splits_.of(root);
        if (split.leads()) MPI_Bcast(buffer, bytes, MPI_BYTE, 0, split.across);
        MPI_Bcast(buffer, bytes, MPI_BYTE, 0, split.node);
    }

    void reduce(const double* own, double* sum, int count, int root) override {
        const NodeSplit& split = splits_.of(root);
        if (split.leads()) of_node_.resize(static_cast<std::size_t>(count));
        MPI_Reduce(own, of_node_.data(), count, MPI_DOUBLE, MPI_SUM, 0, split.node);
        if (split.leads()) MPI_Reduce(of_node_.data(), sum, count, MPI_DOUBLE, MPI_SUM, 0, split.across);
    }

    void allreduce(const double* own, double* sum, int count) override {
        const NodeSplit& split = splits_.of(0);
        MPI_Reduce(own, sum, count, MPI_DOUBLE, MPI_SUM, 0, split.node);
        if (split.leads()) MPI_Allreduce(MPI_IN_PLACE, sum, count, MPI_DOUBLE, MPI_SUM, split.across);
        MPI_Bcast(sum, count, MPI_DOUBLE, 0, split.node);
    }

    void allgather(const char* own, int each, char* whole) override {
        const NodeSplit& split = splits_.of(0);
        const NodeBlocks blocks(split.order, each);
        char* const together = blocks.in_rank_order() ? whole : scratch(blocks.bytes(each));
        gather_node(split, blocks, own, each, together);
        if (split.leads()) {
            MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, together, blocks.parts.counts.data(),
                           blocks.parts.displacements.data(), MPI_BYTE, split.across);
        }
        MPI_Bcast(together, static_cast<int>(blocks.bytes(each)), MPI_BYTE, 0, split.node);
        if (together != whole) to_rank_order(blocks.ranks, together, each, whole);
    }

    void gather(const char* own, int each, char* whole, int root) override {
        const NodeSplit& split = splits_.of(root);
        const NodeBlocks blocks(split.order, each);
        char* const together = split.roots() && blocks.in_rank_order() ? whole : scratch(blocks.bytes(each));
        gather_node(split, blocks, own, each, together);
        if (!split.leads()) return;
        const auto here = static_cast<std::size_t>(split.index);
        const void* const mine = split.roots() ? MPI_IN_PLACE : together + blocks.parts.displacements[here];
        MPI_Gatherv(mine, blocks.parts.counts[here], MPI_BYTE, together, blocks.parts.counts.data(),
                    blocks.parts.displacements.data(), MPI_BYTE, 0, split.across);
        if (split.roots() && together != whole) to_rank_order(blocks.ranks, together, each, whole);
    }

    void scatter(const char* whole, int each, char* own, int root) override {
        const NodeSplit& split = splits_.of(root);
        const NodeBlocks blocks(split.order, each);
        const char* of_node = nullptr;
        if (split.leads()) {
            char* const together = scratch(blocks.bytes(each));
            const auto here = static_cast<std::size_t>(split.index);
            const char* all = whole;
            if (split.roots() && !blocks.in_rank_order()) {
                from_rank_order(blocks.ranks, whole, each, together);
                all = together;
            }
            // The root's node is the first, so its chunks are in place.
            of_node = split.roots() ? all : together;
            MPI_Scatterv(all, blocks.parts.counts.data(), blocks.parts.displacements.data(), MPI_BYTE,
                         split.roots() ? MPI_IN_PLACE : together, blocks.parts.counts[here], MPI_BYTE, 0,
                         split.across);
        }
        MPI_Scatter(of_node, each, MPI_BYTE, own, each, MPI_BYTE, 0, split.node);
    }

    void barrier() override {
        const NodeSplit& split = splits_.of(0);
        MPI_Barrier(split.node);
        if (split.leads()) MPI_Barrier(split.across);
        MPI_Barrier(split.node);
    }

private:
    char* scratch(std::size_t bytes) {
        bytes_.resize(std::max(bytes_.size(), bytes));
        return bytes_.data();
    }

    static void gather_node(const NodeSplit& split, const NodeBlocks& blocks, const char* own, int each,
                            char* together) {
        char* const place = together + blocks.parts.displacements[static_cast<std::size_t>(split.index)];
        MPI_Gather(own, each, MPI_BYTE, place, each, MPI_BYTE, 0, split.node);
    }

    std::vector<double> of_node_;
    std::vector<char> bytes_;
};

}  // namespace

std::unique_ptr<Calls> make_hierarchical(MPI_Comm comm, std::span<const int> node_of) {
    return std::make_unique<Hierarchical>(comm, node_of);
}

}  // namespace bench
