#pragma once
#include <cstdint>
#include <optional>

#include "component/communicator/communicator_state.h"
#include "component/openmpi/ompi_compat.h"
#include "component/openmpi/slot.h"

namespace strata::component {

/// Our entry in a communicator's table of collectives. Open MPI allocates and counts it as one of its
/// objects. Made in one piece: a process that lacks its entry would leave the others waiting for it.
struct Module {
    mca_coll_base_module_t super;
    ompi_communicator_t* comm;
    SavedSlots saved;
    std::optional<SavedSlots> predicted;     ///< by make_predicted_slots(); empty: the same
    std::optional<CommunicatorState> state;  ///< from query_module() on
    std::uint32_t handed_back;               ///< collectives, bit by bit: see hand_back.h
};

/// Answers Open MPI's question whether this component wants to serve `comm`; nullptr when not: for reasons
/// that are the same on all its processes. What this process alone cannot do it notes in the state, as it
/// does `failure`, why it can serve none at all.
mca_coll_base_module_t* query_module(ompi_communicator_t* comm, int* priority, const Settings& settings,
                                     const Surroundings& surroundings, Failure failure) noexcept;

/// This component's entry in a communicator's table, nullptr where it has none.
Module* module_of(ompi_communicator_t* comm) noexcept;

/// What this component knows about a communicator of this process; nullptr where it does not serve it.
const CommunicatorState* state_of(ompi_communicator_t* comm) noexcept;

/// Modules that wait for a communicator for which there is no memory. Made when the component opens, where
/// that may fail, and replaced when the next communicator is made.
void fill_module_pool();
void release_module_pool() noexcept;

// Slot functions, one per collective, each beside its like in a file of its own.
#define STRATA_COLLECTIVE(op, ...) extern const Slot<Collective::op>::Function op##_entry;
#include "algorithms/base/collectives.def"
#undef STRATA_COLLECTIVE

}  // namespace strata::component
