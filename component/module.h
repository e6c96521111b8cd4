#pragma once
#include <tuple>

#include "communicator_state.h"
#include "ompi_compat.h"
#include "slot.h"

namespace strata::component {

/// What the component found in the slots that it took over; one reference on each module.
struct SavedSlots {
#define STRATA_COLLECTIVE(op) SlotContent<Slot<Collective::op>::Function> op;
#include "collectives.def"
#undef STRATA_COLLECTIVE
};

/// Our entry in a communicator's table of collectives. Open MPI allocates and counts it as one of its
/// objects.
struct Module {
    mca_coll_base_module_t super;
    ompi_communicator_t* comm;
    SavedSlots* saved;
    CommunicatorState* state;
};

/// Answers Open MPI's question whether this component wants to serve `comm`; nullptr when not.
mca_coll_base_module_t* query_module(ompi_communicator_t* comm, int* priority, const Settings& settings);

// Slot functions, one per collective, each in its own file.
int bcast_entry(void* buffer, int count, ompi_datatype_t* datatype, int root, ompi_communicator_t* comm,
                mca_coll_base_module_t* module) noexcept;

}  // namespace strata::component
