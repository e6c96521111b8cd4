#include "component/base/interfaces.h"

#include <arpa/inet.h>
#include <algorithm>

#include "topology/text.h"
#include "topology/text_file.h"

namespace strata::component {
namespace {

void add_once(std::vector<std::string>& list, const std::string& name) {
    if (std::find(list.begin(), list.end(), name) == list.end()) {
        list.push_back(name);
    }
}

bool same_bits(const std::vector<unsigned char>& a, const unsigned char* b, unsigned bits) {
    for (std::size_t i = 0; i < a.size() && bits > 0; ++i) {
        const unsigned here = std::min(bits, 8U);
        const auto mask = static_cast<unsigned char>(0xff00U >> here);
        if (((a[i] ^ b[i]) & mask) != 0) {
            return false;
        }
        bits -= here;
    }
    return true;
}

/// Adds the interfaces with an address in "ADDRESS/BITS".
void add_subnet(const std::string& subnet, const std::vector<InterfaceAddress>& addresses,
                std::vector<std::string>& names) {
    const std::size_t slash = subnet.find('/');
    const std::string address = subnet.substr(0, slash);
    const bool ip6 = address.find(':') != std::string::npos;
    unsigned char wanted[16];
    const auto bits = topology::whole_number<unsigned>(std::string_view(subnet).substr(slash + 1));
    if (inet_pton(ip6 ? AF_INET6 : AF_INET, address.c_str(), wanted) != 1 || !bits) {
        return;
    }
    for (const InterfaceAddress& own : addresses) {
        if (own.bytes.size() == (ip6 ? 16U : 4U) && same_bits(own.bytes, wanted, *bits)) {
            add_once(names, own.interface);
        }
    }
}

}  // namespace

std::vector<std::string> addressed_interfaces(const std::vector<InterfaceAddress>& addresses) {
    std::vector<std::string> names;
    for (const InterfaceAddress& address : addresses) {
        if (!address.loopback) {
            add_once(names, address.interface);
        }
    }
    return names;
}

std::vector<std::string> listed_interfaces(const std::string& list,
                                           const std::vector<InterfaceAddress>& addresses) {
    std::vector<std::string> names;
    for (const std::string_view entry : topology::split(list, ',')) {
        const std::string name(topology::trimmed(entry));
        if (name.find('/') != std::string::npos) {
            add_subnet(name, addresses, names);
        } else if (!name.empty()) {
            add_once(names, name);
        }
    }
    return names;
}

std::vector<std::string> with_lower_interfaces(std::vector<std::string> names, const std::string& folder) {
    constexpr std::string_view prefix = "lower_";
    for (std::size_t i = 0; i < names.size(); ++i) {  // `names` grows: lower interfaces may have lower ones
        for (const std::string& entry : topology::entries_of(folder + "/" + names[i])) {
            if (entry.starts_with(prefix)) {
                add_once(names, entry.substr(prefix.size()));
            }
        }
    }
    return names;
}

bool names_only_ip(std::string_view list) {
    constexpr std::string_view over_ip[] = {"tcp", "udp", "sockets", "net"};
    // Transports inside a node, and layers over another provider.
    constexpr std::string_view neutral[] = {"self", "sm",   "shm",   "mm",      "posix",  "sysv",
                                            "cma",  "knem", "xpmem", "ofi_rxm", "ofi_rxd"};
    const auto is_one_of = [](auto& known, std::string_view name) {
        return std::find(std::begin(known), std::end(known), name) != std::end(known);
    };
    bool any = false;
    for (const std::string_view entry : topology::split(list, ',')) {
        for (const std::string_view part : topology::split(entry, ';')) {
            const std::string_view name = topology::trimmed(part);
            if (is_one_of(over_ip, name)) {
                any = true;
            } else if (!is_one_of(neutral, name)) {
                return false;
            }
        }
    }
    return any;
}

}  // namespace strata::component
