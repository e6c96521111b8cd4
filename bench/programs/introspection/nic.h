// Kernel counters of one NIC of this node.

#pragma once

#include <cstdint>
#include <string>

namespace bench {

struct NicCounters {
    std::int64_t sent_bytes = 0,
                 sent_packets = 0;  // with Ethernet, IP and TCP headers, as in all byte counts here
    std::int64_t received_bytes = 0, received_packets = 0;
    std::int64_t resent_segments = 0;  // by TCP of this network namespace, over all NICs

    NicCounters operator-(const NicCounters& before) const;
};

// Reads all counters at one moment, except the last. Throws std::invalid_argument if there is no such
// NIC.
NicCounters read_nic(const std::string& name);

// Header bytes of a TCP packet without selective acknowledgements: Ethernet, IPv4, TCP and its options.
int packet_header_bytes();

}  // namespace bench
