#include "agreement.h"

namespace strata::introspection {

std::vector<int> agreed(MPI_Comm comm, const MpiError& own, std::initializer_list<int> values) {
    int own_class = MPI_SUCCESS;  // MPICH's codes are valid in this process only
    MPI_Error_class(own.code, &own_class);
    std::vector<int> brought{own_class};
    brought.insert(brought.end(), values);
    std::vector<int> most(brought.size());
    require_handled(
        MPI_Allreduce(brought.data(), most.data(), static_cast<int>(brought.size()), MPI_INT, MPI_MAX, comm));
    if (most.front() != MPI_SUCCESS) throw MpiError{most.front(), own.handled};
    most.erase(most.begin());
    return most;
}

}  // namespace strata::introspection
