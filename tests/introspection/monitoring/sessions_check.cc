#include "sessions_check.h"

#include <cstdio>

namespace strata::testing {

namespace {

bool spoilt = false;

std::string text(const std::vector<unsigned long>& matrix, int n) {
    std::string result;
    for (std::size_t i = 0; i < matrix.size(); ++i) {
        result += (i % static_cast<std::size_t>(n) == 0 ? "\n    " : " ") + std::to_string(matrix[i]);
    }
    return result;
}

[[noreturn]] void give_up(const std::string& reason) {
    std::printf("FAILED: rank %d: %s\n", world_rank(), reason.c_str());
    std::fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 1);
    std::abort();
}

void compare(const std::string& what, const std::vector<unsigned long>& got,
             const std::vector<unsigned long>& expected, int n) {
    if (got != expected) {
        give_up(what + ": got" + text(got, n) + "\n  expected" + text(expected, n));
    }
}

}  // namespace

Matrix::Matrix(int processes)
    : n(processes),
      counts(static_cast<std::size_t>(processes) * static_cast<std::size_t>(processes)),
      sizes(counts.size()) {}

Matrix& Matrix::add(int from, int to, unsigned long bytes, unsigned long messages) {
    const auto at = static_cast<std::size_t>(from * n + to);
    counts[at] += messages;
    sizes[at] += bytes * messages;
    return *this;
}

int world_rank() {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

int world_size() {
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

void spoil_expectations() { spoilt = true; }

void expect_code(const std::string& what, int code, int expected) {
    if (code != expected) {
        give_up(what + " returned " + std::to_string(code) + ", expected " + std::to_string(expected));
    }
}

Matrix data_of(MPI_M_msid id, int flags, int processes) {
    Matrix result(processes);
    expect_code("allgather_data", MPI_M_allgather_data(id, result.counts.data(), result.sizes.data(), flags));
    return result;
}

void expect_data(const std::string& what, MPI_M_msid id, int flags, const Matrix& expected) {
    int n = 0;
    expect_code("get_info", MPI_M_get_info(id, MPI_M_INT_IGNORE, &n));
    if (n != expected.n) {
        give_up(what + ": of " + std::to_string(n) + " processes, expected " + std::to_string(expected.n));
    }
    Matrix wanted = expected;
    wanted.sizes[1] += spoilt ? 1 : 0;
    const Matrix all = data_of(id, flags, n);
    compare(what + ", messages", all.counts, wanted.counts, n);
    compare(what + ", bytes", all.sizes, wanted.sizes, n);

    // At every root; the row of each process is then in it.
    const auto width = static_cast<std::size_t>(n);
    std::vector<unsigned long> row_counts(width);
    std::vector<unsigned long> row_sizes(width);
    expect_code("get_data", MPI_M_get_data(id, row_counts.data(), row_sizes.data(), flags));
    int found = 0;
    for (int root = 0; root < n; ++root) {
        Matrix rooted(n);
        expect_code("rootgather_data",
                    MPI_M_rootgather_data(id, root, rooted.counts.data(), rooted.sizes.data(), flags));
        const auto at = static_cast<std::ptrdiff_t>(root * n);
        const bool mine = rooted.counts == all.counts && rooted.sizes == all.sizes &&
                          std::vector(all.counts.begin() + at, all.counts.begin() + at + n) == row_counts &&
                          std::vector(all.sizes.begin() + at, all.sizes.begin() + at + n) == row_sizes;
        found += mine ? 1 : 0;
    }
    const bool anything = all.counts != Matrix(n).counts;
    if (anything && found == 0) {
        give_up(what + ": get_data or rootgather_data differ from allgather_data");
    }
}

void transfer(MPI_Comm comm, int from, int to, int bytes, int tag) {
    int rank = 0;
    MPI_Comm_rank(comm, &rank);
    std::vector<char> data(static_cast<std::size_t>(bytes) + 1);
    MPI_Request request = MPI_REQUEST_NULL;
    if (rank == from) {
        MPI_Isend(data.data(), bytes, MPI_BYTE, to, tag, comm, &request);
    }
    if (rank == to) {
        MPI_Recv(data.data(), bytes, MPI_BYTE, from, tag, comm, MPI_STATUS_IGNORE);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

}  // namespace strata::testing
