#include "component/module/hand_back.h"

#include <array>

#include "component/module/predicted_slots.h"
#include "component/openmpi/known_components.h"

namespace strata::component {
namespace {

/// The collectives of which tuned and basic make another one.
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

/// As serve() and serve_or_pass() have it.
template <Collective op>
bool is_whole(Module& module) {
    if (!is_taken<op>(module)) return true;
    if (op == Collective::bcast && module.state->agreed()) return false;
    return module.state->reason_for_good(op) != ForwardReason::model;
}

/// False where a component above might put our function into a slot for a while, or where it is not known who
/// is above.
bool slots_are_reliable(Module& module) {
    opal_list_t* const modules = module.comm->c_coll->module_list;
    bool found = false;
    for (opal_list_item_t* item = modules != nullptr ? opal_list_get_first(modules) : nullptr;
         item != nullptr && item != opal_list_get_end(modules); item = opal_list_get_next(item)) {
        const auto* const other = reinterpret_cast<mca_coll_base_avail_coll_t*>(item)->ac_module;
        if (found && !keeps_slots_from_above(*other)) {
            return false;
        }
        found = found || other == &module.super;
    }
    return found;
}

/// What is known of the collectives of a communicator, as bits.
struct Sets {
    std::uint32_t taken = 0;   ///< the slot, when the communicator was made
    std::uint32_t ours = 0;    ///< the slot
    std::uint32_t left = 0;    ///< passed through for good, or never taken
    std::uint32_t simple = 0;  ///< the function comes back to none but parts_of()
    std::uint32_t found = 0;   ///< left calls go to what was in the slot, see predicted_slots.h
    std::uint32_t whole = 0;   ///< calls without data never end here, but go below with all others
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

/// `together`: on all ranks, if at all.
bool may_go(Collective op, const Sets& sets, bool together) {
    const bool simple = (sets.simple & bit(op)) != 0;
    const auto [first, second] = parts_of(op);
    const std::uint32_t parts = together ? 0 : bit(first) | bit(second);
    const std::uint32_t reached = bit(op) | (simple ? parts : every);
    if (!together && (reached & ~sets.whole) != 0) return false;
    return (sets.ours & sets.found & bit(op)) != 0 && (reached & ~sets.left) == 0;
}

/// The slot gets a reference of its own and gives back that on our module. What is saved stays usable: a
/// component above may have kept our function, to call it when it is asked for another collective.
template <Collective op>
void give_back_slot(Module& module) {
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
    // Where components install themselves, those below have their own ways to leave a slot.
    // While a late message may come, the communicator's end has to be received of.
    if (compat::components_install_themselves || module.state->awaits_late_messages() ||
        !slots_are_reliable(module)) {
        return false;
    }
    // Only who has a slot receives of the communicator's end. Where a component above has one that was ours,
    // the one below it receives of that end from us alone.
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
        give_back_slot<Collective::op>(module);                      \
    }
#include "algorithms/base/collectives.def"
#undef STRATA_COLLECTIVE
    state.report_handed_back(module.handed_back);
}

}  // namespace strata::component
