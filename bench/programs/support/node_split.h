// Nodes of a communicator's ranks, and the communicators within and between them.

#pragma once

#include <mpi.h>

#include <map>
#include <span>
#include <vector>

namespace bench {

// Ranks by node. The root's node comes first, and the root comes first on it, so that the root is rank 0
// of all communicators. Other nodes are ordered by their lowest rank, ranks on a node by number.
//
//     node_of 0 1 0 1 1, root 3:  nodes {3 1 4} {0 2}
struct NodeOrder {
    std::vector<std::vector<int>> nodes;

    bool equal() const;  // every node has the same number of ranks
};

NodeOrder node_order(std::span<const int> node_of, int root);

// Returns the node of every rank as the number of its lowest rank; ranks that can share memory are on
// one node. Collective.
std::vector<int> nodes_by_memory(MPI_Comm comm);

// `node` holds the ranks of the caller's node. `across` holds the ranks of the same place on other
// nodes, ordered by node. The leaders are those at place 0, one per node.
class NodeSplit {
public:
    NodeSplit(MPI_Comm comm, NodeOrder order);  // collective, as is the destructor
    ~NodeSplit();
    NodeSplit(const NodeSplit&) = delete;
    NodeSplit& operator=(const NodeSplit&) = delete;

    MPI_Comm node = MPI_COMM_NULL, across = MPI_COMM_NULL;
    int index = 0;  // index of the node
    int place = 0;  // place on the node
    NodeOrder order;

    int nodes() const { return static_cast<int>(order.nodes.size()); }
    int ranks_here() const { return static_cast<int>(order.nodes[static_cast<std::size_t>(index)].size()); }
    bool leads() const { return place == 0; }
    bool roots() const { return index == 0 && place == 0; }
};

// Splits by root, each made at its first use.
class NodeSplits {
public:
    NodeSplits(MPI_Comm comm, std::span<const int> node_of)
        : comm_(comm), node_of_(node_of.begin(), node_of.end()) {}

    NodeSplit& of(int root);  // collective in the first call for this root

private:
    MPI_Comm comm_;
    std::vector<int> node_of_;
    std::map<int, NodeSplit> splits_;
};

// Chunks of `each` bytes, one per rank, in the given order and in rank order.
void to_rank_order(std::span<const int> ranks, const char* blocks, int each, char* whole);
void from_rank_order(std::span<const int> ranks, const char* whole, int each, char* blocks);

}  // namespace bench
