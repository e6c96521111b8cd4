#pragma once
#include "communicator_state.h"
#include "ompi_compat.h"
#include "slot.h"

namespace strata::component {

/// Our entry in a communicator's table of collectives. Open MPI allocates and counts it as one of its
/// objects.
struct Module {
    mca_coll_base_module_t super;
    ompi_communicator_t* comm;
    SavedSlots* saved;
    SavedSlots* predicted;  ///< by make_predicted_slots(); nullptr: the same
    CommunicatorState* state;
};

/// Answers Open MPI's question whether this component wants to serve `comm`; nullptr when not.
mca_coll_base_module_t* query_module(ompi_communicator_t* comm, int* priority, const Settings& settings,
                                     const Surroundings& surroundings);

// Slot functions, one per collective, each beside its like in a file of its own.
#define STRATA_COLLECTIVE(op) extern const Slot<Collective::op>::Function op##_entry;
#include "strata/algorithms/collectives.def"
#undef STRATA_COLLECTIVE

}  // namespace strata::component
