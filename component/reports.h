#pragma once
#include <span>

#include "ompi_compat.h"
#include "settings.h"
#include "strata/topology/locality_record.h"

namespace strata::component {

/// Says once per job, when the user listed cards, on which nodes that has no effect.
void report_cards(ompi_communicator_t* comm, const Settings& settings,
                  std::span<const topology::LocalityRecord> records) noexcept;

/// Says once per job that nodes tell of switches what cannot all be true.
void report_network(ompi_communicator_t* comm, std::span<const topology::LocalityRecord> records) noexcept;

}  // namespace strata::component
