#include "component/module/module.h"

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <new>
#include <utility>

#include "component/base/cancellation.h"
#include "component/module/predicted_slots.h"
#include "component/openmpi/info_settings.h"
#include "component/openmpi/known_components.h"
#include "component/openmpi/last_resort.h"
#include "component/openmpi/modules.h"

namespace strata::component {
namespace {

void construct(Module* module) {
    module->comm = nullptr;
    std::construct_at(&module->saved);
    std::construct_at(&module->predicted);
    std::construct_at(&module->state);
    module->handed_back = 0;
}

void release(SavedSlots& slots) {
#define STRATA_COLLECTIVE(op, ...)    \
    if (slots.op.module != nullptr) { \
        OBJ_RELEASE(slots.op.module); \
    }
#include "algorithms/base/collectives.def"
#undef STRATA_COLLECTIVE
}

void destruct(Module* module) {
    std::destroy_at(&module->state);
    if (module->predicted) {
        release(*module->predicted);
    }
    release(module->saved);
}

}  // namespace
}  // namespace strata::component

using strata_module_t = strata::component::Module;
static OBJ_CLASS_INSTANCE(strata_module_t, mca_coll_base_module_t, strata::component::construct,
                          strata::component::destruct);

namespace strata::component {
namespace {

/// Takes over the slots. Checks all of them before it changes anything.
int enable(mca_coll_base_module_t* base, ompi_communicator_t* comm) {
    auto* module = reinterpret_cast<Module*>(base);
    bool complete = true;
#define STRATA_COLLECTIVE(op, ...)                                                         \
    if (Slot<Collective::op>::offered(*base) != nullptr) {                                 \
        complete = complete && Slot<Collective::op>::function(*comm->c_coll) != nullptr && \
                   Slot<Collective::op>::module(*comm->c_coll) != nullptr;                 \
    }
#include "algorithms/base/collectives.def"
#undef STRATA_COLLECTIVE
    if (!complete) {
        return OMPI_ERR_NOT_FOUND;
    }
#define STRATA_COLLECTIVE(op, ...)                                            \
    if (Slot<Collective::op>::offered(*base) != nullptr) {                    \
        module->saved.op = {Slot<Collective::op>::function(*comm->c_coll),    \
                            Slot<Collective::op>::module(*comm->c_coll)};     \
        module->saved.op.keeps_slots = keeps_slots(*module->saved.op.module); \
        OBJ_RETAIN(module->saved.op.module);                                  \
    }
#include "algorithms/base/collectives.def"
#undef STRATA_COLLECTIVE
    bool failed = false;
    module->predicted = make_predicted_slots(module->saved, comm, failed);
    module->state->note_predicted(predicted_mask(*module));
    if (failed && module->state->may_be_lazy()) {
        end_job(comm, "coll/tuned, which serves the first short calls, is out of memory");
    }
    if (failed) {
        module->state->note_failure(Failure::memory);
    }
    if constexpr (compat::components_install_themselves) {
#define STRATA_COLLECTIVE(op, ...)                                                            \
    if (Slot<Collective::op>::offered(*base) != nullptr) {                                    \
        Slot<Collective::op>::function(*comm->c_coll) = Slot<Collective::op>::offered(*base); \
        Slot<Collective::op>::module(*comm->c_coll) = base;                                   \
    }
#include "algorithms/base/collectives.def"
#undef STRATA_COLLECTIVE
    }
    return OMPI_SUCCESS;
}

/// Ends our part of a communicator. Keeps the module if a late message may still arrive in its memory.
void end(Module& module) {
    if (module.state->awaits_late_messages()) {
        OBJ_RETAIN(&module.super);
    }
}

/// For releases in which Open MPI installs components: it calls coll_module_disable only of the modules in
/// slots, once per slot. So we call it for the modules whose slots we took, as often as Open MPI would
/// (han 4.1 and 5.0 releases references only there), except for slots that we handed back.
[[maybe_unused]] int pass_on_disable(mca_coll_base_module_t* base, ompi_communicator_t* comm) {
    base->coll_module_disable = nullptr;  // called once per slot
    auto* module = reinterpret_cast<Module*>(base);
#define STRATA_COLLECTIVE(op, ...)                                                                       \
    if (module->saved.op.module != nullptr && module->saved.op.module->coll_module_disable != nullptr && \
        (module->handed_back >> static_cast<int>(Collective::op) & 1) == 0) {                            \
        module->saved.op.module->coll_module_disable(module->saved.op.module, comm);                     \
    }
#include "algorithms/base/collectives.def"
#undef STRATA_COLLECTIVE
    end(*module);
    return OMPI_SUCCESS;
}

/// For releases in which components install themselves: restores the slots.
[[maybe_unused]] int disable(mca_coll_base_module_t* base, ompi_communicator_t* comm) {
    auto* module = reinterpret_cast<Module*>(base);
#define STRATA_COLLECTIVE(op, ...)                                                 \
    if (Slot<Collective::op>::module(*comm->c_coll) == base) {                     \
        Slot<Collective::op>::function(*comm->c_coll) = module->saved.op.function; \
        Slot<Collective::op>::module(*comm->c_coll) = module->saved.op.module;     \
    }
#include "algorithms/base/collectives.def"
#undef STRATA_COLLECTIVE
    end(*module);
    return OMPI_SUCCESS;
}

/// Spare modules for a process that is out of memory.
class ModulePool {
public:
    /// Adds modules as far as memory allows.
    void refill() noexcept {
        const std::lock_guard<std::mutex> lock(mutex_);
        for (Module*& spare : modules_) {
            spare = spare != nullptr ? spare : OBJ_NEW(strata_module_t);
        }
    }
    bool full() noexcept {
        const std::lock_guard<std::mutex> lock(mutex_);
        return std::find(modules_.begin(), modules_.end(), nullptr) == modules_.end();
    }
    Module* take() noexcept {
        const std::lock_guard<std::mutex> lock(mutex_);
        for (Module*& spare : modules_) {
            if (spare != nullptr) {
                return std::exchange(spare, nullptr);
            }
        }
        return nullptr;
    }

private:
    std::mutex mutex_;
    // coll/han creates several communicators in its first call.
    std::array<Module*, 16> modules_{};
};

ModulePool& module_pool() {
    static ModulePool all;
    return all;
}

/// Fills in a module. A local failure is noted for the agreement.
void prepare(Module& module, ompi_communicator_t* comm, const Settings& settings,
             const Surroundings& surroundings, Failure failure) noexcept {
    std::unique_ptr<OwnSettings> own;
    try {
        own = settings_by_info(comm, settings, surroundings);
    } catch (const std::bad_alloc&) {
        failure = Failure::memory;
    } catch (...) {
        failure = Failure::other;
    }
    module.comm = comm;
    module.state.emplace(comm, settings, std::move(own));
    module.state->note_failure(failure);
}

}  // namespace

void fill_module_pool() {
    module_pool().refill();
    if (!module_pool().full()) {
        throw std::bad_alloc();
    }
}

void release_module_pool() noexcept {
    while (Module* spare = module_pool().take()) {
        OBJ_RELEASE(spare);
    }
}

Module* module_of(ompi_communicator_t* comm) noexcept {
    if (comm == nullptr) {
        return nullptr;
    }
    // Not by the slots: during a pass-through they hold other modules.
    for (const mca_coll_base_avail_coll_t& selected : SelectedModules(comm)) {
        mca_coll_base_module_t* const module = selected.ac_module;
        if (module != nullptr && module->super.obj_class == OBJ_CLASS(strata_module_t)) {
            return reinterpret_cast<Module*>(module);
        }
    }
    return nullptr;
}

const CommunicatorState* state_of(ompi_communicator_t* comm) noexcept {
    const Module* const module = module_of(comm);
    return module != nullptr ? &*module->state : nullptr;
}

mca_coll_base_module_t* query_module(ompi_communicator_t* comm, int* priority, const Settings& settings,
                                     const Surroundings& surroundings, Failure failure) noexcept {
    const HoldCancellation hold;
    *priority = -1;
    if (OMPI_COMM_IS_INTER(comm) || ompi_comm_size(comm) < 2 || settings.priority < 0) {
        return nullptr;
    }
    Module* module = OBJ_NEW(strata_module_t);
    const bool from_module_pool = module == nullptr;
    if (from_module_pool) {
        module = module_pool().take();
    }
    if (module == nullptr) {
        end_job(comm, "out of memory, and no spare module is left");
    }
    prepare(*module, comm, settings, surroundings, from_module_pool ? Failure::memory : failure);
    module_pool().refill();
    module->super.coll_module_enable = enable;
    module->super.coll_module_disable = compat::components_install_themselves ? disable : pass_on_disable;
#define STRATA_COLLECTIVE(op, ...)                                 \
    if (settings.enabled(Collective::op)) {                        \
        Slot<Collective::op>::offered(module->super) = op##_entry; \
    }
#include "algorithms/base/collectives.def"
#undef STRATA_COLLECTIVE
    *priority = settings.priority;
    return &module->super;
}

}  // namespace strata::component
