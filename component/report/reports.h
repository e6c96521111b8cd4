#pragma once
#include <span>
#include <string>

#include "component/openmpi/ompi_compat.h"
#include "component/settings/settings.h"
#include "topology/locality_record.h"

namespace strata::component {

/// Says once per job, when the user listed NICs, on which nodes that has no effect.
void report_nics(ompi_communicator_t* comm, const Settings& settings,
                 std::span<const topology::LocalityRecord> records) noexcept;

/// Says once per job which of its nodes the user's network lacks, of several.
void report_network_names(ompi_communicator_t* comm, const Settings& settings,
                          std::span<const topology::LocalityRecord> records) noexcept;

/// Says once per job that nodes tell of switches what cannot all be true.
void report_network(ompi_communicator_t* comm, std::span<const topology::LocalityRecord> records) noexcept;

/// With coll_strata_verbose: rank 0 says from which lines of the rules file the costs of this communicator's
/// links come, one line of output at most.
void report_links(ompi_communicator_t* comm, const CommunicatorSettings& settings,
                  const topology::Hierarchy& hierarchy) noexcept;

/// Says once per process what methods that the user asked for the levels engine cannot use here.
void report_unusable_methods(ompi_communicator_t* comm, const std::string& why) noexcept;
/// Nor any component, though the user asked for some: the others are to go on when a process dies.
void report_no_components(ompi_communicator_t* comm) noexcept;

}  // namespace strata::component
