// Mock-ups: collective operations composed of other ones by means of MPI's public interface alone. They say
// what a user could have without any component of ours.

#pragma once

#include "calls.h"

namespace bench {

// Through one leader per node, level after level: inside the nodes, then between the leaders, or the reverse.
std::unique_ptr<Calls> make_hierarchical(MPI_Comm comm, std::span<const int> node_of);

// Through all ranks of a node at once, each on its lane to the ranks of the same place on other nodes (Traeff
// and Hunold, "Decomposing MPI Collectives for Exploiting Multi-lane Communication", CLUSTER 2020). Needs
// equally many ranks on every node. Blocks that do not lie in rank order are copied once more than the
// paper's data types would.
std::unique_ptr<Calls> make_lane(MPI_Comm comm, std::span<const int> node_of);

// Of operations that do at least as much (the performance guidelines of Traeff, Gropp and Thakur): Bcast =
// Scatter + Allgather, Allreduce = Reduce + Bcast, Reduce = Allreduce, Allgather = Gather + Bcast, Gather =
// Allgather, Barrier = Allreduce of one byte.
std::unique_ptr<Calls> make_composed(MPI_Comm comm, std::span<const int> node_of);

}  // namespace bench
