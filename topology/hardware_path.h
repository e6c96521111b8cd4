#pragma once
#include <hwloc.h>

#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "topology/locality_record.h"

namespace strata::topology {

using Bitmap = std::shared_ptr<hwloc_bitmap_s>;

/// Of a machine, of all kinds together: HardwareObject::index numbers those of one kind.
inline constexpr std::size_t most_objects =
    std::size_t{std::numeric_limits<decltype(HardwareObject::index)>::max()} + 1;

/// Throws std::bad_alloc.
Bitmap empty_bitmap();

/// The level of an hwloc type; cluster for those that are none here (Machine, instruction caches, L4, I/O).
LevelKind kind_of(hwloc_obj_type_t type);

/// One entry per distinct set of cores that holds `bound` and less than the whole machine, outermost first.
std::vector<HardwareObject> path_around(hwloc_topology_t topology, hwloc_const_bitmap_t bound);

/// The number of the object of `kind` that holds `bound`, the lowest of several; empty when there is none.
std::optional<unsigned> object_around(hwloc_topology_t topology, hwloc_const_bitmap_t bound, LevelKind kind);

}  // namespace strata::topology
