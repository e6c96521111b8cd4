#include "predicted_slots.h"

#include <memory>
#include <string_view>

namespace strata::component {
namespace {

bool is_of_han(const mca_coll_base_module_t* module) {
    return module != nullptr &&
           std::string_view(module->super.obj_class->cls_name) == "mca_coll_han_module_t";
}

/// A module of tuned in the place of han's; nullptr where there is none of han, or somebody wants it so.
mca_coll_base_module_t* tuned_for(const Module& module) {
    bool has_han = false;
#define STRATA_COLLECTIVE(op) has_han = has_han || is_of_han(module.saved->op.module);
#include "strata/algorithms/collectives.def"
#undef STRATA_COLLECTIVE
    // Where components install themselves, a second one would do so over the plugin.
    if (!has_han || compat::components_install_themselves || !compat::han_is_default()) {
        return nullptr;
    }
    for (const auto& [key, value] : compat::info_entries(module.comm)) {
        if (key == "ompi_comm_coll_preference") {
            return nullptr;
        }
    }
    return compat::make_module("tuned", module.comm);
}

}  // namespace

SavedSlots& predicted_slots(Module& module) {
    if (module.predicted != nullptr) {
        return *module.predicted;
    }
    auto slots = std::make_unique<SavedSlots>(*module.saved);
    mca_coll_base_module_t* const tuned = tuned_for(module);
    bool replaced = false;
#define STRATA_COLLECTIVE(op)                                       \
    if (tuned != nullptr && is_of_han(slots->op.module) &&          \
        Slot<Collective::op>::offered(*tuned) != nullptr) {         \
        slots->op = {Slot<Collective::op>::offered(*tuned), tuned}; \
        replaced = true;                                            \
    }                                                               \
    if (slots->op.module != nullptr) {                              \
        OBJ_RETAIN(slots->op.module);                               \
    }
#include "strata/algorithms/collectives.def"
#undef STRATA_COLLECTIVE
    if (replaced) {
        module.state->tell_predicted();
    }
    if (tuned != nullptr) {
        mca_coll_base_module_t* own = tuned;  // the macro empties its argument
        OBJ_RELEASE(own);
    }
    module.predicted = slots.release();
    return *module.predicted;
}

}  // namespace strata::component
