// Cases of `traffic`: the messages and files of MPI_Monitoring.h's functions themselves.
#include "traffic.h"

namespace strata::testing {

/// No message of the functions themselves is in any session.
void unseen(const std::string& prefix) {
    const int n = world_size();
    MPI_Comm half = split(world_rank() % 2, 0);
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &copy);
    const MPI_M_msid watching = started(MPI_COMM_WORLD);
    const MPI_M_msid watching_half = started(half);  // makes a communicator
    for (MPI_Comm comm : {MPI_COMM_WORLD, half, copy}) {
        const MPI_M_msid id = started(comm);
        suspend(id);
        int members = 0;
        MPI_Comm_size(comm, &members);
        for (const int flags : {p2p, static_cast<int>(MPI_M_ALL_COMM)}) {
            expect_data("nothing", id, flags, Matrix(members));
            expect_code("flush", MPI_M_flush(id, prefix.c_str(), flags));
            expect_code("rootflush", MPI_M_rootflush(id, members - 1, prefix.c_str(), flags));
        }
        if (comm == copy) {
            MPI_Comm_free(&copy);
        }
        release(id);
    }
    suspend(watching);
    suspend(watching_half);
    expect_data("watching", watching, MPI_M_ALL_COMM, Matrix(n));
    expect_data("watching a half", watching_half, MPI_M_ALL_COMM, Matrix(n / 2));
    expect_data("estimates", watching, MPI_M_COLL_ONLY, Matrix(n));
    release(watching);
    release(watching_half);
    MPI_Comm_free(&half);
}

/// MPI's messages for a pending operation count while the first session of a communicator starts.
void pending() {
    const int n = world_size();
    constexpr int numbers = 1000;
    std::vector<double> in(numbers);
    std::vector<double> out(numbers);
    MPI_Comm busy = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &busy);
    Matrix undisturbed(n);
    for (const bool disturbed : {false, true}) {
        MPI_Comm copy = MPI_COMM_NULL;
        MPI_Comm_dup(MPI_COMM_WORLD, &copy);
        MPI_Comm half = split(world_rank() % 2, 0);
        MPI_Barrier(MPI_COMM_WORLD);
        const MPI_M_msid watching = started(MPI_COMM_WORLD);
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Iallreduce(in.data(), out.data(), numbers, MPI_DOUBLE, MPI_SUM, busy, &request);
        if (disturbed) {
            for (MPI_Comm comm : {copy, half}) {
                const MPI_M_msid id = started(comm);
                suspend(id);
                release(id);
            }
        }
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        suspend(watching);
        if (disturbed) {
            expect_data("pending operation", watching, p2p, undisturbed);
        } else {
            undisturbed = data_of(watching, p2p, n);
        }
        release(watching);
        MPI_Comm_free(&copy);
        MPI_Comm_free(&half);
    }
    MPI_Comm_free(&busy);
}

/// Files with another number in every place, by ranks of a communicator in reverse order: see
/// check_flushed().
void flushed(const std::string& prefix) {
    const int n = world_size();
    MPI_Comm reversed = split(0, -world_rank());
    const MPI_M_msid id = started(reversed);
    for (int from = 0; from < n; ++from) {
        for (int to = 0; to < n; ++to) {
            for (int i = 0; from != to && i <= 3 * from + to; ++i) {
                transfer(reversed, from, to, 100 * from + 10 * to + 1);
            }
        }
    }
    suspend(id);
    expect_code("flush", MPI_M_flush(id, prefix.c_str(), p2p));
    expect_code("rootflush", MPI_M_rootflush(id, 2, prefix.c_str(), p2p));
    release(id);
    MPI_Comm_free(&reversed);
}

}  // namespace strata::testing
