// Orders of ranks that do not depend on how the job was started.

#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace bench {

// As started (world); node by node (block), one on each node and then the next (cyclic), at random as the
// seed says (shuffle), or node by node with fewer on some nodes (unequal): of n ranks on every second of
// three nodes n/4 are left out, on every third twice as many.
constexpr std::string_view rank_orders[] = {"world", "block", "cyclic", "shuffle", "unequal"};

// The old ranks in their new order; `node_of` by old rank.
std::vector<int> ordered_ranks(std::span<const int> node_of, std::string_view order, std::uint64_t seed);

// The ranks of `world` in that order, or MPI_COMM_NULL on a rank that is left out. Collective. What is in
// order already is `world` itself; any other has to be freed.
MPI_Comm ordered(MPI_Comm world, std::span<const int> ranks);

// Waits for all ranks without taking much of a processor from those that work.
void wait_for_all(MPI_Comm world);

}  // namespace bench
