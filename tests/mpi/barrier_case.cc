#include <time.h>
#include <unistd.h>

#include <algorithm>

#include "collective_cases.h"

namespace strata::testing {

namespace {

constexpr int stamp_tag = 902;

// Uses one clock for all processes of a kernel, unlike MPI_Wtime.
std::int64_t nanoseconds() {
    timespec now = {};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

}  // namespace

void checked_barrier(Session& session, MPI_Comm comm, std::uint64_t key) {
    int rank = 0;
    int size = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    Random own(mix(key, rank));
    const bool early = size > 1 && session.sabotages("barrier");
    if (session.sabotage_is("barrier")) {
        usleep(early ? 0 : 50'000);
    } else if (own.one_in(3)) {
        usleep(static_cast<useconds_t>(own.between(1, 3000)));
    }
    std::int64_t stamps[2] = {nanoseconds(), 0};
    if (early) {  // the other ranks sleep
        stamps[1] = nanoseconds();
        MPI_Barrier(comm);
    } else {
        MPI_Barrier(comm);
        stamps[1] = nanoseconds();
    }
    if (rank != 0) {
        MPI_Send(stamps, 2, MPI_INT64_T, 0, stamp_tag, comm);
        return;
    }
    std::int64_t last_entry = stamps[0];
    std::int64_t first_exit = stamps[1];
    int last = 0;
    int first = 0;
    for (int other = 1; other < size; ++other) {
        MPI_Recv(stamps, 2, MPI_INT64_T, other, stamp_tag, comm, MPI_STATUS_IGNORE);
        if (stamps[0] > last_entry) {
            last_entry = stamps[0];
            last = other;
        }
        if (stamps[1] < first_exit) {
            first_exit = stamps[1];
            first = other;
        }
    }
    if (last_entry > first_exit) {
        session.fail("rank %d of %d left the Barrier %lld ns before rank %d entered it", first, size,
                     static_cast<long long>(last_entry - first_exit), last);
    }
}

}  // namespace strata::testing
