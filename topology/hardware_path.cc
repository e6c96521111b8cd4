#include "topology/hardware_path.h"

#include <algorithm>
#include <new>

#include "topology/kinds.h"

namespace strata::topology {
namespace {

/// Returns the kind bit of an hwloc type; 0 for types that are no level.
std::uint16_t kind_bit(hwloc_obj_type_t type) {
    const LevelKind kind = kind_of(type);
    return kind == LevelKind::cluster ? std::uint16_t{0} : bit_of(kind);
}

/// Returns HardwareObject::index. Groups at several depths each count from 0 in hwloc; here the wider
/// depths come first.
unsigned index_of(hwloc_topology_t topology, hwloc_obj_t object) {
    unsigned index = object->logical_index;
    if (object->type != HWLOC_OBJ_GROUP) return index;
    for (int depth = 0; depth < object->depth; ++depth) {
        if (hwloc_get_depth_type(topology, depth) == HWLOC_OBJ_GROUP) {
            index += hwloc_get_nbobjs_by_depth(topology, depth);
        }
    }
    return index;
}

/// Returns every object that contains `bound` and is smaller than the whole machine.
std::vector<hwloc_obj_t> objects_around(hwloc_topology_t topology, hwloc_const_bitmap_t bound) {
    std::vector<hwloc_obj_t> found;
    const hwloc_obj_t root = hwloc_get_root_obj(topology);
    const auto consider = [&](hwloc_obj_t object) {
        if (kind_bit(object->type) != 0 && hwloc_bitmap_isincluded(bound, object->cpuset) &&
            !hwloc_bitmap_isequal(object->cpuset, root->cpuset)) {
            found.push_back(object);
        }
    };
    for (hwloc_obj_t at = root; at != nullptr;) {
        consider(at);
        hwloc_obj_t next = at->first_child;
        while (next != nullptr && !hwloc_bitmap_isincluded(bound, next->cpuset)) next = next->next_sibling;
        at = next;
    }
    // hwloc keeps NUMA nodes beside the tree of cores; those without cores contain no binding.
    for (hwloc_obj_t numa = nullptr;
         (numa = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, numa)) != nullptr;) {
        consider(numa);
    }
    return found;
}

}  // namespace

LevelKind kind_of(hwloc_obj_type_t type) {
    switch (type) {
        case HWLOC_OBJ_PACKAGE: return LevelKind::package;
#if HWLOC_API_VERSION >= 0x00020100
        case HWLOC_OBJ_DIE: return LevelKind::die;
#endif
        case HWLOC_OBJ_GROUP: return LevelKind::group;
        case HWLOC_OBJ_NUMANODE: return LevelKind::numa;
        case HWLOC_OBJ_L3CACHE: return LevelKind::l3;
        case HWLOC_OBJ_L2CACHE: return LevelKind::l2;
        case HWLOC_OBJ_L1CACHE: return LevelKind::l1;
        case HWLOC_OBJ_CORE: return LevelKind::core;
        case HWLOC_OBJ_PU: return LevelKind::pu;
        default: return LevelKind::cluster;
    }
}

std::string_view hwloc_name_of(LevelKind kind) {
    if (kind == LevelKind::node) return hwloc_obj_type_string(HWLOC_OBJ_MACHINE);
    for (int type = HWLOC_OBJ_TYPE_MIN; type < HWLOC_OBJ_TYPE_MAX; ++type) {
        if (kind != LevelKind::cluster && kind_of(static_cast<hwloc_obj_type_t>(type)) == kind) {
            return hwloc_obj_type_string(static_cast<hwloc_obj_type_t>(type));
        }
    }
    return {};
}

Bitmap empty_bitmap() {
    Bitmap bitmap(hwloc_bitmap_alloc(), hwloc_bitmap_free);
    if (!bitmap) throw std::bad_alloc();
    return bitmap;
}

std::optional<unsigned> object_around(hwloc_topology_t topology, hwloc_const_bitmap_t bound, LevelKind kind) {
    std::optional<unsigned> found;
    int weight = 0;
    const int depths = hwloc_topology_get_depth(topology);
    const auto consider = [&](hwloc_obj_t object) {
        if (kind_of(object->type) != kind || !hwloc_bitmap_isincluded(bound, object->cpuset)) return;
        const int own = hwloc_bitmap_weight(object->cpuset);
        if (!found || own < weight) {
            found = index_of(topology, object);
            weight = own;
        }
    };
    for (int depth = 0; depth < depths; ++depth) {
        for (hwloc_obj_t object = nullptr;
             (object = hwloc_get_next_obj_by_depth(topology, depth, object)) != nullptr;) {
            consider(object);
        }
    }
    for (hwloc_obj_t numa = nullptr;
         (numa = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, numa)) != nullptr;) {
        consider(numa);
    }
    return found;
}

std::vector<HardwareObject> path_around(hwloc_topology_t topology, hwloc_const_bitmap_t bound) {
    std::vector<hwloc_obj_t> found = objects_around(topology, bound);
    std::stable_sort(found.begin(), found.end(), [](hwloc_obj_t a, hwloc_obj_t b) {
        return hwloc_bitmap_weight(a->cpuset) > hwloc_bitmap_weight(b->cpuset);
    });
    std::vector<HardwareObject> path;
    hwloc_obj_t last = nullptr;
    for (const hwloc_obj_t object : found) {
        const std::uint16_t bit = kind_bit(object->type);
        const bool same = last != nullptr && hwloc_bitmap_isequal(object->cpuset, last->cpuset);
        // Only an object inside the last one continues the path (a NUMA node may cut across packages).
        if (!same && last != nullptr && !hwloc_bitmap_isincluded(object->cpuset, last->cpuset)) continue;
        if (!same) path.emplace_back();
        HardwareObject& entry = path.back();
        // Of several NUMA nodes with the same cores (HBM beside DRAM) the first one counts.
        const bool known = (entry.kinds & bit) != 0;
        entry.kinds |= bit;
        if (!known && bit_of(entry.kind()) == bit) {
            entry.index = static_cast<std::uint16_t>(index_of(topology, object));
        }
        last = object;
    }
    return path;
}

}  // namespace strata::topology
