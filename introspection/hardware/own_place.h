#pragma once
#include <array>
#include <cstdint>
#include <optional>

#include "topology/level.h"
#include "topology/locality_record.h"

namespace strata::introspection {

/// The objects that contain a process, by kind, the node included: equal numbers mean the same object.
/// Empty if none exists, or the binding spans several.
using OwnObjects = std::array<std::optional<std::uint64_t>, topology::level_kind_count>;

/// Location of a process.
struct OwnPlace {
    topology::LocalityRecord record;
    OwnObjects objects;
};

/// Returns the location of this process on the real machine or on a synthetic topology. Reads
/// STRATA_TOPOLOGY, STRATA_PLACEMENT, STRATA_NETWORK and STRATA_NIC from the environment, else the
/// plugin's parameters OMPI_MCA_coll_strata_topology etc., which mpirun's --mca sets. Throws
/// std::exception whose text names the variable.
OwnPlace own_place();

}  // namespace strata::introspection
