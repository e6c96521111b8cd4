#pragma once
#include <memory>

#include "component/openmpi/ompi_compat.h"
#include "component/settings/info_keys.h"

namespace strata::component {

/// What the info keys of a communicator say to this component; null when it has none. Rank 0 complains of
/// what cannot be understood, once per job of the same thing.
std::unique_ptr<OwnSettings> settings_by_info(ompi_communicator_t* comm, const Settings& job,
                                              const Surroundings& surroundings);

}  // namespace strata::component
