#pragma once
#include "ompi_compat.h"
#include "settings.h"
#include "strata/topology/hierarchy.h"

namespace strata::component {

/// How the leaders of a communicator are chosen: equal on all its processes. Ties are drawn anew for every
/// communicator, so that one core does not lead them all.
topology::Election election_of(ompi_communicator_t* comm, const Settings& job,
                               const CommunicatorSettings& settings);

}  // namespace strata::component
