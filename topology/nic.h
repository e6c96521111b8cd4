#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "topology/binding.h"
#include "topology/locality_record.h"

namespace strata::topology {

/// One NIC of a machine, and the part of the machine that is near it.
struct Nic {
    /// Accepted names, the usual one first: OpenFabrics device, network interfaces, PCI id ("mlx5_0",
    /// "ib0", "0000:41:00.0").
    std::vector<std::string> names;
    bool fabric = false;                    ///< has an OpenFabrics (or Omni-Path) device
    std::vector<std::string> interfaces;    ///< network interfaces ("ib0", "eth0"); a subset of `names`
    std::optional<bool> port_active;        ///< state of the OpenFabrics port; empty: unknown
    Binding near;                           ///< hardware threads of the object that the NIC hangs below
    std::vector<HardwareObject> near_path;  ///< path to that object; empty: the whole machine
    std::string near_name;                  ///< "numa 1"; "whole machine" if firmware gives no locality

    const std::string& name() const { return names.front(); }
    /// Returns false if all cores are equally near: the NIC then takes no part in elections.
    bool local() const { return !near_path.empty(); }
};

/// One entry of a user's list of NICs: a name or PCI id, and optionally its place.
struct NamedNic {
    std::string name;               ///< "mlx5_0", "0000:41:00.0"
    std::optional<LevelKind> kind;  ///< numa in "mlx5_0@numa:1"
    int index = 0;                  ///< 1 in that example: hwloc's logical index
    bool operator==(const NamedNic&) const = default;
};

/// Parses "mlx5_0,0000:41:00.0,ib0@numa:1". A NIC with a place need not exist: the place corrects
/// firmware that hides a NIC's locality, or adds a NIC to a synthetic topology. Throws
/// std::invalid_argument naming the entry.
std::vector<NamedNic> parse_nics(std::string_view text);

/// Constraints on the interfaces that a transport may use.
struct NicChoice {
    std::vector<std::string> include;  ///< names or PCI ids; empty: all
    std::vector<std::string> exclude;  ///< names or PCI ids
    /// Interfaces with an address; empty: unknown, every interface counts.
    std::optional<std::vector<std::string>> addressed;
};

/// Adds the devices of a list in the syntax of UCX_NET_DEVICES. Ignores ports ("mlx5_0:1,mlx5_1");
/// expands one numeric range per entry ("mlx5_[1-3]:1"); a leading '^' excludes the list; "all" selects
/// nothing in particular.
void add_devices(std::string_view list, NicChoice& choice);

/// Returns the NICs that a fabric transport (UCX, libfabric, openib) uses: the included ones; without an
/// include list, every OpenFabrics device whose port is not known to be down; without any, those of
/// ip_nics(). Ascending indices into `nics`. Source: the rule of Open MPI's transports, steps 3 to 6.
std::vector<int> fabric_nics(std::span<const Nic> nics, const NicChoice& choice);

/// Returns the NICs that a transport over IP (btl/tcp) uses: those with an addressed interface that is
/// included, or not excluded. Ascending indices into `nics`.
std::vector<int> ip_nics(std::span<const Nic> nics, const NicChoice& choice);

}  // namespace strata::topology
