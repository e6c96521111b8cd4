#include "component/openmpi/known_components.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace strata::component {
namespace {

bool is_of(const mca_coll_base_module_t& module, std::span<const std::string_view> classes) {
    return std::find(classes.begin(), classes.end(), module.super.obj_class->cls_name) != classes.end();
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

}  // namespace strata::component
