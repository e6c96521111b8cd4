#include "component/openmpi/known_components.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "component/openmpi/modules.h"

namespace strata::component {
namespace {

bool is_of(const mca_coll_base_module_t& module, std::span<const std::string_view> classes) {
    return std::find(classes.begin(), classes.end(), module.super.obj_class->cls_name) != classes.end();
}

bool offers(const mca_coll_base_module_t& module, Collective op) {
    switch (op) {
#define STRATA_COLLECTIVE(name, ...) \
    case Collective::name:           \
        return module.coll_##name != nullptr;
#include "algorithms/base/collectives.def"
#undef STRATA_COLLECTIVE
        case Collective::count: break;
    }
    return false;
}

}  // namespace

bool keeps_slots(const mca_coll_base_module_t& module) {
    static constexpr std::array<std::string_view, 4> classes{
        "mca_coll_tuned_module_t", "mca_coll_basic_module_t", "ompi_coll_libnbc_module_t",
        "mca_coll_self_module_t"};
    return is_of(module, classes);
}

bool keeps_slots_from_above(const mca_coll_base_module_t& module) {
    static constexpr std::array<std::string_view, 3> classes{
        "mca_coll_sync_module_t", "mca_coll_monitoring_module_t", "mca_coll_cuda_module_t"};
    return keeps_slots(module) || is_of(module, classes);
}

std::string underlying_component(const ompi_communicator_t* comm, Collective op) {
    std::string name;
    for (const mca_coll_base_avail_coll_t& selected : SelectedModules(comm)) {
        if (std::string_view(selected.ac_component_name) == "strata") break;
        if (offers(*selected.ac_module, op)) name = selected.ac_component_name;
    }
    return name;
}

}  // namespace strata::component
