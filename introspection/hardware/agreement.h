#pragma once
#include <mpi.h>

#include <initializer_list>
#include <vector>

#include "returned.h"

namespace strata::introspection {

/// Returns the maximum of each value over all members. Collective over `comm`. If any member brings an
/// error, all members throw the greatest error code, so that no member waits for one with wrong
/// arguments. `own`: the caller's error; if MPI has already called a handler for it, that handler is not
/// called again. Cost: one MPI_Allreduce.
std::vector<int> agreed(MPI_Comm comm, const MpiError& own, std::initializer_list<int> values);

/// A value that must be equal on all members that have one: two of the values above.
struct Common {
    static constexpr int none = -2147483647;
    static constexpr int mirrored(int value) { return value == none ? none : -value; }
    static bool holds(int most, int most_mirrored) { return most == mirrored(most_mirrored); }
};

}  // namespace strata::introspection
