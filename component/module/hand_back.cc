#include "component/module/hand_back.h"

#include <array>

#include "component/module/predicted_slots.h"
#include "component/openmpi/known_components.h"
#include "component/openmpi/modules.h"

namespace strata::component {
namespace {

/// Returns the collectives that tuned and basic call to implement `op`.
constexpr std::array<Collective, 2> parts_of(Collective op) {
    const algorithms::CollectiveTraits& traits = algorithms::traits_of(op);
    if (traits.rooted || !traits.has_data()) return {op, op};
    if (traits.vectors) return {Collective::reduce, Collective::bcast};
    return {traits.unequal ? Collective::gatherv : Collective::gather, Collective::bcast};
}

template <Collective op>
bool is_taken(Module& module) {
    return saved_slot<op>(module.saved).function != nullptr;
}

template <Collective op>
bool is_ours(Module& module) {
    mca_coll_base_comm_coll_t& table = *module.comm->c_coll;
    return is_taken<op>(module) && Slot<op>::module(table) == &module.super &&
           Slot<op>::function(table) == Slot<op>::offered(module.super);
}

/// Returns true if calls without data pass through like all others: mirrors serve() and serve_or_pass().
template <Collective op>
bool is_whole(Module& module) {
    if (!is_taken<op>(module)) return true;
    if (op == Collective::bcast && module.state->agreed()) return false;
    return module.state->reason_for_good(op) != ForwardReason::model;
}

/// Returns false if a component above may put our function into a slot temporarily, or if the components
/// above are unknown.
bool slots_are_reliable(Module& module) {
    bool found = false;
    for (const mca_coll_base_avail_coll_t& selected : SelectedModules(module.comm)) {
        const mca_coll_base_module_t* const other = selected.ac_module;
        if (found && !keeps_slots_from_above(*other)) {
            return false;
        }
        found = found || other == &module.super;
    }
    return found;
}

/// Sets of collectives of a communicator, one bit each.
struct Sets {
    std::uint32_t taken = 0;   ///< we took the slot when the communicator was created
    std::uint32_t ours = 0;    ///< the slot still holds our function
    std::uint32_t left = 0;    ///< passed through for good, or slot never taken
    std::uint32_t simple = 0;  ///< the underlying function calls at most parts_of()
    std::uint32_t found = 0;   ///< calls pass through to the slot's own content, not to predicted_slots()
    std::uint32_t whole = 0;   ///< is_whole(), or never taken
};

constexpr std::uint32_t bit(Collective op) { return std::uint32_t{1} << static_cast<int>(op); }
constexpr std::uint32_t every = (std::uint32_t{1} << collective_count) - 1;

Sets sets_of(Module& module) {
    Sets sets;
    sets.found = every & ~static_cast<std::uint32_t>(predicted_mask(module));
#define STRATA_COLLECTIVE(op, ...)                                                                  \
    sets.taken |= is_taken<Collective::op>(module) ? bit(Collective::op) : 0;                       \
    sets.ours |= is_ours<Collective::op>(module) ? bit(Collective::op) : 0;                         \
    sets.left |= !is_taken<Collective::op>(module) || module.state->passes_for_good(Collective::op) \
                     ? bit(Collective::op)                                                          \
                     : 0;                                                                           \
    sets.whole |= is_whole<Collective::op>(module) ? bit(Collective::op) : 0;                       \
    sets.simple |= module.saved.op.keeps_slots ? bit(Collective::op) : 0;
#include "algorithms/base/collectives.def"
#undef STRATA_COLLECTIVE
    return sets;
}

/// Decides about one slot. `together`: all ranks hand back the same slots.
bool may_go(Collective op, const Sets& sets, bool together) {
    const bool simple = (sets.simple & bit(op)) != 0;
    const auto [first, second] = parts_of(op);
    const std::uint32_t parts = together ? 0 : bit(first) | bit(second);
    const std::uint32_t reached = bit(op) | (simple ? parts : every);
    if (!together && (reached & ~sets.whole) != 0) return false;
    return (sets.ours & sets.found & bit(op)) != 0 && (reached & ~sets.left) == 0;
}

/// Restores a slot, which holds a reference on its module. The saved content stays usable: a component above
/// may have saved our function and call it for another collective.
template <Collective op>
void hand_back_slot(Module& module) {
    auto& saved = saved_slot<op>(module.saved);
    mca_coll_base_comm_coll_t& table = *module.comm->c_coll;
    OBJ_RETAIN(saved.module);
    Slot<op>::function(table) = saved.function;
    Slot<op>::module(table) = saved.module;
    saved.keeps_slots = true;  // the slot is no longer ours to swap
    mca_coll_base_module_t* base = &module.super;
    OBJ_RELEASE(base);  // the list of modules still has one
    module.handed_back |= bit(op);
    counters().of(op).handed_back.add();
    module.state->own_counters().handed_back.add();
}

}  // namespace

bool may_hand_back(Module& module) noexcept {
    // Components that install themselves have their own ways to leave a slot. While a late message may
    // arrive, this component must be notified of the communicator's end.
    if (compat::components_install_themselves || module.state->awaits_late_messages() ||
        !slots_are_reliable(module)) {
        return false;
    }
    // Open MPI notifies only the modules in slots of the communicator's end. If a component above took one of
    // our slots, the module that we saved there gets that notification only from us.
    const Sets sets = sets_of(module);
    return (sets.taken & ~sets.ours) == 0;
}

void hand_back(Module& module) noexcept {
    CommunicatorState& state = *module.state;
    if (!state.takes_decision() || !may_hand_back(module)) {
        return;
    }
    const Sets sets = sets_of(module);
#define STRATA_COLLECTIVE(op, ...)                                   \
    if (may_go(Collective::op, sets, state.hands_back_together())) { \
        hand_back_slot<Collective::op>(module);                      \
    }
#include "algorithms/base/collectives.def"
#undef STRATA_COLLECTIVE
    state.report_handed_back(module.handed_back);
}

}  // namespace strata::component
