#pragma once
#include <memory>

#include "info_keys.h"
#include "ompi_compat.h"

namespace strata::component {

/// What the info keys of a communicator say to this component; null when it has none. Rank 0 complains of
/// what cannot be understood, once per job of the same thing.
std::unique_ptr<OwnSettings> settings_by_info(ompi_communicator_t* comm, const Settings& job,
                                              const Surroundings& surroundings);

/// Finds out whether all members have given the same keys (`own` null: none); if not, the lowest that differs
/// from rank 0 says so, once per process. One Allreduce of 16 bytes by the collectives in the communicator's
/// slots. Returns Open MPI's error code.
int compare_info(ompi_communicator_t* comm, const OwnSettings* own, bool& alike);

}  // namespace strata::component
