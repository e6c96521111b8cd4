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

/// The interfaces that have an address, the loopback left out.
std::vector<std::string> addressed_interfaces(const std::vector<InterfaceAddress>& addresses);

/// Interface names of a list as Open MPI's btl/tcp takes it: names, and subnets ("10.1.0.0/16", also IPv6)
/// for the interfaces that have an address in them. What is neither is left to Open MPI to complain about.
std::vector<std::string> listed_interfaces(const std::string& list,
                                           const std::vector<InterfaceAddress>& addresses);

/// The same and, for bonds, bridges and virtual networks, the interfaces below them: only those are NICs.
/// `folder` is where the kernel lists interfaces (/sys/class/net).
std::vector<std::string> with_lower_interfaces(std::vector<std::string> names, const std::string& folder);

/// True of a list of libfabric's providers ("tcp;ofi_rxm,sockets") or UCX's transports ("tcp,self,sm") that
/// leaves only IP between nodes; false of lists that are empty or begin with '^' (all but these).
bool names_only_ip(std::string_view list);

}  // namespace strata::component
