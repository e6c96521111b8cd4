#pragma once
#include <cstdint>
#include <optional>

#include "component/communicator/communicator_state.h"
#include "component/openmpi/ompi_compat.h"
#include "component/openmpi/slot.h"

namespace strata::component {

/// Our module in a communicator's table of collectives, an object that Open MPI allocates and counts. One
/// allocation covers all of it: the other ranks would wait for a rank without a module.
struct Module {
    mca_coll_base_module_t super;
    ompi_communicator_t* comm;
    SavedSlots saved;
    std::optional<SavedSlots> predicted;     ///< make_predicted_slots(); empty: equal to `saved`
    std::optional<CommunicatorState> state;  ///< set by query_module()
    std::uint32_t handed_back;               ///< one bit per collective; see hand_back.h
};

/// Returns the module for `comm`; nullptr if this component does not serve it, for a reason that is equal on
/// all its processes. Local failures are noted in the state, `failure` (the process's own) included.
mca_coll_base_module_t* query_module(ompi_communicator_t* comm, int* priority, const Settings& settings,
                                     const Surroundings& surroundings, Failure failure) noexcept;

/// Returns this component's module of a communicator; nullptr if it has none.
Module* module_of(ompi_communicator_t* comm) noexcept;

/// Returns the state of a communicator; nullptr if this component does not serve it.
const CommunicatorState* state_of(ompi_communicator_t* comm) noexcept;

/// The module pool holds spare modules for communicators that are created when memory has run out. Filled
/// when the component opens (throws std::bad_alloc) and refilled whenever a communicator is created.
void fill_module_pool();
void release_module_pool() noexcept;

// Slot functions, one per collective; defined in component/collectives.
#define STRATA_COLLECTIVE(op, ...) extern const Slot<Collective::op>::Function op##_entry;
#include "algorithms/base/collectives.def"
#undef STRATA_COLLECTIVE

}  // namespace strata::component
