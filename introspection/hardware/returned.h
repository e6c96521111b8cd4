#pragma once
#include <mpi.h>

#include <exception>
#include <new>

#include "communicator_facts.h"

// What all functions of the C interfaces of this room do with errors.
namespace strata::introspection {

/// Runs `work`; what it throws becomes an error code.
template <class Work>
int code_of(Work&& work) noexcept {
    try {
        work();
    } catch (const MpiError& error) {
        return error.code;
    } catch (const std::bad_alloc&) {
        return MPI_ERR_NO_MEM;
    } catch (const std::exception&) {
        return MPI_ERR_INTERN;
    }
    return MPI_SUCCESS;
}

/// The same; the code is given to the communicator's error handler first.
template <class Work>
int returned(MPI_Comm comm, Work&& work) noexcept {
    const int code = code_of(work);
    if (code == MPI_SUCCESS) return code;
    MPI_Comm_call_errhandler(comm != MPI_COMM_NULL ? comm : MPI_COMM_WORLD, code);
    return code;
}

/// Throws MpiError where it is none, or one between groups.
inline void require_communicator(MPI_Comm comm) {
    int between_groups = 0;
    if (comm == MPI_COMM_NULL) throw MpiError{MPI_ERR_COMM};
    require(MPI_Comm_test_inter(comm, &between_groups));
    if (between_groups != 0) throw MpiError{MPI_ERR_COMM};
}

/// Throws MpiError for a null pointer.
inline void require_argument(const void* pointer) {
    if (pointer == nullptr) throw MpiError{MPI_ERR_ARG};
}

}  // namespace strata::introspection
