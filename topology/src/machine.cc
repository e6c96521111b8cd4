#include "strata/topology/machine.h"

#include <hwloc.h>

#include <algorithm>
#include <filesystem>
#include <stdexcept>
#include <utility>

#include "index_list.h"
#include "kinds.h"

namespace strata::topology {
namespace {

constexpr std::string_view synthetic_prefix = "synthetic:";

struct BitmapDeleter {
    void operator()(hwloc_bitmap_t bitmap) const { hwloc_bitmap_free(bitmap); }
};
using Bitmap = std::unique_ptr<hwloc_bitmap_s, BitmapDeleter>;

Bitmap empty_bitmap() {
    Bitmap bitmap(hwloc_bitmap_alloc());
    if (!bitmap) throw std::bad_alloc();
    return bitmap;
}

std::shared_ptr<hwloc_topology> new_topology() {
    hwloc_topology_t topology = nullptr;
    if (hwloc_topology_init(&topology) != 0) throw std::bad_alloc();
    return {topology, hwloc_topology_destroy};
}

/// The kind bit of an hwloc type; 0 for those that are no level here (Machine, instruction caches, L4, I/O).
std::uint16_t kind_bit(hwloc_obj_type_t type) {
    switch (type) {
        case HWLOC_OBJ_PACKAGE: return bit_of(LevelKind::package);
#if HWLOC_API_VERSION >= 0x00020100
        case HWLOC_OBJ_DIE: return bit_of(LevelKind::die);
#endif
        case HWLOC_OBJ_GROUP: return bit_of(LevelKind::group);
        case HWLOC_OBJ_NUMANODE: return bit_of(LevelKind::numa);
        case HWLOC_OBJ_L3CACHE: return bit_of(LevelKind::l3);
        case HWLOC_OBJ_L2CACHE: return bit_of(LevelKind::l2);
        case HWLOC_OBJ_L1CACHE: return bit_of(LevelKind::l1);
        case HWLOC_OBJ_CORE: return bit_of(LevelKind::core);
        case HWLOC_OBJ_PU: return bit_of(LevelKind::pu);
        default: return 0;
    }
}

/// The logical index; Groups may stand at several depths and count from 0 at each, so the Groups of the
/// wider depths come first.
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

/// Every object that holds `bound` and less than the whole machine.
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
    // NUMA nodes hang beside the tree of cores; those without cores hold no binding and drop out here.
    for (hwloc_obj_t numa = nullptr;
         (numa = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, numa)) != nullptr;) {
        consider(numa);
    }
    return found;
}

/// One entry per distinct set of cores, outermost first.
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
        // Only what lies inside the previous one continues a path (a NUMA node may cut across packages).
        if (!same && last != nullptr && !hwloc_bitmap_isincluded(object->cpuset, last->cpuset)) continue;
        if (!same) path.emplace_back();
        HardwareObject& entry = path.back();
        // Of several NUMA nodes with the same cores (HBM beside DRAM) the first, lowest one counts.
        const bool known = (entry.kinds & bit) != 0;
        entry.kinds |= bit;
        if (!known && bit_of(entry.kind()) == bit) {
            entry.index = static_cast<std::uint16_t>(index_of(topology, object));
        }
        last = object;
    }
    return path;
}

/// hwloc wants every description to end in hardware threads; people leave out "pu:1".
bool load_synthetic(hwloc_topology_t topology, const std::string& description) {
    if (description.find_first_not_of(' ') == std::string::npos) return false;
    if (hwloc_topology_set_synthetic(topology, description.c_str()) != 0 &&
        hwloc_topology_set_synthetic(topology, (description + " pu:1").c_str()) != 0) {
        return false;
    }
    return hwloc_topology_load(topology) == 0;
}

/// Some virtual machines report no cores; there every hardware thread counts as one.
hwloc_obj_type_t core_type(hwloc_topology_t topology) {
    return hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE) > 0 ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
}

}  // namespace

Machine::Machine(std::shared_ptr<hwloc_topology> topology) : topology_(std::move(topology)) {}

Machine Machine::borrow(hwloc_topology* topology) {
    return Machine(std::shared_ptr<hwloc_topology>(topology, [](hwloc_topology*) {}));
}

