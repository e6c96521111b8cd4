#pragma once
#include <mpi.h>

#include <memory>
#include <vector>

#include "own_place.h"
#include "switch_heights.h"
#include "topology/locality_record.h"

namespace strata::introspection {

/// The locality records of all members of a communicator, by rank.
using Records = std::vector<topology::LocalityRecord>;

/// Description of a communicator made by this library.
struct LevelFacts {
    int siblings = 0;  ///< communicators made of the same parent
    int index = 0;     ///< position of this one among them
    const char* type = nullptr;
};

/// An MPI function's error code other than MPI_SUCCESS.
struct MpiError {
    int code;
    bool handled = false;  ///< MPI has already called an error handler
};
/// Throws MpiError unless `code` is MPI_SUCCESS.
void require(int code);
/// The same for functions that call the application's error handler themselves.
void require_handled(int code);

/// Locality of a communicator's members, with facts derived from all processes that exchanged records:
/// all parts of these name switches alike, and elect by the same NICs.
struct Members {
    Records records;
    std::shared_ptr<const SwitchHeights> heights;
    topology::NicUse use = topology::NicUse::fabric;
    OwnObjects objects;  ///< objects that contain the caller
};

/// Returns the members' locality. The first call is collective and keeps the result with the
/// communicator. Throws MpiError; if some member cannot determine its location, it prints the reason to
/// standard error and all members throw.
std::shared_ptr<const Members> members_of(MPI_Comm comm);
std::shared_ptr<const Records> records_of(MPI_Comm comm);
/// Sets the locality of a communicator made of members of `parent`. Local.
void keep_members(MPI_Comm comm, MPI_Comm parent, const Members& members);

void keep_level(MPI_Comm comm, const LevelFacts& facts);
/// Returns null for a communicator that no function of this library made.
const LevelFacts* level_of(MPI_Comm comm);

}  // namespace strata::introspection
