#include "component/openmpi/performance_variables.h"

namespace strata::component {

void register_variable(const mca_base_component_t* component, const PerformanceVariable& variable) {
    mca_base_component_pvar_register(
        component, variable.name.c_str(), variable.help.c_str(), OPAL_INFO_LVL_4, variable.variable_class,
        MCA_BASE_VAR_TYPE_UNSIGNED_LONG_LONG, nullptr, variable.bind,
        static_cast<mca_base_pvar_flag_t>(MCA_BASE_PVAR_FLAG_READONLY | MCA_BASE_PVAR_FLAG_CONTINUOUS),
        variable.read, nullptr, nullptr, variable.context);
}

}  // namespace strata::component
