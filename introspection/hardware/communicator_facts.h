#pragma once
#include <mpi.h>

#include <memory>
#include <vector>

#include "strata/topology/locality_record.h"

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
};
/// Throws MpiError.
void require(int code);

/// Of all members; kept with the communicator from the first call on, which is collective. Throws MpiError,
/// also where some member could not say where it is: then that one has written why to standard error, and all
/// members throw.
std::shared_ptr<const Records> records_of(MPI_Comm comm);
/// Where they are known already.
void keep_records(MPI_Comm comm, std::shared_ptr<const Records> records);

void keep_level(MPI_Comm comm, const LevelFacts& facts);
/// Null for a communicator that no function of this library has made.
const LevelFacts* level_of(MPI_Comm comm);

}  // namespace strata::introspection
