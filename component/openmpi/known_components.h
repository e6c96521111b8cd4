#pragma once
#include <string>

#include "component/base/collectives.h"
#include "component/openmpi/ompi_compat.h"

namespace strata::component {

/// Returns true for a module of tuned, basic, libnbc or self: from 4.1.0 to 5.0.10 these write to no slot of
/// a communicator during a call. Other components may; han does.
bool keeps_slots(const mca_coll_base_module_t& module);

/// Returns true for these, and for sync, monitoring and cuda: they call the module below them, write to no
/// slot, and leave their own function in the slot during the call.
bool keeps_slots_from_above(const mca_coll_base_module_t& module);

/// Returns the name of the component whose slot for `op` this component took; empty: unknown. For messages.
std::string underlying_component(const ompi_communicator_t* comm, Collective op);

}  // namespace strata::component
