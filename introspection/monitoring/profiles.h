#pragma once
#include <MPI_Monitoring.h>

namespace strata::introspection {

/// Implements MPI_M_flush.
int flush_row(MPI_M_msid id, const char* filename, int flags);
/// Implements MPI_M_rootflush.
int flush_matrix(MPI_M_msid id, int root, const char* filename, int flags);

}  // namespace strata::introspection
