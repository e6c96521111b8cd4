#pragma once
#include <smpi/mpi.h>

#include <functional>
#include <span>
#include <vector>

#include "topology/hierarchy.h"

namespace strata::simulation {

/// Vectors gathered and combined level by level, from the deepest to the topmost: the lowest rank of every
/// group gathers those of its child groups by MPI_Gather, and combines them afterwards (seed paper on
/// hardware communicators, section 7.4, algorithm 5).
class LevelGathers {
public:
    /// Combines `from` into `into`.
    using Combine = std::function<void(const double* from, double* into, std::size_t bytes)>;

    /// Makes one communicator per group; collective over `comm`, whose ranks are those of `hierarchy`.
    LevelGathers(MPI_Comm comm, const topology::Hierarchy& hierarchy);
    ~LevelGathers();
    LevelGathers(const LevelGathers&) = delete;
    LevelGathers& operator=(const LevelGathers&) = delete;

    /// Replaces `vector` at rank 0 by the sum of all. Returns MPI's code.
    int reduce(std::span<double> vector, const Combine& combine) const;

private:
    std::vector<MPI_Comm> comms_;  ///< by depth; MPI_COMM_NULL where the rank has no part
};

}  // namespace strata::simulation
