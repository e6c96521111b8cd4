#pragma once
#include <string>

#include "sessions_check.h"

/// Shared by the cases of `traffic`, and the cases in separate files.
namespace strata::testing {

inline constexpr int p2p = MPI_M_P2P_ONLY;

inline MPI_M_msid started(MPI_Comm comm) {
    MPI_M_msid id = 0;
    expect_code("start", MPI_M_start(comm, &id));
    return id;
}

inline void suspend(MPI_M_msid id) { expect_code("suspend", MPI_M_suspend(id)); }
inline void resume(MPI_M_msid id) { expect_code("continue", MPI_M_continue(id)); }
inline void release(MPI_M_msid id) { expect_code("free", MPI_M_free(id)); }

inline MPI_Comm split(int color, int key) {
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, color, key, &comm);
    return comm;
}

// unseen.cc: the functions' own messages. `prefix` of the files that they write.
void unseen(const std::string& prefix);
void pending();
void flushed(const std::string& prefix);

// resets.cc: false where nothing can reset Open MPI's counters.
bool counters_reset();
void reads_fail();

// kinds.cc: kinds of traffic, and their sums.
void one_sided();
void estimates();
void all_once(bool user_only);
void all_kinds(bool user_only);
void nested();
void uncounted(bool user_only);

}  // namespace strata::testing
