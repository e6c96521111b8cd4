#include <hwloc.h>
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <stdexcept>

#include "topology/hardware_path.h"
#include "topology/machine.h"

namespace strata::topology {
namespace {

constexpr unsigned pci_network_class = 0x02;        // base class; 0x0207 is InfiniBand
constexpr unsigned pci_serial_infiniband = 0x0c06;  // older number of InfiniBand

std::string pci_id(hwloc_obj_t device) {
    const auto& pci = device->attr->pcidev;
    char text[32];
    std::snprintf(text, sizeof text, "%04x:%02x:%02x.%x", pci.domain, pci.bus, pci.dev, pci.func);
    return text;
}

bool is_network_device(hwloc_obj_t device) {
    const unsigned kind = device->attr->pcidev.class_id;
    return kind >> 8 == pci_network_class || kind == pci_serial_infiniband;
}

hwloc_obj_t pci_device_of(hwloc_obj_t object) {
    while (object != nullptr && object->type == HWLOC_OBJ_OS_DEVICE) object = object->parent;
    return object != nullptr && object->type == HWLOC_OBJ_PCI_DEVICE ? object : nullptr;
}

/// Returns the smallest object with cores around a device.
hwloc_obj_t place_of(hwloc_topology_t topology, hwloc_obj_t device) {
    hwloc_obj_t place = hwloc_get_non_io_ancestor_obj(topology, device);
    // A control group may exclude all cores of the package that the NIC hangs below.
    while (place->parent != nullptr && (place->cpuset == nullptr || hwloc_bitmap_iszero(place->cpuset))) {
        place = place->parent;
    }
    return place;
}

/// Returns whether a port of an OpenFabrics device is active; empty if hwloc does not report it.
std::optional<bool> port_state(hwloc_obj_t device) {
    constexpr const char* active = "4";  // IBV_PORT_ACTIVE
    std::optional<bool> state;
    for (unsigned i = 0; i < device->infos_count; ++i) {
        const std::string_view name = device->infos[i].name;
        if (!name.starts_with("Port") || !name.ends_with("State")) continue;
        state = state.value_or(false) || std::strcmp(device->infos[i].value, active) == 0;
    }
    return state;
}

/// Returns the display name of a NIC's place.
std::string place_name(const std::vector<HardwareObject>& path, hwloc_topology_t topology,
                       hwloc_obj_t place) {
    if (path.empty()) return "whole machine";
    for (const auto& [kind, type] :
         {std::pair(LevelKind::numa, HWLOC_OBJ_NUMANODE), std::pair(LevelKind::package, HWLOC_OBJ_PACKAGE)}) {
        if (!path.back().has(kind)) continue;
        for (hwloc_obj_t object = nullptr;
             (object = hwloc_get_next_obj_by_type(topology, type, object)) != nullptr;) {
            if (!hwloc_bitmap_isequal(object->cpuset, place->cpuset)) continue;
            return std::string(name_of(kind)) + " " + std::to_string(object->logical_index);
        }
    }
    return std::string(name_of(path.back().kind())) + " " + std::to_string(path.back().index);
}

void set_locality(Nic& nic, hwloc_topology_t topology, hwloc_obj_t place) {
    nic.near_path = path_around(topology, place->cpuset);
    nic.near_name = place_name(nic.near_path, topology, place);
}

Bitmap copy_of(hwloc_const_bitmap_t bitmap) {
    const Bitmap copy = empty_bitmap();
    if (hwloc_bitmap_copy(copy.get(), bitmap) != 0) throw std::bad_alloc();
    return copy;
}

/// Returns the object that a user names; Groups are numbered over all depths, as in a record.
hwloc_obj_t named_object(hwloc_topology_t topology, LevelKind kind, int index) {
    hwloc_obj_t found = nullptr;
    int at = 0;
    const auto consider = [&](hwloc_obj_t object) {
        if (at++ == index) found = object;
    };
    if (kind == LevelKind::numa) {
        for (hwloc_obj_t numa = nullptr;
             (numa = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_NUMANODE, numa)) != nullptr;) {
            consider(numa);
        }
    }
    for (int depth = 0; depth < hwloc_topology_get_depth(topology); ++depth) {
        if (kind_of(hwloc_get_depth_type(topology, depth)) != kind) continue;
        for (hwloc_obj_t object = nullptr;
             (object = hwloc_get_next_obj_by_depth(topology, depth, object)) != nullptr;) {
            consider(object);
        }
    }
    if (found == nullptr || found->cpuset == nullptr || hwloc_bitmap_iszero(found->cpuset)) {
        throw std::invalid_argument("this machine has " + std::to_string(at) + " objects of level " +
                                    std::string(name_of(kind)) + ": " + std::string(name_of(kind)) + " " +
                                    std::to_string(index) +
                                    (found == nullptr ? " does not exist" : " has no cores"));
    }
    return found;
}

/// hwloc accepts any number from an XML file, also values outside the enumeration.
bool is_of_type(hwloc_obj_t device, hwloc_obj_osdev_type_t wanted) {
    return std::memcmp(&device->attr->osdev.type, &wanted, sizeof wanted) == 0;
}

}  // namespace

