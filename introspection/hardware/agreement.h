#pragma once
#include <mpi.h>

#include <initializer_list>
#include <vector>

#include "returned.h"

namespace strata::introspection {

/// The greatest of each of the values over all members. Collective over `comm`. Throws on all the greatest
/// of the error codes that members bring: whoever finds its arguments wrong must not let the others wait.
/// `own`: whose handler MPI has called already is not called again.
std::vector<int> agreed(MPI_Comm comm, const MpiError& own, std::initializer_list<int> values);

/// A value that must be the same on all members that have one: travels as two of the values above.
struct Common {
    static constexpr int none = -2147483647;
    static constexpr int mirrored(int value) { return value == none ? none : -value; }
    static bool holds(int most, int most_mirrored) { return most == mirrored(most_mirrored); }
};

}  // namespace strata::introspection
