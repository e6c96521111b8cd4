#pragma once
#include <span>
#include <string>

#include "component/openmpi/ompi_compat.h"
#include "component/settings/settings.h"
#include "topology/locality_record.h"

namespace strata::component {

/// Reports once per job the nodes on which the user's coll_strata_nic has no effect.
void report_nics(ompi_communicator_t* comm, const Settings& settings,
                 std::span<const topology::LocalityRecord> records) noexcept;

/// Reports once per job the nodes that the user's network does not name. Silent on one node.
void report_network_names(ompi_communicator_t* comm, const Settings& settings,
                          std::span<const topology::LocalityRecord> records) noexcept;

/// Reports once per job network paths that contradict each other.
void report_network(ompi_communicator_t* comm, std::span<const topology::LocalityRecord> records) noexcept;

/// With coll_strata_verbose 2: rank 0 logs the lines of the rules file that give the costs of this
/// communicator's links, in at most one line of output.
void report_links(ompi_communicator_t* comm, const CommunicatorSettings& settings,
                  const topology::Hierarchy& hierarchy) noexcept;

/// Reports once per process the requested methods that the levels engine cannot use here.
void report_unusable_methods(ompi_communicator_t* comm, const std::string& why) noexcept;
/// Reports that no component serves a level because mpi_ft_enable is set, although the user requested some.
void report_no_components(ompi_communicator_t* comm) noexcept;

}  // namespace strata::component
