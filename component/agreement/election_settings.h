#pragma once
#include "component/openmpi/ompi_compat.h"
#include "component/settings/settings.h"
#include "topology/hierarchy.h"

namespace strata::component {

/// Returns the rules by which the communicator elects its leaders, equal on all its processes. Ties are
/// hashed: different groups of processes get different leaders, so that one core does not lead everywhere.
/// The same processes get one of a few (topology::tie_break_of()), so that copies of a communicator share
/// their plans (plan_tables.h).
topology::Election election_settings_of(ompi_communicator_t* comm, const Settings& job,
                                        const CommunicatorSettings& settings);

}  // namespace strata::component
