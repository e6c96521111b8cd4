// Monitoring sessions against traffic that is known to the byte, on four processes.
//
//   traffic CASE [--spoil] [--prefix FILES]
//
// --spoil: a number is expected wrongly, so that it has to fail.
#include <cstdio>
#include <cstring>
#include <functional>
#include <map>
#include <string>

#include "traffic.h"

using namespace strata::testing;

namespace {

/// Even and odd ranks separately: messages between members count, on any communicator.
void even_and_odd() {
    MPI_Comm half = split(world_rank() % 2, 0);
    MPI_Comm other = MPI_COMM_NULL;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    const MPI_M_msid id = started(half);
    transfer(MPI_COMM_WORLD, 0, 2, 1000);
    transfer(other, 2, 0, 30);
    transfer(half, 0, 1, 7);               // 0 to 2, and 1 to 3
    transfer(MPI_COMM_WORLD, 0, 1, 5000);  // not between members
    transfer(MPI_COMM_WORLD, 3, 2, 5000);
    suspend(id);
    Matrix expected(2);
    expected.add(0, 1, 7);
    if (world_rank() % 2 == 0) {
        expected.add(0, 1, 1000).add(1, 0, 30);
    }
    expect_data("half", id, p2p, expected);
    release(id);
    MPI_Comm_free(&half);
    MPI_Comm_free(&other);
}

/// Ranks of the communicator in another order than in MPI_COMM_WORLD, without one of its processes.
void permuted() {
    const int rank = world_rank();
    MPI_Comm comm = split(rank == 1 ? MPI_UNDEFINED : 0, -rank);  // 3, 2, 0
    const MPI_M_msid id = comm != MPI_COMM_NULL ? started(comm) : 0;
    transfer(MPI_COMM_WORLD, 3, 2, 10);
    transfer(MPI_COMM_WORLD, 2, 0, 200);
    transfer(MPI_COMM_WORLD, 0, 3, 4000);
    transfer(MPI_COMM_WORLD, 1, 0, 5);
    transfer(MPI_COMM_WORLD, 0, 1, 5);
    if (comm != MPI_COMM_NULL) {
        suspend(id);
        expect_data("reversed", id, p2p, Matrix(3).add(0, 1, 10).add(1, 2, 200).add(2, 0, 4000));
        MPI_Comm_free(&comm);  // the session goes on without it
        resume(id);
    }
    transfer(MPI_COMM_WORLD, 2, 3, 1);
    if (id != 0) {
        suspend(id);
        expect_data("freed communicator", id, p2p,
                    Matrix(3).add(0, 1, 10).add(1, 2, 200).add(2, 0, 4000).add(1, 0, 1));
        release(id);
    }
}

/// Data types with gaps, and several ways to send.
void ways_to_send() {
    MPI_Datatype gaps = MPI_DATATYPE_NULL;
    MPI_Type_vector(3, 2, 5, MPI_INT, &gaps);  // 24 bytes of data
    MPI_Type_commit(&gaps);
    std::vector<int> data(100);
    const int rank = world_rank();
    const MPI_M_msid id = started(MPI_COMM_WORLD);
    if (rank == 0) {
        MPI_Request request = MPI_REQUEST_NULL;
        MPI_Send(data.data(), 2, gaps, 1, 0, MPI_COMM_WORLD);
        MPI_Ssend(data.data(), 1, gaps, 1, 0, MPI_COMM_WORLD);
        MPI_Isend(data.data(), 3, MPI_DOUBLE, 1, 0, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Send(data.data(), 0, MPI_INT, 1, 0, MPI_COMM_WORLD);
    } else if (rank == 1) {
        for (int i = 0; i < 4; ++i) {
            MPI_Recv(data.data(), 400, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
    MPI_Sendrecv(data.data(), 5, MPI_BYTE, rank, 1, data.data() + 50, 5, MPI_BYTE, rank, 1, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    suspend(id);
    Matrix expected(world_size());
    expected.add(0, 1, 48).add(0, 1, 24).add(0, 1, 24).add(0, 1, 0);
    for (int i = 0; i < world_size(); ++i) {
        expected.add(i, i, 5);
    }
    expect_data("ways to send", id, p2p, expected);
    release(id);
    MPI_Type_free(&gaps);
}

/// Sessions inside others, and sessions that overlap, on two communicators.
void overlapping() {
    MPI_Comm reversed = split(0, -world_rank());
    const int n = world_size();
    const MPI_M_msid outer = started(MPI_COMM_WORLD);
    transfer(MPI_COMM_WORLD, 0, 1, 1);
    const MPI_M_msid inner = started(MPI_COMM_WORLD);
    transfer(MPI_COMM_WORLD, 0, 1, 2);
    const MPI_M_msid crossing = started(reversed);
    transfer(MPI_COMM_WORLD, 0, 1, 4);
    suspend(inner);
    transfer(MPI_COMM_WORLD, 0, 1, 8);
    // Read while others are active: that sends, too.
    expect_data("inner", inner, p2p, Matrix(n).add(0, 1, 2).add(0, 1, 4));
    suspend(outer);
    transfer(MPI_COMM_WORLD, 0, 1, 16);
    release(inner);
    suspend(crossing);
    expect_data("outer", outer, p2p, Matrix(n).add(0, 1, 1).add(0, 1, 2).add(0, 1, 4).add(0, 1, 8));
    expect_data("crossing", crossing, p2p,
                Matrix(n).add(n - 1, n - 2, 4).add(n - 1, n - 2, 8).add(n - 1, n - 2, 16));
    release(outer);
    release(crossing);
    MPI_Comm_free(&reversed);
}

/// Suspended and continued it adds up; reset begins anew; all at once.
void interrupted() {
    const int n = world_size();
    const MPI_M_msid id = started(MPI_COMM_WORLD);
    transfer(MPI_COMM_WORLD, 1, 2, 1);
    suspend(id);
    transfer(MPI_COMM_WORLD, 1, 2, 2);
    resume(id);
    transfer(MPI_COMM_WORLD, 1, 2, 4);
    suspend(id);
    expect_data("two parts", id, p2p, Matrix(n).add(1, 2, 1).add(1, 2, 4));
    expect_code("reset", MPI_M_reset(id));
    expect_data("after reset", id, p2p, Matrix(n));
    const MPI_M_msid second = started(MPI_COMM_WORLD);
    transfer(MPI_COMM_WORLD, 1, 2, 8);
    resume(MPI_M_ALL_MSID);  // the second is active already
    transfer(MPI_COMM_WORLD, 1, 2, 16);
    suspend(MPI_M_ALL_MSID);
    transfer(MPI_COMM_WORLD, 1, 2, 32);
    expect_data("first of two", id, p2p, Matrix(n).add(1, 2, 16));
    expect_data("second of two", second, p2p, Matrix(n).add(1, 2, 8).add(1, 2, 16));
    resume(id);
    expect_code("reset of all", MPI_M_reset(MPI_M_ALL_MSID));  // of the suspended one
    suspend(id);
    expect_data("first is left", id, p2p, Matrix(n).add(1, 2, 16));
    expect_data("second is reset", second, p2p, Matrix(n));
    release(MPI_M_ALL_MSID);
    expect_code("after free of all", MPI_M_suspend(second), MPI_M_INVALID_MSID);
}

std::string prefix = "traffic";
bool skipped = false;

/// All processes get one process's error.
void agreement() {
    const int rank = world_rank();
    const int n = world_size();
    const bool odd_one = rank == 1;
    std::vector<unsigned long> counts(static_cast<std::size_t>(n * n));
    MPI_M_msid id = started(MPI_COMM_WORLD);
    if (!odd_one) {
        suspend(id);
    }
    constexpr int coll = MPI_M_COLL_ONLY;
    expect_code("get_data, one active", MPI_M_get_data(id, counts.data(), nullptr, coll),
                MPI_M_SESSION_NOT_SUSPENDED);
    expect_code("finalize, one active", MPI_M_finalize(), MPI_M_SESSION_STILL_ACTIVE);
    if (odd_one) {
        suspend(id);
    }
    expect_code("get_data, one with other flags",
                MPI_M_get_data(id, counts.data(), nullptr, odd_one ? 8 : coll), MPI_M_INTERNAL_FAIL);
    expect_code("allgather_data, flags differ",
                MPI_M_allgather_data(id, counts.data(), nullptr, odd_one ? MPI_M_OSC_ONLY : coll),
                MPI_M_INTERNAL_FAIL);
    expect_code("get_data, flags differ",
                MPI_M_get_data(id, counts.data(), nullptr, odd_one ? MPI_M_OSC_ONLY : coll));
    expect_code("rootgather_data, roots differ",
                MPI_M_rootgather_data(id, odd_one ? 1 : 0, counts.data(), nullptr, coll), MPI_M_INVALID_ROOT);
    expect_code("rootgather_data, others without",
                MPI_M_rootgather_data(id, 1, odd_one ? counts.data() : nullptr, nullptr, coll));
    const std::string nowhere = prefix + "/no/such/folder";
    expect_code("flush, one cannot", MPI_M_flush(id, odd_one ? nowhere.c_str() : prefix.c_str(), coll),
                MPI_M_INTERNAL_FAIL);
    expect_code("rootflush, root cannot", MPI_M_rootflush(id, 1, nowhere.c_str(), coll), MPI_M_INTERNAL_FAIL);
    expect_code("rootflush, root has no name",
                MPI_M_rootflush(id, 1, odd_one ? nullptr : prefix.c_str(), coll), MPI_M_INTERNAL_FAIL);
    expect_code("rootflush, others have none",
                MPI_M_rootflush(id, 1, odd_one ? prefix.c_str() : nullptr, coll));
    MPI_M_msid other = 0;
    expect_code("start, one without", MPI_M_start(MPI_COMM_WORLD, odd_one ? nullptr : &other),
                MPI_M_INVALID_MSID);
    std::vector<MPI_M_msid> own;
    if (odd_one) {  // one process has all the sessions that it can have
        for (int i = 1; i < MPI_M_MAX_SESSIONS; ++i) {
            own.push_back(started(MPI_COMM_SELF));
        }
    }
    expect_code("start, one has no room", MPI_M_start(MPI_COMM_WORLD, &other), MPI_M_SESSION_OVERFLOW);
    for (const MPI_M_msid each : own) {
        suspend(each);
        release(each);
    }
    expect_code("start", MPI_M_start(MPI_COMM_WORLD, &other));
    suspend(other);
    release(other);
    release(id);
}

}  // namespace

int main(int argc, char** argv) {
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SINGLE, &provided);
    const std::map<std::string, std::function<void()>> cases = {
        {"even_and_odd", even_and_odd},
        {"permuted", permuted},
        {"ways_to_send", ways_to_send},
        {"overlapping", overlapping},
        {"interrupted", interrupted},
        {"unseen", [] { unseen(prefix); }},
        {"pending", pending},
        {"flushed", [] { flushed(prefix); }},
        {"agreement", agreement},
        {"counters_reset", [] { skipped = !counters_reset(); }},
        {"reads_fail", reads_fail},
        {"one_sided", one_sided},
        {"estimates", estimates},
        {"all_once", [] { all_once(false); }},
        {"all_once_user_only", [] { all_once(true); }},
        {"all_kinds", [] { all_kinds(false); }},
        {"all_kinds_user_only", [] { all_kinds(true); }},
        {"nested_user_only", nested},
        {"uncounted", [] { uncounted(false); }},
        {"uncounted_user_only", [] { uncounted(true); }},
    };
    const auto chosen = cases.find(argc > 1 ? argv[1] : "");
    if (chosen == cases.end() || world_size() != 4) {
        std::printf("traffic: expected a case, and four processes\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    for (int i = 2; i < argc; ++i) {
        if (std::strcmp(argv[i], "--spoil") == 0) {
            spoil_expectations();
        } else if (std::strcmp(argv[i], "--prefix") == 0 && i + 1 < argc) {
            prefix = argv[++i];
        }
    }
    for (int environment = 0; environment < 2; ++environment) {  // twice: init again is allowed
        int level = -1;
        expect_code("init", MPI_M_init());
        MPI_Query_thread(&level);
        expect_code("MPI's thread level after init", level, provided);
        chosen->second();
        expect_code("finalize", MPI_M_finalize());
    }
    if (world_rank() == 0) {
        std::printf("traffic: %s %s\n", argv[1], skipped ? "cannot be tried here" : "is as expected");
    }
    MPI_Finalize();
    return 0;
}
