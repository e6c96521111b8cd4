#pragma once
// The only calls of Open MPI's point-to-point layer (PML), and the end of its requests.
#include "component/openmpi/ompi_compat.h"

namespace strata::component::pml {

// Messages of bytes. These functions return Open MPI's error code.

inline int isend(const void* data, std::size_t bytes, int to, int tag, ompi_communicator_t* comm,
                 ompi_request_t*& request, bool until_matched = false) {
    const auto mode = until_matched ? MCA_PML_BASE_SEND_SYNCHRONOUS : MCA_PML_BASE_SEND_STANDARD;
    return MCA_PML_CALL(isend(data, bytes, &ompi_mpi_byte.dt, to, tag, mode, comm, &request));
}

inline int irecv(void* data, std::size_t bytes, int from, int tag, ompi_communicator_t* comm,
                 ompi_request_t*& request) {
    return MCA_PML_CALL(irecv(data, bytes, &ompi_mpi_byte.dt, from, tag, comm, &request));
}

inline int send(const void* data, std::size_t bytes, int to, int tag, ompi_communicator_t* comm) {
    return MCA_PML_CALL(send(data, bytes, &ompi_mpi_byte.dt, to, tag, MCA_PML_BASE_SEND_STANDARD, comm));
}

inline int recv(void* data, std::size_t bytes, int from, int tag, ompi_communicator_t* comm) {
    return MCA_PML_CALL(recv(data, bytes, &ompi_mpi_byte.dt, from, tag, comm, MPI_STATUS_IGNORE));
}

/// Returns true if the request is complete. Requests of lost peers complete with an error.
inline bool is_complete(ompi_request_t* request) {
    return REQUEST_COMPLETE(request) || compat::fail_if_peer_lost(request);
}

/// Frees a request and sets it to null. One that is not complete may still use its memory.
inline void release(ompi_request_t*& request) {
    ompi_request_free(&request);
    request = nullptr;
}

/// Returns the code of a completed request and frees it.
inline int end(ompi_request_t*& request) {
    opal_atomic_rmb();
    const int code = request->req_status.MPI_ERROR;
    release(request);
    return code;
}

}  // namespace strata::component::pml
