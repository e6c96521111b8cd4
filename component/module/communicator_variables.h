#pragma once
#include "component/openmpi/ompi_compat.h"

namespace strata::component {

/// Registers every counter as an MPI_T performance variable coll_strata_comm_<name>, bound to a communicator,
/// and coll_strata_comm_memory. They are 0 for communicators without a module of this component.
void register_communicator_counters(const mca_base_component_t* component);

}  // namespace strata::component
