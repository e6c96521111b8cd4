#pragma once
#include <optional>
#include <string>

#include "strata/topology/level.h"
#include "strata/topology/locality_record.h"

namespace strata::introspection {

/// Where this process runs, on the real machine or on a pretended one. What users tell the plugin by
/// parameters holds here, too: STRATA_TOPOLOGY, STRATA_PLACEMENT, STRATA_NETWORK and STRATA_NIC in the
/// environment, else OMPI_MCA_coll_strata_topology and so on, which mpirun's --mca sets. Throws
/// std::exception whose text names the variable.
topology::LocalityRecord own_record();

/// The object of a kind around this process: equal numbers, equal object. Of a switch `height` counts from
/// the leaf switches. Empty where there is none, or the process is not bound so deep. Throws as own_record().
std::optional<std::uint64_t> own_object(topology::LevelPattern level);

}  // namespace strata::introspection
