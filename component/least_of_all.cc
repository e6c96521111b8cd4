#include "least_of_all.h"

#include <algorithm>

namespace strata::component {

namespace {
/// That of a collective which leaves no message behind it either; those of barriers may be taken from any
/// source (OMPI: barrier_intra_basic_linear).
constexpr int tag = MCA_COLL_BASE_TAG_ALLREDUCE;
}  // namespace

int LeastOfAll::exchange(std::span<std::uint64_t> words) {
    const int ranks = ompi_comm_size(comm_);
    const int rank = ompi_comm_rank(comm_);
    const std::size_t bytes = words.size_bytes();
    for (int distance = 1; distance < ranks; distance *= 2) {
        ompi_request_t* request = nullptr;
        const int to = (rank + distance) % ranks;
        const int from = (rank - distance + ranks) % ranks;
        int rc = MCA_PML_CALL(irecv(heard_.data(), bytes, &ompi_mpi_byte.dt, from, tag, comm_, &request));
        if (rc != OMPI_SUCCESS) {
            return rc;
        }
        rc = MCA_PML_CALL(
            send(words.data(), bytes, &ompi_mpi_byte.dt, to, tag, MCA_PML_BASE_SEND_STANDARD, comm_));
        if (rc != OMPI_SUCCESS) {
            ompi_request_free(&request);
            return rc;
        }
        rc = ompi_request_wait(&request, MPI_STATUS_IGNORE);
        if (rc != OMPI_SUCCESS) {
            if (request != MPI_REQUEST_NULL) {
                ompi_request_free(&request);  // which the wait leaves to us
            }
            return rc;
        }
        std::transform(words.begin(), words.end(), heard_.begin(), words.begin(),
                       [](std::uint64_t mine, std::uint64_t theirs) { return std::min(mine, theirs); });
    }
    return OMPI_SUCCESS;
}

}  // namespace strata::component
