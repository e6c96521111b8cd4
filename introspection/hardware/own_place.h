#pragma once
#include <array>
#include <cstdint>
#include <optional>

#include "topology/level.h"
#include "topology/locality_record.h"

namespace strata::introspection {

/// The objects around a process by their kinds, the node among them: equal numbers, equal object. Empty where
/// there is none, or the process is not bound so deep.
using OwnObjects = std::array<std::optional<std::uint64_t>, topology::level_kind_count>;

/// Where a process runs.
struct OwnPlace {
    topology::LocalityRecord record;
    OwnObjects objects;
};

/// Of this process, on the real machine or on a synthetic one. What users tell the plugin by parameters holds
/// here, too: STRATA_TOPOLOGY, STRATA_PLACEMENT, STRATA_NETWORK and STRATA_NIC in the environment, else
/// OMPI_MCA_coll_strata_topology and so on, which mpirun's --mca sets. Throws std::exception whose text names
/// the variable.
OwnPlace own_place();

}  // namespace strata::introspection
