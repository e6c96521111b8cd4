#pragma once
#include <mpi.h>

#include <optional>
#include <string>
#include <vector>

#include "communicator.h"
#include "topology/level.h"

namespace strata::introspection {

/// Communicators that one step down the hierarchy gives; MPI_COMM_NULL where the caller is in none.
struct Step {
    Communicator child;
    Communicator roots;
};

/// The same on all members.
struct SplitWishes {
    bool roots = false;
    bool nic_local = false;  ///< the roots are near the NIC
};

/// The value of a key; empty without it. Throws MpiError.
std::string info_value(MPI_Info info, const char* key);

/// What the info says. Throws MpiError (MPI_ERR_INFO_VALUE for a value of strata_roots that is unknown).
bool wants_nic_local(MPI_Info info);

/// The ranks of the child are by `key`, then as in `comm`. Collective over `comm`. Throws MpiError.
Step split(MPI_Comm comm, const SplitWishes& wishes, int key = 0);

/// All steps of the caller, topmost first; collective over `comm`. Throws MpiError.
std::vector<Step> split_all(MPI_Comm comm, const SplitWishes& wishes);

/// What a guided split is guided by.
struct Guide {
    topology::LevelPattern level;
    bool shared_memory = false;  ///< instead: whoever MPI says can share memory with the caller

    /// Of the name of a type; empty where it is unknown.
    static std::optional<Guide> named(const std::string& type);
    /// Both ways: equal numbers, equal guides; none is 0.
    static Guide numbered(int number);
    int number() const;
};

/// Processes inside the same object, by `key`, then by rank; MPI_COMM_NULL for those in none, and for those
/// that take no part in it. `guide` is the same on all. Collective over `comm`. Throws MpiError.
Communicator split_by_guide(MPI_Comm comm, int key, const Guide& guide, bool takes_part);

}  // namespace strata::introspection
