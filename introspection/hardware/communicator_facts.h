#pragma once
#include <mpi.h>

#include <memory>
#include <vector>

#include "own_place.h"
#include "switch_heights.h"
#include "topology/locality_record.h"

namespace strata::introspection {

/// Where all members of a communicator are, by rank.
using Records = std::vector<topology::LocalityRecord>;

/// What a communicator made by this library stands for.
struct LevelFacts {
    int siblings = 0;  ///< communicators made of the same parent
    int index = 0;     ///< of this one among them
    const char* type = nullptr;
};

/// An MPI function's error code that is none of MPI_SUCCESS.
struct MpiError {
    int code;
    bool handled = false;  ///< MPI has called an error handler for it
};
/// Throws MpiError.
void require(int code);
/// The same of a function that calls the application's error handler itself.
void require_handled(int code);

/// Where all members of a communicator are, and what follows from where all those are with whom records were
/// exchanged: parts of them call a switch the same, and elect by the same NICs.
struct Members {
    Records records;
    std::shared_ptr<const SwitchHeights> heights;
    topology::NicUse use = topology::NicUse::fabric;
    OwnObjects objects;  ///< around the caller
};

/// Kept with the communicator from the first call on, which is collective. Throws MpiError, also where some
/// member could not say where it is: then that one has written why to standard error, and all members throw.
std::shared_ptr<const Members> members_of(MPI_Comm comm);
std::shared_ptr<const Records> records_of(MPI_Comm comm);
/// For a communicator made of members of `parent`. Local.
void keep_members(MPI_Comm comm, MPI_Comm parent, const Members& members);

void keep_level(MPI_Comm comm, const LevelFacts& facts);
/// Null for a communicator that no function of this library has made.
const LevelFacts* level_of(MPI_Comm comm);

}  // namespace strata::introspection
