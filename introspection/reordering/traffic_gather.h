#pragma once
#include <mpi.h>

#include <vector>

#include "strata/mapping/traffic_matrix.h"

namespace strata::introspection {

/// Gathers the traffic of all processes on rank 0 of `comm`; returns nothing elsewhere. `counts` may be
/// null. Collective. Throws MpiError. Cost: an MPI_Allreduce, MPI_Gather, MPI_Bcast and
/// MPI_Gatherv.
std::vector<mapping::Flow> gathered_rows(MPI_Comm comm, const unsigned long sizes[],
                                         const unsigned long counts[]);

}  // namespace strata::introspection