std::vector<Nic> Machine::nics() const {
    const hwloc_topology_t topology = topology_.get();
    std::vector<Nic> nics;
    std::vector<hwloc_obj_t> devices;  // by NIC: its PCI device, or the device itself
    const auto nic_of = [&](hwloc_obj_t device) -> Nic& {
        const auto known = std::find(devices.begin(), devices.end(), device);
        if (known != devices.end()) return nics[static_cast<std::size_t>(known - devices.begin())];
        devices.push_back(device);
        nics.emplace_back();
        const hwloc_obj_t place = place_of(topology, device);
        set_locality(nics.back(), topology, place);
        if (nics.back().local()) nics.back().near = Binding(copy_of(place->cpuset));
        return nics.back();
    };
    for (hwloc_obj_t device = nullptr; (device = hwloc_get_next_osdev(topology, device)) != nullptr;) {
        if (device->name == nullptr || (!is_of_type(device, HWLOC_OBJ_OSDEV_NETWORK) &&
                                        !is_of_type(device, HWLOC_OBJ_OSDEV_OPENFABRICS))) {
            continue;
        }
        const hwloc_obj_t pci = pci_device_of(device);
        Nic& nic = nic_of(pci != nullptr ? pci : device);
        if (is_of_type(device, HWLOC_OBJ_OSDEV_OPENFABRICS)) {
            nic.names.insert(nic.names.begin(), device->name);
            const std::optional<bool> state = port_state(device);
            if (!nic.fabric || state.value_or(true)) nic.port_active = state;
            nic.fabric = true;
        } else {
            nic.names.emplace_back(device->name);
            nic.interfaces.emplace_back(device->name);
        }
    }
    for (hwloc_obj_t device = nullptr; (device = hwloc_get_next_pcidev(topology, device)) != nullptr;) {
        const bool known = std::find(devices.begin(), devices.end(), device) != devices.end();
        if (known || is_network_device(device)) nic_of(device).names.push_back(pci_id(device));
    }
    return nics;
}

std::vector<Nic> Machine::nics_named(std::span<const NamedNic> list) const {
    const std::vector<Nic> known = nics();
    std::vector<Nic> chosen;
    for (const NamedNic& wanted : list) {
        const auto nic = std::find_if(known.begin(), known.end(), [&](const Nic& candidate) {
            return std::find(candidate.names.begin(), candidate.names.end(), wanted.name) !=
                   candidate.names.end();
        });
        if (nic == known.end() && !wanted.kind) {
            std::string names;
            for (const Nic& candidate : known) names += (names.empty() ? "" : ", ") + candidate.name();
            throw std::invalid_argument("no NIC '" + wanted.name +
                                        "' in this machine; it has: " + (names.empty() ? "none" : names));
        }
        chosen.push_back(nic != known.end() ? *nic : Nic{});
        if (nic == known.end()) chosen.back().names.push_back(wanted.name);
        if (!wanted.kind) continue;
        const hwloc_obj_t place = named_object(topology_.get(), *wanted.kind, wanted.index);
        set_locality(chosen.back(), topology_.get(), place);
        chosen.back().near = chosen.back().local() ? Binding(copy_of(place->cpuset)) : Binding();
    }
    return chosen;
}

std::vector<Nic> Machine::nics_present(std::span<const NamedNic> list) const {
    std::vector<Nic> found;
    for (const NamedNic& named : list) {
        try {
            found.push_back(nics_named({&named, 1}).front());
        } catch (const std::invalid_argument&) {
        }
    }
    return found;
}

NicDistance Machine::distance(const Binding& binding, std::span<const Nic> nics) const {
    NicDistance nearest;
    if (binding.everything()) return nearest;
    std::vector<hwloc_const_bitmap_t> places;
    for (const Nic& nic : nics) {
        if (!nic.local()) continue;
        const hwloc_const_bitmap_t place = nic.near.threads_.get();
        if (std::none_of(places.begin(), places.end(),
                         [&](hwloc_const_bitmap_t known) { return hwloc_bitmap_isequal(known, place); })) {
            places.push_back(place);
        }
    }
    std::stable_sort(places.begin(), places.end(), [](hwloc_const_bitmap_t a, hwloc_const_bitmap_t b) {
        return hwloc_bitmap_compare_first(a, b) < 0;
    });
    for (std::size_t i = 0; i < places.size(); ++i) {
        hwloc_obj_t around = hwloc_get_obj_covering_cpuset(topology_.get(), places[i]);
        unsigned levels = 0;
        while (around->parent != nullptr &&
               !hwloc_bitmap_isincluded(binding.threads_.get(), around->cpuset)) {
            if (!hwloc_bitmap_isequal(around->parent->cpuset, around->cpuset)) ++levels;
            around = around->parent;
        }
        const auto distance = static_cast<std::uint8_t>(std::min(levels, unknown_distance - 1U));
        if (distance >= nearest.distance) continue;
        nearest = {distance, static_cast<std::uint8_t>(std::min<std::size_t>(i, 15))};
    }
    return nearest;
}

}  // namespace strata::topology
