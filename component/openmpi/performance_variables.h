#pragma once
#include <string>

#include "component/openmpi/ompi_compat.h"

namespace strata::component {

/// A read-only performance variable of MPI_T, an unsigned long long.
struct PerformanceVariable {
    std::string name;
    std::string help;
    mca_base_get_value_fn_t read;
    void* context;  ///< for `read`; must outlive the process' last MPI_T call
    /// Open MPI reports a COUNTER as its growth since the tool took its handle, a LEVEL as the whole value.
    int variable_class = MCA_BASE_PVAR_CLASS_COUNTER;
    int bind = MCA_BASE_VAR_BIND_NO_OBJECT;  ///< the kind of object that it describes
};

void register_variable(const mca_base_component_t* component, const PerformanceVariable& variable);

}  // namespace strata::component
