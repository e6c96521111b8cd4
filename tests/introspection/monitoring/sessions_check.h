#pragma once
#include <MPI_Monitoring.h>

#include <cstddef>
#include <string>
#include <vector>

namespace strata::testing {

/// Messages and bytes from each of n processes to each.
struct Matrix {
    explicit Matrix(int processes);
    int n;
    std::vector<unsigned long> counts;
    std::vector<unsigned long> sizes;

    Matrix& add(int from, int to, unsigned long bytes, unsigned long messages = 1);
};

int world_rank();
int world_size();

/// Ends the job when `code` is not the expected one.
void expect_code(const std::string& what, int code, int expected = MPI_SUCCESS);

/// Checks that the session has exactly this, with each function that returns data; all must agree. `flags`
/// as for these functions. Collective. With --spoil one expected number is greater by one.
void expect_data(const std::string& what, MPI_M_msid id, int flags, const Matrix& expected);
void spoil_expectations();

/// The results of MPI_M_allgather_data.
Matrix data_of(MPI_M_msid id, int flags, int processes);

/// One message over `comm`, by ranks of that.
void transfer(MPI_Comm comm, int from, int to, int bytes, int tag = 5);

}  // namespace strata::testing
