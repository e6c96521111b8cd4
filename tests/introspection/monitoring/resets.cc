// Cases of `traffic`: Open MPI's counters are reset during a session, or cannot be read.
#include <cstdio>

#include "traffic.h"

namespace {

int reads_left = -1;  // number of calls that succeed; -1: all

}  // namespace

/// Before the real one.
extern "C" int MPI_T_pvar_read(MPI_T_pvar_session session, MPI_T_pvar_handle handle, void* to) {
    if (reads_left == 0) {
        return MPI_T_ERR_INVALID_HANDLE;
    }
    reads_left -= reads_left > 0 ? 1 : 0;
    return PMPI_T_pvar_read(session, handle, to);
}

namespace strata::testing {

namespace {

/// Resets all counters of the caller. False where there is no such variable.
bool reset_counters() {
    int level = MPI_THREAD_SINGLE;
    int index = 0;
    int count = 0;
    char name[] = "pml_monitoring_flush";
    MPI_T_pvar_session session = MPI_T_PVAR_SESSION_NULL;
    MPI_T_pvar_handle handle = MPI_T_PVAR_HANDLE_NULL;
    MPI_T_init_thread(MPI_THREAD_SINGLE, &level);
    const bool found = MPI_T_pvar_get_index(name, MPI_T_PVAR_CLASS_GENERIC, &index) == MPI_SUCCESS;
    if (found) {
        expect_code("pvar_session_create", MPI_T_pvar_session_create(&session));
        expect_code("pvar_handle_alloc", MPI_T_pvar_handle_alloc(session, index, nullptr, &handle, &count));
        MPI_T_pvar_handle_free(session, &handle);
        MPI_T_pvar_session_free(&session);
    }
    MPI_T_finalize();
    return found;
}

}  // namespace

/// Each session whose counters were reset reports it, then all do; once reset itself, the session counts
/// again.
bool counters_reset() {
    const int n = world_size();
    const bool odd_one = world_rank() == 1;
    const MPI_M_msid before = started(MPI_COMM_WORLD);
    const MPI_M_msid id = started(MPI_COMM_WORLD);
    transfer(MPI_COMM_WORLD, 1, 2, 1000);
    suspend(before);
    int found = !odd_one || reset_counters() ? 1 : 0;
    MPI_Bcast(&found, 1, MPI_INT, 1, MPI_COMM_WORLD);
    if (found == 0) {
        suspend(id);
        release(MPI_M_ALL_MSID);
        return false;
    }
    transfer(MPI_COMM_WORLD, 1, 2, 1);
    expect_code("suspend", MPI_M_suspend(id), odd_one ? MPI_M_MPIT_FAIL : MPI_SUCCESS);
    std::vector<unsigned long> counts(static_cast<std::size_t>(n * n));
    expect_code("get_data", MPI_M_get_data(id, counts.data(), nullptr, p2p), MPI_M_MPIT_FAIL);
    expect_code("allgather_data", MPI_M_allgather_data(id, counts.data(), nullptr, p2p), MPI_M_MPIT_FAIL);
    expect_code("suspend twice", MPI_M_suspend(id), MPI_M_MULTIPLE_CALL);
    expect_data("another session, before", before, p2p, Matrix(n).add(1, 2, 1000));
    const MPI_M_msid after = started(MPI_COMM_WORLD);
    expect_code("reset", MPI_M_reset(id));
    expect_data("nothing", id, p2p, Matrix(n));
    resume(id);
    transfer(MPI_COMM_WORLD, 1, 2, 30);
    suspend(MPI_M_ALL_MSID);
    expect_data("counts again", id, p2p, Matrix(n).add(1, 2, 30));
    expect_data("another session, after", after, p2p, Matrix(n).add(1, 2, 30));
    release(MPI_M_ALL_MSID);
    return true;
}

/// One process fails at one read after the other: either all have a session, or none.
void reads_fail() {
    constexpr int most = 20;  // more than a start needs
    for (int good = 0; good < most; ++good) {
        MPI_M_msid id = 0;
        reads_left = world_rank() == 1 ? good : -1;
        const int code = MPI_M_start(MPI_COMM_WORLD, &id);
        reads_left = -1;
        int codes[] = {code, -code};
        MPI_Allreduce(MPI_IN_PLACE, codes, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        expect_code("least of the codes of start", -codes[1], codes[0]);
        expect_code("start", code, good == 0 ? MPI_M_MPIT_FAIL : good == most - 1 ? MPI_SUCCESS : code);
        if (code == MPI_SUCCESS) {
            suspend(id);
            release(id);
        }
    }
    const MPI_M_msid id = started(MPI_COMM_WORLD);
    reads_left = world_rank() == 1 ? 0 : -1;
    expect_code("suspend", MPI_M_suspend(id), world_rank() == 1 ? MPI_M_MPIT_FAIL : MPI_SUCCESS);
    reads_left = -1;
    expect_code("get_data", MPI_M_get_data(id, nullptr, nullptr, p2p), MPI_M_MPIT_FAIL);
    release(id);
}

}  // namespace strata::testing
