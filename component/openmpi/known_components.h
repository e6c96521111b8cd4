#pragma once
#include "component/openmpi/ompi_compat.h"

namespace strata::component {

/// True for a module of tuned, basic, libnbc or self: they write to no slot of a communicator during a call,
/// in no release from 4.1.0 to 5.0.10. Any other may: han does.
bool keeps_slots(const mca_coll_base_module_t& module);

/// True for these, and for those that pass calls on to the module below them: sync, monitoring and cuda. They
/// write to no slot themselves, and never lend theirs to the module below.
bool keeps_slots_from_above(const mca_coll_base_module_t& module);

}  // namespace strata::component
