// Orders of ranks that do not depend on how the job was started.

#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace bench {

// world: as started; block: node by node; cyclic: one rank on each node, then the next; shuffle: random
// by the seed; unequal: node by node with fewer ranks on some nodes (with n ranks per node it leaves out
// n/4 on every second of three nodes and twice as many on every third).
constexpr std::string_view rank_orders[] = {"world", "block", "cyclic", "shuffle", "unequal"};

// Returns the old ranks in their new order; `node_of` is by old rank.
std::vector<int> ordered_ranks(std::span<const int> node_of, std::string_view order, std::uint64_t seed);

// Returns the ranks of `world` in that order, or MPI_COMM_NULL on a rank that is left out. Collective.
// Returns `world` itself if the order does not change; the caller frees any other communicator.
MPI_Comm ordered(MPI_Comm world, std::span<const int> ranks);

// Waits for all ranks and leaves the cores to those that work.
void wait_for_all(MPI_Comm world);

}  // namespace bench
