#pragma once
#include "component/openmpi/ompi_compat.h"

namespace strata::component {

/// Registers every one as an MPI_T performance variable coll_strata_comm_<name>, bound to a communicator, and
/// coll_strata_comm_memory. Of communicators that the plugin was never asked to serve they are 0.
void register_communicator_counters(const mca_base_component_t* component);

}  // namespace strata::component
