#include "component/module/predicted_slots.h"

#include <string_view>

namespace strata::component {
namespace {

bool is_of_han(const mca_coll_base_module_t* module) {
    return module != nullptr &&
           std::string_view(module->super.obj_class->cls_name) == "mca_coll_han_module_t";
}

/// Returns a module of tuned to replace han's; nullptr if han serves no slot, or if the user configured han.
mca_coll_base_module_t* tuned_for(const SavedSlots& found, ompi_communicator_t* comm, bool& failed) {
    bool has_han = false;
#define STRATA_COLLECTIVE(op, ...) has_han = has_han || is_of_han(found.op.module);
#include "algorithms/base/collectives.def"
#undef STRATA_COLLECTIVE
    // A component that installs itself would overwrite the plugin's slots.
    if (!has_han || compat::components_install_themselves || !compat::han_is_default() ||
        compat::has_info(comm, "ompi_comm_coll_preference")) {
        return nullptr;
    }
    return compat::make_module("tuned", comm, failed);
}

}  // namespace

std::optional<SavedSlots> make_predicted_slots(const SavedSlots& found, ompi_communicator_t* comm,
                                               bool& failed) noexcept {
    mca_coll_base_module_t* tuned = tuned_for(found, comm, failed);
    if (tuned == nullptr) {
        return std::nullopt;
    }
    SavedSlots slots = found;
#define STRATA_COLLECTIVE(op, ...)                                                        \
    if (is_of_han(slots.op.module) && Slot<Collective::op>::offered(*tuned) != nullptr) { \
        slots.op = {Slot<Collective::op>::offered(*tuned), tuned, true};                  \
    }                                                                                     \
    if (slots.op.module != nullptr) {                                                     \
        OBJ_RETAIN(slots.op.module);                                                      \
    }
#include "algorithms/base/collectives.def"
#undef STRATA_COLLECTIVE
    OBJ_RELEASE(tuned);  // the slots hold references
    return slots;
}

std::uint64_t predicted_mask(const Module& module) {
    std::uint64_t mask = 0;
    if (module.predicted) {
#define STRATA_COLLECTIVE(op, ...)                                               \
    mask |= std::uint64_t{module.predicted->op.module != module.saved.op.module} \
            << static_cast<int>(Collective::op);
#include "algorithms/base/collectives.def"
#undef STRATA_COLLECTIVE
    }
    return mask;
}

}  // namespace strata::component
