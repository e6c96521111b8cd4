#pragma once
#include <mpi.h>

#include <optional>
#include <string>
#include <vector>

#include "communicator.h"
#include "topology/level.h"

namespace strata::introspection {

/// The communicators of one step down the hierarchy; MPI_COMM_NULL if the caller is in none.
struct Step {
    Communicator child;
    Communicator roots;
};

/// The levels of a split: all; switches and nodes; or nodes and what is inside them.
enum class Scope { all, network, node };

/// Options of a split, equal on all members.
struct SplitOptions {
    bool roots = false;
    bool nic_local = false;  ///< the roots are the processes nearest to the NIC
    Scope scope = Scope::all;
};

/// Returns the value of a key; empty without it. Throws MpiError.
std::string info_value(MPI_Info info, const char* key);

/// Returns true if strata_roots is nic_local. Throws MpiError (MPI_ERR_INFO_VALUE for an unknown value).
bool wants_nic_local(MPI_Info info);

/// Returns the scope that strata_levels names. Throws MpiError (MPI_ERR_INFO_VALUE for an unknown value).
Scope wanted_scope(MPI_Info info);

/// Ranks of the child are ordered by `key`, then as in `comm`. Collective over `comm`. Throws MpiError.
Step split(MPI_Comm comm, const SplitOptions& wishes, int key = 0);

/// Returns all steps of the caller, topmost first. Collective over `comm`. Throws MpiError.
std::vector<Step> split_all(MPI_Comm comm, const SplitOptions& wishes);

/// The criterion of a guided split.
struct Guide {
    topology::LevelPattern level;
    bool shared_memory = false;  ///< instead: the processes of MPI_COMM_TYPE_SHARED

    /// Returns the criterion for a type name; empty if unknown.
    static std::optional<Guide> named(const std::string& type);
    /// Converts to a number and back: equal numbers mean equal criteria; 0 is none.
    static Guide numbered(int number);
    int number() const;
};

/// Makes a communicator of the processes inside the same object, ordered by `key`, then by rank;
/// MPI_COMM_NULL for those in none and for those that do not take part. `guide` is equal on all members.
/// Collective over `comm`. Throws MpiError.
Communicator split_by_guide(MPI_Comm comm, int key, const Guide& guide, bool takes_part);

}  // namespace strata::introspection
