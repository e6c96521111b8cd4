#pragma once
#include <memory>

#include "component/openmpi/ompi_compat.h"
#include "component/settings/info_keys.h"

namespace strata::component {

/// Returns the settings by the communicator's info keys; null without keys for this component. Rank 0 reports
/// invalid keys, each text once per process.
std::unique_ptr<OwnSettings> settings_by_info(ompi_communicator_t* comm, const Settings& job,
                                              const Surroundings& surroundings);

}  // namespace strata::component
