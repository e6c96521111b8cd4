// Several threads of each process with sessions on communicators of their own, while one session watches them
// all.
//
//   threads [--spoil]
//
// Sessions count all traffic between their members, that of other threads too: of a thread's session only
// bounds are known, of the watching one every byte. Meanwhile further threads do nothing but call the
// functions. Exit status 77: MPI_THREAD_MULTIPLE is not provided.
#include <atomic>
#include <cstdio>
#include <cstring>
#include <thread>

#include "sessions_check.h"

using namespace strata::testing;

namespace {

constexpr int thread_count = 4;
constexpr int meddler_count = 2;
constexpr int rounds = 25;
std::atomic<int> working = thread_count;

int bytes_of(int thread, int round) { return 1000 * (thread + 1) + round; }

void ring(MPI_Comm comm, int thread, int round) {
    const int n = world_size();
    const int rank = world_rank();
    const int bytes = bytes_of(thread, round);
    std::vector<char> out(static_cast<std::size_t>(bytes));
    std::vector<char> in(out.size());
    MPI_Sendrecv(out.data(), bytes, MPI_BYTE, (rank + 1) % n, 0, in.data(), bytes, MPI_BYTE,
                 (rank + n - 1) % n, 0, comm, MPI_STATUS_IGNORE);
}

void expect_bounds(const Matrix& got, unsigned long least, unsigned long most) {
    for (int i = 0; i < got.n; ++i) {
        for (int j = 0; j < got.n; ++j) {
            const auto at = static_cast<std::size_t>(i * got.n + j);
            const bool next = j == (i + 1) % got.n;
            const bool good = got.sizes[at] >= (next ? least : 0) && got.sizes[at] <= (next ? most : 0) &&
                              got.counts[at] <= (next ? thread_count * rounds : 0);
            expect_code("bytes of a thread's session within bounds", good ? MPI_SUCCESS : -1);
        }
    }
}

/// Repeats as often as possible: a session with all processes that stops and goes on, and sessions that
/// start and end. The count of the former is unknown, but only sent messages count.
void meddle(MPI_Comm all, MPI_Comm self, unsigned long most) {
    MPI_M_msid on_and_off = 0;
    expect_code("start", MPI_M_start(all, &on_and_off));
    while (working > 0) {
        for (int i = 0; i < 20; ++i) {
            MPI_M_msid id = 0;
            expect_code("start", MPI_M_start(self, &id));
            expect_code("suspend", MPI_M_suspend(on_and_off));
            expect_code("suspend", MPI_M_suspend(id));
            expect_code("continue", MPI_M_continue(on_and_off));
            expect_code("free", MPI_M_free(id));
        }
    }
    expect_code("suspend", MPI_M_suspend(on_and_off));
    expect_bounds(data_of(on_and_off, MPI_M_P2P_ONLY, world_size()), 0, most);
    expect_code("free", MPI_M_free(on_and_off));
}

void work(MPI_Comm comm, int thread, unsigned long most) {
    const int n = world_size();
    for (int round = 0; round < rounds; ++round) {
        MPI_M_msid id = 0;
        expect_code("start", MPI_M_start(comm, &id));
        ring(comm, thread, round);
        expect_code("suspend", MPI_M_suspend(id));
        expect_bounds(data_of(id, MPI_M_P2P_ONLY, n), static_cast<unsigned long>(bytes_of(thread, round)),
                      most);
        expect_code("free", MPI_M_free(id));
    }
    --working;
}

/// A copy that has had a session: the first on a communicator, before others send.
MPI_Comm used_copy(MPI_Comm comm) {
    MPI_Comm copy = MPI_COMM_NULL;
    MPI_M_msid id = 0;
    MPI_Comm_dup(comm, &copy);
    expect_code("start", MPI_M_start(copy, &id));
    expect_code("suspend", MPI_M_suspend(id));
    expect_code("free", MPI_M_free(id));
    return copy;
}

}  // namespace

int main(int argc, char** argv) {
    int provided = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided != MPI_THREAD_MULTIPLE) {
        std::printf("threads: MPI_THREAD_MULTIPLE is not provided\n");
        MPI_Finalize();
        return 77;
    }
    if (argc > 1 && std::strcmp(argv[1], "--spoil") == 0) {
        spoil_expectations();
    }
    expect_code("init", MPI_M_init());
    std::vector<MPI_Comm> comms;
    unsigned long most = 0;
    for (int thread = 0; thread < thread_count; ++thread) {
        comms.push_back(used_copy(MPI_COMM_WORLD));
        for (int round = 0; round < rounds; ++round) {
            most += static_cast<unsigned long>(bytes_of(thread, round));
        }
    }
    for (int meddler = 0; meddler < meddler_count; ++meddler) {
        comms.push_back(used_copy(MPI_COMM_WORLD));
        comms.push_back(used_copy(MPI_COMM_SELF));
    }
    MPI_M_msid watching = 0;
    int level = -1;
    expect_code("start", MPI_M_start(MPI_COMM_WORLD, &watching));
    expect_code("get_info", MPI_M_get_info(watching, &level, MPI_M_INT_IGNORE));
    expect_code("provided", level, MPI_THREAD_MULTIPLE);
    std::vector<std::thread> threads;
    for (int thread = 0; thread < thread_count; ++thread) {
        threads.emplace_back(work, comms[static_cast<std::size_t>(thread)], thread, most);
    }
    for (std::size_t first = thread_count; first < comms.size(); first += 2) {
        threads.emplace_back(meddle, comms[first], comms[first + 1], most);
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    expect_code("suspend", MPI_M_suspend(watching));
    const int n = world_size();
    Matrix expected(n);
    for (int i = 0; i < n; ++i) {
        for (int thread = 0; thread < thread_count; ++thread) {
            for (int round = 0; round < rounds; ++round) {
                expected.add(i, (i + 1) % n, static_cast<unsigned long>(bytes_of(thread, round)));
            }
        }
    }
    expect_data("watching", watching, MPI_M_P2P_ONLY, expected);
    expect_code("free", MPI_M_free(watching));
    for (MPI_Comm& comm : comms) {
        MPI_Comm_free(&comm);
    }
    expect_code("finalize", MPI_M_finalize());
    if (world_rank() == 0) {
        std::printf("threads: %d threads, %d sessions each\n", thread_count, rounds);
    }
    MPI_Finalize();
    return 0;
}
