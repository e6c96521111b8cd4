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

/// The node, or the object of another kind inside it, around this process: equal numbers, equal object. Empty
/// where there is none, or the process is not bound so deep. Throws as own_record().
std::optional<std::uint64_t> own_object(topology::LevelKind kind);

}  // namespace strata::introspection