Machine Machine::load(const std::string& description) {
    if (description.starts_with(synthetic_prefix)) {
        const std::string synthetic = description.substr(synthetic_prefix.size());
        auto topology = new_topology();
        if (!load_synthetic(topology.get(), synthetic)) {
            throw std::invalid_argument("'" + synthetic +
                                        "' is no synthetic description that hwloc understands");
        }
        return Machine(std::move(topology));
    }
    std::error_code ignored;
    if (std::filesystem::exists(description, ignored)) {
        // A source set here replaces HWLOC_XMLFILE and the like, and nothing of the running machine is added.
        auto topology = new_topology();
        if (std::filesystem::is_directory(description, ignored) ||
            hwloc_topology_set_xml(topology.get(), description.c_str()) != 0 ||
            hwloc_topology_load(topology.get()) != 0) {
            throw std::invalid_argument("hwloc cannot read '" + description + "' as an XML topology");
        }
        return Machine(std::move(topology));
    }
    auto topology = new_topology();
    if (!load_synthetic(topology.get(), description)) {
        throw std::invalid_argument("'" + description +
                                    "' is neither a file nor a synthetic description that hwloc understands");
    }
    return Machine(std::move(topology));
}

std::vector<HardwareObject> Machine::path_of_cpuset(std::string_view cpuset) const {
    if (names_everything(cpuset)) return {};
    const hwloc_obj_t root = hwloc_get_root_obj(topology_.get());
    const int last = hwloc_bitmap_last(root->cpuset);
    const Bitmap bound = empty_bitmap();
    for (const IndexRange& range : parse_index_list(cpuset)) {
        // Hardware threads behind the machine's last one do not exist; not setting them keeps the bitmap
        // small.
        if (last < 0 || range.first > static_cast<unsigned>(last)) continue;
        hwloc_bitmap_set_range(bound.get(), range.first,
                               static_cast<int>(std::min(range.last, static_cast<unsigned>(last))));
    }
    hwloc_bitmap_and(bound.get(), bound.get(), root->cpuset);
    if (hwloc_bitmap_iszero(bound.get())) {
        throw std::invalid_argument("cpuset '" + std::string(cpuset) +
                                    "' holds no hardware thread of this machine");
    }
    return path_around(topology_.get(), bound.get());
}

std::vector<HardwareObject> Machine::path_of_cores(std::string_view cores) const {
    if (names_everything(cores)) return {};
    const hwloc_obj_type_t type = core_type(topology_.get());
    const auto count = static_cast<unsigned>(this->cores());
    const Bitmap bound = empty_bitmap();
    for (const IndexRange& range : parse_index_list(cores)) {
        const unsigned last = range.last == open_end ? std::max(range.first, count - 1) : range.last;
        if (last >= count) {
            throw std::invalid_argument("core " + std::to_string(std::max(range.first, count)) + " of '" +
                                        std::string(cores) + "' does not exist: this machine has " +
                                        std::to_string(count));
        }
        for (unsigned core = range.first; core <= last; ++core) {
            hwloc_bitmap_or(bound.get(), bound.get(),
                            hwloc_get_obj_by_type(topology_.get(), type, core)->cpuset);
        }
    }
    return path_around(topology_.get(), bound.get());
}

std::vector<HardwareObject> Machine::path_of_this_process() const {
    // A pretended topology would answer with its whole machine: it must never be asked.
    if (hwloc_topology_is_thissystem(topology_.get()) == 0) return {};
    const Bitmap bound = empty_bitmap();
    if (hwloc_get_cpubind(topology_.get(), bound.get(), HWLOC_CPUBIND_PROCESS) != 0) return {};
    hwloc_bitmap_and(bound.get(), bound.get(), hwloc_get_root_obj(topology_.get())->cpuset);
    if (hwloc_bitmap_iszero(bound.get())) return {};
    return path_around(topology_.get(), bound.get());
}

int Machine::cores() const { return hwloc_get_nbobjs_by_type(topology_.get(), core_type(topology_.get())); }

}  // namespace strata::topology
