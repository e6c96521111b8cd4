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
    /// What users may call it, the usual name first: OpenFabrics device, network interfaces, PCI id
    /// ("mlx5_0", "ib0", "0000:41:00.0").
    std::vector<std::string> names;
    bool fabric = false;                    ///< has an OpenFabrics (or Omni-Path) device
    std::vector<std::string> interfaces;    ///< network interfaces ("ib0", "eth0"); a subset of `names`
    std::optional<bool> port_active;        ///< of the OpenFabrics device; empty: not known
    Binding near;                           ///< hardware threads of the object that the NIC hangs below
    std::vector<HardwareObject> near_path;  ///< that object, as a path; empty: the whole machine
    std::string near_name;                  ///< "numa 1"; "whole machine" when firmware says nothing

    const std::string& name() const { return names.front(); }
    /// False when the NIC is equally near to all: it then takes no part in elections.
    bool local() const { return !near_path.empty(); }
};

/// One entry of a user's list of NICs: a name or PCI id, perhaps with the place where it is said to be.
struct NamedNic {
    std::string name;               ///< "mlx5_0", "0000:41:00.0"
    std::optional<LevelKind> kind;  ///< of "mlx5_0@numa:1": numa
    int index = 0;                  ///< and 1, hwloc's logical index
    bool operator==(const NamedNic&) const = default;
};

/// Parses "mlx5_0,0000:41:00.0,ib0@numa:1". A NIC with a place need not exist: firmware that hides where a
/// NIC is can be corrected, and a synthetic topology be given one. Throws std::invalid_argument naming the
/// entry.
std::vector<NamedNic> parse_nics(std::string_view text);

/// What is known about the interfaces that a transport may use.
struct NicChoice {
    std::vector<std::string> include;  ///< names or PCI ids; empty: all
    std::vector<std::string> exclude;  ///< names or PCI ids
    /// Interfaces with an address; empty: not known, every interface counts.
    std::optional<std::vector<std::string>> addressed;
};

/// Adds the devices of a list as UCX_NET_DEVICES has them: they may name ports ("mlx5_0:1,mlx5_1"), which are
/// left out, and one range of numbers each ("mlx5_[1-3]:1"); a '^' in front says all but these; "all" is no
/// choice.
void add_devices(std::string_view list, NicChoice& choice);

/// Which of `nics` a fabric transport (UCX, libfabric, openib) uses: the included ones; without such a list
/// every OpenFabrics device whose port is not known to be down; without any the interfaces as for IP. Indices
/// into `nics`, ascending. Source: the rule that Open MPI's transports follow, steps 3 to 6.
std::vector<int> fabric_nics(std::span<const Nic> nics, const NicChoice& choice);

/// Which of `nics` a transport over IP (btl/tcp) uses: those with an interface that has an address and is
/// included, or not excluded.
std::vector<int> ip_nics(std::span<const Nic> nics, const NicChoice& choice);

}  // namespace strata::topology
