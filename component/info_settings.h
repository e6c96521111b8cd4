#pragma once
#include <memory>

#include "info_keys.h"
#include "ompi_compat.h"

namespace strata::component {

/// What the info keys of a communicator say to this component; null when it has none. Rank 0 complains of
/// what cannot be understood, once per job of the same thing.
std::unique_ptr<OwnSettings> settings_by_info(ompi_communicator_t* comm, const Settings& job,
                                              const Surroundings& surroundings);

}  // namespace strata::component
