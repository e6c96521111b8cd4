#pragma once
#include <mpi.h>

#include <exception>
#include <new>

#include "communicator_facts.h"

// Error handling of all functions of the C interfaces.
namespace strata::introspection {

/// Returns the error that `work` throws.
template <class Work>
MpiError outcome_of(Work&& work) noexcept {
    try {
        work();
    } catch (const MpiError& error) {
        return error;
    } catch (const std::bad_alloc&) {
        return {MPI_ERR_NO_MEM};
    } catch (const std::exception&) {
        return {MPI_ERR_INTERN};
    }
    return {MPI_SUCCESS};
}

/// Runs `work`; converts exceptions to an error code.
template <class Work>
int code_of(Work&& work) noexcept {
    return outcome_of(work).code;
}

/// The same, and calls the communicator's error handler with the code unless MPI has done so.
template <class Work>
int returned(MPI_Comm comm, Work&& work) noexcept {
    const MpiError error = outcome_of(work);
    if (error.code == MPI_SUCCESS || error.handled) return error.code;
    if (comm == MPI_COMM_NULL) {
        int there = 0;  // MPI_COMM_WORLD is missing in programs that use sessions only
        int over = 0;
        MPI_Initialized(&there);
        MPI_Finalized(&over);
        if (there == 0 || over != 0) return error.code;
        comm = MPI_COMM_WORLD;
    }
    MPI_Comm_call_errhandler(comm, error.code);
    return error.code;
}

/// Throws MpiError for MPI_COMM_NULL or an intercommunicator.
inline void require_communicator(MPI_Comm comm) {
    int between_groups = 0;
    if (comm == MPI_COMM_NULL) throw MpiError{MPI_ERR_COMM};
    require_handled(MPI_Comm_test_inter(comm, &between_groups));
    if (between_groups != 0) throw MpiError{MPI_ERR_COMM};
}

/// Throws MpiError for a null pointer.
inline void require_argument(const void* pointer) {
    if (pointer == nullptr) throw MpiError{MPI_ERR_ARG};
}

}  // namespace strata::introspection
