#pragma once
#include "component/openmpi/ompi_compat.h"
#include "component/settings/settings.h"
#include "topology/hierarchy.h"

namespace strata::component {

/// How the leaders of a communicator are chosen: equal on all its processes. Ties are drawn anew for other
/// processes, and in a few ways (topology::tie_break_of()) for the same ones, so that one core does not lead
/// everywhere, yet copies of a communicator share their plans (plan_tables.h).
topology::Election election_of(ompi_communicator_t* comm, const Settings& job,
                               const CommunicatorSettings& settings);

}  // namespace strata::component
