// Calls of the monitoring library that have to succeed.

#pragma once

#include <mpi.h>

#include <cerrno>
#include <cstdio>

namespace bench {

// Ends the job where `what` has failed.
inline void check(int code, const char* what) {
    if (code == MPI_SUCCESS) return;
    std::fprintf(stderr, "%s: %s returns %d\n", program_invocation_short_name, what, code);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

}  // namespace bench
