#pragma once
#include <mpi.h>

#include <string>
#include <vector>

namespace strata::introspection {

/// Communicators that one step down the hierarchy gives; MPI_COMM_NULL where the caller is in none.
struct Step {
    MPI_Comm child = MPI_COMM_NULL;
    MPI_Comm roots = MPI_COMM_NULL;
};

struct SplitWishes {
    bool roots = false;
    bool near_card = false;  ///< the roots are near the network card
};

/// The value of a key; empty without it. Throws MpiError.
std::string info_value(MPI_Info info, const char* key);

/// Throws MpiError (MPI_ERR_INFO_VALUE for a value of strata_roots that is unknown).
SplitWishes wishes_of(MPI_Info info, bool roots);

/// Collective over `comm`. Throws MpiError.
Step split(MPI_Comm comm, const SplitWishes& wishes);

/// All steps of the caller, topmost first; collective over `comm`. Throws MpiError.
std::vector<Step> split_all(MPI_Comm comm, const SplitWishes& wishes);

/// Processes inside the same object of the type, by `key`, then by rank; MPI_COMM_NULL for those in none, and
/// for all where the name is unknown. `type` must be the same on all. Collective over `comm`. Throws
/// MpiError.
MPI_Comm split_by_type(MPI_Comm comm, int key, const std::string& type);

}  // namespace strata::introspection
