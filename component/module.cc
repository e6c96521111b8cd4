#include "module.h"

#include <memory>
#include <new>
#include <utility>

#include "info_agreement.h"
#include "predicted_slots.h"

namespace strata::component {
namespace {

void construct(Module* module) {
    module->comm = nullptr;
    module->saved = nullptr;
    module->predicted = nullptr;
    module->state = nullptr;
}

void release(SavedSlots* slots) {
    if (slots == nullptr) {
        return;
    }
#define STRATA_COLLECTIVE(op)          \
    if (slots->op.module != nullptr) { \
        OBJ_RELEASE(slots->op.module); \
    }
#include "strata/algorithms/collectives.def"
#undef STRATA_COLLECTIVE
    delete slots;
}

void destruct(Module* module) {
    delete module->state;
    release(module->predicted);
    release(module->saved);
}

}  // namespace
}  // namespace strata::component

using strata_module_t = strata::component::Module;
static OBJ_CLASS_INSTANCE(strata_module_t, mca_coll_base_module_t, strata::component::construct,
                          strata::component::destruct);

namespace strata::component {
namespace {

/// Takes over the slots. First everything is looked at, then everything is saved: nothing is left half done.
int enable(mca_coll_base_module_t* base, ompi_communicator_t* comm) {
    auto* module = reinterpret_cast<Module*>(base);
    bool complete = true;
#define STRATA_COLLECTIVE(op)                                                              \
    if (Slot<Collective::op>::offered(*base) != nullptr) {                                 \
        complete = complete && Slot<Collective::op>::function(*comm->c_coll) != nullptr && \
                   Slot<Collective::op>::module(*comm->c_coll) != nullptr;                 \
    }
#include "strata/algorithms/collectives.def"
#undef STRATA_COLLECTIVE
    if (!complete) {
        return OMPI_ERR_NOT_FOUND;
    }
#define STRATA_COLLECTIVE(op)                                               \
    if (Slot<Collective::op>::offered(*base) != nullptr) {                  \
        module->saved->op = {Slot<Collective::op>::function(*comm->c_coll), \
                             Slot<Collective::op>::module(*comm->c_coll)};  \
        OBJ_RETAIN(module->saved->op.module);                               \
    }
#include "strata/algorithms/collectives.def"
#undef STRATA_COLLECTIVE
    try {
        module->predicted = make_predicted_slots(*module->saved, comm);
    } catch (...) {
        return OMPI_ERR_OUT_OF_RESOURCE;
    }
    if constexpr (compat::components_install_themselves) {
#define STRATA_COLLECTIVE(op)                                                                 \
    if (Slot<Collective::op>::offered(*base) != nullptr) {                                    \
        Slot<Collective::op>::function(*comm->c_coll) = Slot<Collective::op>::offered(*base); \
        Slot<Collective::op>::module(*comm->c_coll) = base;                                   \
    }
#include "strata/algorithms/collectives.def"
#undef STRATA_COLLECTIVE
    }
    return OMPI_SUCCESS;
}

/// Where components install themselves: puts back what was there.
[[maybe_unused]] int disable(mca_coll_base_module_t* base, ompi_communicator_t* comm) {
    auto* module = reinterpret_cast<Module*>(base);
#define STRATA_COLLECTIVE(op)                                                       \
    if (Slot<Collective::op>::module(*comm->c_coll) == base) {                      \
        Slot<Collective::op>::function(*comm->c_coll) = module->saved->op.function; \
        Slot<Collective::op>::module(*comm->c_coll) = module->saved->op.module;     \
    }
#include "strata/algorithms/collectives.def"
#undef STRATA_COLLECTIVE
    return OMPI_SUCCESS;
}

}  // namespace

mca_coll_base_module_t* query_module(ompi_communicator_t* comm, int* priority, const Settings& settings,
                                     const Surroundings& surroundings) {
    *priority = -1;
    if (OMPI_COMM_IS_INTER(comm) || ompi_comm_size(comm) < 2 || settings.priority < 0) {
        return nullptr;
    }
    std::unique_ptr<OwnSettings> own = settings_by_info(comm, settings, surroundings);
    Module* module = OBJ_NEW(strata_module_t);
    if (module == nullptr) {
        return nullptr;
    }
    module->comm = comm;
    module->saved = new (std::nothrow) SavedSlots;
    module->state = new (std::nothrow) CommunicatorState(comm, settings, std::move(own));
    if (module->saved == nullptr || module->state == nullptr) {
        OBJ_RELEASE(module);
        return nullptr;
    }
    module->super.coll_module_enable = enable;
    if constexpr (compat::components_install_themselves) {
        module->super.coll_module_disable = disable;
    }
#define STRATA_COLLECTIVE(op)                                      \
    if (settings.enabled(Collective::op)) {                        \
        Slot<Collective::op>::offered(module->super) = op##_entry; \
    }
#include "strata/algorithms/collectives.def"
#undef STRATA_COLLECTIVE
    *priority = settings.priority;
    return &module->super;
}

}  // namespace strata::component
