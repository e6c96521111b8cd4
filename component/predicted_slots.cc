#include "predicted_slots.h"

#include <memory>
#include <string_view>

namespace strata::component {
namespace {

bool is_of_han(const mca_coll_base_module_t* module) {
    return module != nullptr &&
           std::string_view(module->super.obj_class->cls_name) == "mca_coll_han_module_t";
}

}  // namespace

SavedSlots& predicted_slots(Module& module) {
    if (module.predicted != nullptr) {
        return *module.predicted;
    }
    auto slots = std::make_unique<SavedSlots>(*module.saved);
    mca_coll_base_module_t* const tuned =
        compat::han_is_default() ? compat::make_module("tuned", module.comm) : nullptr;
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
