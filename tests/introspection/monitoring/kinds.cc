// Cases of `traffic`: kinds of traffic, alone and together.
#include <cstdio>

#include "traffic.h"

namespace strata::testing {

namespace {

void add(Matrix& sum, const Matrix& part) {
    for (std::size_t i = 0; i < sum.counts.size(); ++i) {
        sum.counts[i] += part.counts[i];
        sum.sizes[i] += part.sizes[i];
    }
}

Matrix sum_of(std::initializer_list<Matrix> parts) {
    Matrix sum(parts.begin()->n);
    for (const Matrix& part : parts) {
        add(sum, part);
    }
    return sum;
}

}  // namespace

/// A Put is a message of its origin; a Get is a request of its origin and the data of its target.
void one_sided() {
    const int rank = world_rank();
    std::vector<char> memory(4096);
    std::vector<char> data(4096);
    MPI_Win window = MPI_WIN_NULL;
    MPI_Win_create(memory.data(), 4096, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    MPI_Comm reversed = split(0, -rank);
    const MPI_M_msid id = started(MPI_COMM_WORLD);
    const MPI_M_msid backwards = started(reversed);
    MPI_Win_fence(0, window);
    if (rank == 0) {
        MPI_Put(data.data(), 300, MPI_BYTE, 1, 0, 300, MPI_BYTE, window);
        MPI_Put(data.data(), 10, MPI_INT, 1, 400, 10, MPI_INT, window);
    } else if (rank == 2) {
        MPI_Get(data.data(), 200, MPI_BYTE, 1, 1000, 200, MPI_BYTE, window);
    } else if (rank == 1) {
        const double one = 1;
        MPI_Accumulate(&one, 1, MPI_DOUBLE, 0, 2000, 1, MPI_DOUBLE, MPI_SUM, window);
    }
    MPI_Win_fence(0, window);
    suspend(MPI_M_ALL_MSID);
    expect_data("one-sided", id, MPI_M_OSC_ONLY,
                Matrix(4).add(0, 1, 300).add(0, 1, 40).add(2, 1, 0).add(1, 2, 200).add(1, 0, 8));
    expect_data("one-sided, reversed", backwards, MPI_M_OSC_ONLY,
                Matrix(4).add(3, 2, 300).add(3, 2, 40).add(1, 2, 0).add(2, 1, 200).add(2, 3, 8));
    release(MPI_M_ALL_MSID);
    MPI_Comm_free(&reversed);
    MPI_Win_free(&window);
}

/// A Bcast counts as one message to each other process, for any algorithm.
void estimates() {
    const int n = world_size();
    std::vector<char> data(1000);
    const MPI_M_msid id = started(MPI_COMM_WORLD);
    MPI_Bcast(data.data(), 1000, MPI_BYTE, 1, MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    suspend(id);
    Matrix expected(n);
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            if (i != j) {
                expected.add(i, j, 0);
                if (i == 1) {
                    expected.add(i, j, 1000);
                }
            }
        }
    }
    expect_data("estimates", id, MPI_M_COLL_ONLY, expected);
    release(id);
}

/// Messages of collective operations count once in MPI_M_ALL_COMM: as such, or under mode 2 by the estimates.
void all_once(bool user_only) {
    const int n = world_size();
    std::vector<char> data(1000);
    const MPI_M_msid id = started(MPI_COMM_WORLD);
    MPI_Bcast(data.data(), 1000, MPI_BYTE, 0, MPI_COMM_WORLD);
    transfer(MPI_COMM_WORLD, 2, 3, 77);
    suspend(id);
    const Matrix messages = data_of(id, p2p, n);
    const Matrix calls = data_of(id, MPI_M_COLL_ONLY, n);
    unsigned long bytes = 0;
    for (const unsigned long size : messages.sizes) {
        bytes += size;
    }
    const unsigned long in_bcast = 1000UL * static_cast<unsigned long>(n - 1);
    expect_code("bytes in messages", static_cast<int>(bytes),
                static_cast<int>(77 + (user_only ? 0 : in_bcast)));
    Matrix expected = messages;
    for (std::size_t i = 0; user_only && i < expected.counts.size(); ++i) {
        expected.counts[i] += calls.counts[i];
        expected.sizes[i] += calls.sizes[i];
    }
    expect_data("all once", id, MPI_M_ALL_COMM, expected);
    expect_data("two of three", id, p2p | MPI_M_COLL_ONLY, expected);
    expect_data("messages and one-sided", id, p2p | MPI_M_OSC_ONLY, messages);
    release(id);
}

/// Messages, a Bcast, a Put and a Get in one session: every sum of kinds. The window's other traffic counts
/// as messages, and differs between MPI's components.
void all_kinds(bool user_only) {
    const int n = world_size();
    const int rank = world_rank();
    std::vector<char> memory(4096);
    std::vector<char> data(4096);
    MPI_Win window = MPI_WIN_NULL;
    MPI_Win_create(memory.data(), 4096, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &window);
    const MPI_M_msid id = started(MPI_COMM_WORLD);
    transfer(MPI_COMM_WORLD, 2, 3, 77);
    MPI_Bcast(data.data(), 1000, MPI_BYTE, 0, MPI_COMM_WORLD);
    MPI_Win_fence(0, window);
    if (rank == 0) {
        MPI_Put(data.data(), 300, MPI_BYTE, 1, 0, 300, MPI_BYTE, window);
    } else if (rank == 2) {
        MPI_Get(data.data(), 200, MPI_BYTE, 1, 1000, 200, MPI_BYTE, window);
    }
    MPI_Win_fence(0, window);
    suspend(id);
    constexpr int coll = MPI_M_COLL_ONLY;
    constexpr int osc = MPI_M_OSC_ONLY;
    const Matrix messages = data_of(id, p2p, n);
    const Matrix calls = data_of(id, coll, n);
    const Matrix one_sided = Matrix(n).add(0, 1, 300).add(2, 1, 0).add(1, 2, 200);
    if (messages.sizes[static_cast<std::size_t>(2 * n + 3)] < 77 || calls.sizes[1] < 1000) {
        expect_code("message and Bcast are counted", -1);
    }
    const Matrix all = user_only ? sum_of({messages, calls, one_sided}) : sum_of({messages, one_sided});
    expect_data("one-sided", id, osc, one_sided);
    expect_data("messages and one-sided", id, p2p | osc, sum_of({messages, one_sided}));
    expect_data("calls and one-sided", id, coll | osc, sum_of({calls, one_sided}));
    expect_data("messages and calls", id, p2p | coll, user_only ? sum_of({messages, calls}) : messages);
    expect_data("all", id, MPI_M_ALL_COMM, all);
    release(id);
    MPI_Win_free(&window);
}

/// An Allreduce built from other collective calls counts more than once in the estimates, and under mode 2
/// in all sums that include them.
void nested() {
    const int n = world_size();
    std::vector<double> in(1000);
    std::vector<double> out(1000);
    const MPI_M_msid id = started(MPI_COMM_WORLD);
    MPI_Allreduce(in.data(), out.data(), 1000, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    suspend(id);
    const Matrix calls = data_of(id, MPI_M_COLL_ONLY, n);
    unsigned long messages = 0;
    for (const unsigned long count : calls.counts) {
        messages += count;
    }
    const auto once = static_cast<unsigned long>(n * (n - 1));
    expect_code("an Allreduce counts more than once", messages > once ? MPI_SUCCESS : -1);
    expect_data("all", id, MPI_M_ALL_COMM, sum_of({data_of(id, p2p, n), calls}));
    release(id);
}

/// Without coll/monitoring every sum that includes the estimates fails.
void uncounted(bool user_only) {
    const MPI_M_msid id = started(MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    suspend(id);
    std::vector<unsigned long> counts(static_cast<std::size_t>(world_size()));
    const auto expect_flags = [&](int flags, int code) {
        expect_code("flags " + std::to_string(flags), MPI_M_get_data(id, counts.data(), nullptr, flags),
                    code);
    };
    const int both = user_only ? static_cast<int>(MPI_M_MPIT_FAIL) : MPI_SUCCESS;
    expect_flags(MPI_M_COLL_ONLY, MPI_M_MPIT_FAIL);
    expect_flags(MPI_M_COLL_ONLY | MPI_M_OSC_ONLY, MPI_M_MPIT_FAIL);
    expect_flags(MPI_M_COLL_ONLY | p2p, both);
    expect_flags(MPI_M_ALL_COMM, both);
    expect_flags(p2p, MPI_SUCCESS);
    expect_flags(MPI_M_OSC_ONLY, MPI_SUCCESS);
    release(id);
    std::printf("uncounted: rank %d is told so\n", world_rank());
    std::fflush(stdout);  // Open MPI 4.1 without coll/monitoring crashes when any communicator is freed
}

}  // namespace strata::testing
