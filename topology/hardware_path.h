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

/// Limit on the objects of a machine, all kinds together: HardwareObject::index numbers those of one
/// kind.
inline constexpr std::size_t most_objects =
    std::size_t{std::numeric_limits<decltype(HardwareObject::index)>::max()} + 1;

/// Throws std::bad_alloc.
Bitmap empty_bitmap();

/// Returns the level of an hwloc type; cluster for types without one (Machine, instruction caches, L4,
/// I/O).
LevelKind kind_of(hwloc_obj_type_t type);

/// Returns one entry per distinct set of cores that contains `bound` and is smaller than the whole
/// machine, outermost first.
std::vector<HardwareObject> path_around(hwloc_topology_t topology, hwloc_const_bitmap_t bound);

/// Returns the index of the smallest object of `kind` that contains `bound`; empty without one.
std::optional<unsigned> object_around(hwloc_topology_t topology, hwloc_const_bitmap_t bound, LevelKind kind);

}  // namespace strata::topology
