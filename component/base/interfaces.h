#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace strata::component {

/// An address of a network interface that is up.
struct InterfaceAddress {
    std::string interface;
    bool loopback = false;
    std::vector<unsigned char> bytes;  ///< 4 or 16, most significant first
};

/// Returns the interfaces that have an address, without the loopback.
std::vector<std::string> addressed_interfaces(const std::vector<InterfaceAddress>& addresses);

/// Returns the interfaces of a list in the syntax of btl/tcp: names, and subnets ("10.1.0.0/16", also IPv6)
/// for the interfaces with an address in them. Ignores other entries: Open MPI reports them.
std::vector<std::string> listed_interfaces(const std::string& list,
                                           const std::vector<InterfaceAddress>& addresses);

/// Returns `names` and the interfaces below bonds, bridges and virtual networks, because only those are NICs.
/// `folder`: the kernel's list of interfaces (/sys/class/net).
std::vector<std::string> with_lower_interfaces(std::vector<std::string> names, const std::string& folder);

/// Returns true for a list of libfabric's providers ("tcp;ofi_rxm,sockets") or UCX's transports
/// ("tcp,self,sm") that allows only IP between nodes; false for an empty or negated ('^') list.
bool names_only_ip(std::string_view list);

}  // namespace strata::component
