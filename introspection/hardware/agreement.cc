#include "agreement.h"

namespace strata::introspection {

std::vector<int> agreed(MPI_Comm comm, int code, std::initializer_list<int> values) {
    int own_class = MPI_SUCCESS;  // MPICH's codes mean something to this process only
    MPI_Error_class(code, &own_class);
    std::vector<int> own{own_class};
    own.insert(own.end(), values);
    std::vector<int> most(own.size());
    require_handled(
        MPI_Allreduce(own.data(), most.data(), static_cast<int>(own.size()), MPI_INT, MPI_MAX, comm));
    if (most.front() != MPI_SUCCESS) throw MpiError{most.front()};
    most.erase(most.begin());
    return most;
}

}  // namespace strata::introspection
