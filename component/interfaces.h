#pragma once
#include <string>
#include <vector>

namespace strata::component {

/// Network interfaces of this node that are up and have an IP address, the loopback left out.
std::vector<std::string> addressed_interfaces();

/// Interface names of a list as Open MPI's btl/tcp takes it: names, and subnets ("10.1.0.0/16", also IPv6)
/// for the interfaces that have an address in them.
std::vector<std::string> listed_interfaces(const std::string& list);

}  // namespace strata::component
