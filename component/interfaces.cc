#include "interfaces.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <memory>
#include <sstream>

#include "strata/topology/text.h"

namespace strata::component {
namespace {

struct Address {
    std::string interface;
    bool loopback = false;
    std::vector<unsigned char> bytes;  // 4 or 16
};

std::vector<Address> addresses() {
    std::vector<Address> result;
    ifaddrs* first = nullptr;
    if (getifaddrs(&first) != 0) {
        return result;
    }
    const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(first, freeifaddrs);
    for (const ifaddrs* entry = first; entry != nullptr; entry = entry->ifa_next) {
        if (entry->ifa_addr == nullptr || (entry->ifa_flags & IFF_UP) == 0) {
            continue;
        }
        const auto add = [&](const void* address, std::size_t size) {
            const auto* bytes = static_cast<const unsigned char*>(address);
            result.push_back(
                {entry->ifa_name, (entry->ifa_flags & IFF_LOOPBACK) != 0, {bytes, bytes + size}});
        };
        if (entry->ifa_addr->sa_family == AF_INET) {
            add(&reinterpret_cast<const sockaddr_in*>(entry->ifa_addr)->sin_addr, 4);
        } else if (entry->ifa_addr->sa_family == AF_INET6) {
            add(&reinterpret_cast<const sockaddr_in6*>(entry->ifa_addr)->sin6_addr, 16);
        }
    }
    return result;
}

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
void add_subnet(const std::string& subnet, std::vector<std::string>& names) {
    const std::size_t slash = subnet.find('/');
    const std::string address = subnet.substr(0, slash);
    unsigned char wanted[16];
    const bool ip6 = address.find(':') != std::string::npos;
    unsigned bits = 0;
    const char* end = subnet.data() + subnet.size();
    const auto [stopped, error] = std::from_chars(subnet.data() + slash + 1, end, bits);
    if (inet_pton(ip6 ? AF_INET6 : AF_INET, address.c_str(), wanted) != 1 || error != std::errc() ||
        stopped != end) {
        return;  // Open MPI itself complains
    }
    for (const Address& own : addresses()) {
        if (own.bytes.size() == (ip6 ? 16U : 4U) && same_bits(own.bytes, wanted, bits)) {
            add_once(names, own.interface);
        }
    }
}

}  // namespace

std::vector<std::string> addressed_interfaces() {
    std::vector<std::string> names;
    for (const Address& address : addresses()) {
        if (!address.loopback) {
            add_once(names, address.interface);
        }
    }
    return names;
}

std::vector<std::string> listed_interfaces(const std::string& list) {
    std::vector<std::string> names;
    std::istringstream stream(list);
    for (std::string entry; std::getline(stream, entry, ',');) {
        const std::string name(topology::trimmed(entry));
        if (name.find('/') != std::string::npos) {
            add_subnet(name, names);
        } else if (!name.empty()) {
            add_once(names, name);
        }
    }
    return names;
}

}  // namespace strata::component
