#pragma once
#include "component/openmpi/ompi_compat.h"  // Open MPI's own headers come before mpi.h

#include <array>
#include <cstdint>

namespace strata::testing {

/// Length of a message that a rank takes for a proposal, and that is longer than any proposal: its
/// agreement fails.
inline constexpr int words_of_no_proposal = 9;

inline void send_no_proposal(MPI_Comm comm, int to) {
    const std::array<std::uint64_t, words_of_no_proposal> words{};
    MCA_PML_CALL(send(words.data(), sizeof words, &ompi_mpi_byte.dt, to, MCA_COLL_BASE_TAG_ALLREDUCE,
                      MCA_PML_BASE_SEND_STANDARD, comm));
}

/// Receives the message to remove it.
inline void receive_no_proposal(MPI_Comm comm, int from) {
    std::array<std::uint64_t, words_of_no_proposal> words{};
    MCA_PML_CALL(recv(words.data(), sizeof words, &ompi_mpi_byte.dt, from, MCA_COLL_BASE_TAG_ALLREDUCE, comm,
                      MPI_STATUS_IGNORE));
}

}  // namespace strata::testing
