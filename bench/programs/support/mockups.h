// Mock-ups: collective operations composed of others through MPI's public interface alone. They show
// what a user can have without any component of ours.

#pragma once

#include "calls.h"

namespace bench {

// One leader per node, level by level: first within the nodes, then between the leaders, or the
// reverse. Cost: the sum of the levels, each by the MPI library's own algorithm.
std::unique_ptr<Calls> make_hierarchical(MPI_Comm comm, std::span<const int> node_of);

// All ranks of a node at once, each on its lane to the ranks of the same place on other nodes (Traeff
// and Hunold, "Decomposing MPI Collectives for Exploiting Multi-lane Communication", CLUSTER 2020).
// Needs the same number of ranks on every node. Chunks that are not in rank order are copied once more
// than with the paper's datatypes.
std::unique_ptr<Calls> make_lane(MPI_Comm comm, std::span<const int> node_of);

// Bcast and Reduce along a chain of leaders, one per node, in segments, with the MPI library's own operation
// on every segment within a node: what a hybrid of streamed and delegated levels would do. Nodes follow each
// other by their lowest rank, so that orders in which that crosses the network more often are no fair trial.
std::unique_ptr<Calls> make_hybrid(MPI_Comm comm, std::span<const int> node_of);

// Operations that do at least as much work (the performance guidelines of Traeff, Gropp and Thakur):
// Bcast = Scatter + Allgather, Allreduce = Reduce + Bcast, Reduce = Allreduce, Allgather = Gather +
// Bcast, Gather = Allgather, Barrier = Allreduce of one byte.
std::unique_ptr<Calls> make_composed(MPI_Comm comm, std::span<const int> node_of);

}  // namespace bench
