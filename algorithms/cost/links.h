#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "algorithms/base/link.h"
#include "topology/hierarchy.h"

namespace strata::algorithms {

/// Returns true if a tuner or preset gave link parameters inside nodes. An overhead alone does not count:
/// possible_links() varies those of levels without parameters.
inline bool sends_inside(const topology::Hierarchy& hierarchy, const LinkTable& links) {
    std::vector<topology::LevelKey> seen;  // few levels, many groups
    return std::any_of(hierarchy.groups.begin(), hierarchy.groups.end(), [&](const topology::Group& group) {
        const topology::LevelKey level = link_level(group);
        if (is_network(group) || std::find(seen.begin(), seen.end(), level) != seen.end()) return false;
        seen.push_back(level);
        const LinkSetting given = links.given(level);
        return given.latency_us || given.bytes_per_us || given.parallel;
    });
}

/// Returns us per byte of the connection between a child group and the level above, over all its transfers.
inline double connection_us_per_byte(const LinkParameters& link) {
    return 1 / (link.bytes_per_us * link.parallel);
}

/// Returns the least time for which a message occupies a connection (LinkParameters::gap_us).
inline double gap_us(const LinkParameters& link, bool network) {
    return network ? link.gap_us.value_or(link.overhead_us) : 0;
}

/// Returns us per byte for which a message keeps the processors at its ends busy; 0: hardware moves the data.
inline double copy_us_per_byte(const LinkParameters& link, bool network) {
    return network || link.offloaded ? 0 : 1 / link.bytes_per_us;
}

/// Returns us per byte of everything that moves inside a group at the same time
/// (LinkParameters::bus_bytes_per_us); 0: no limit.
inline double bus_us_per_byte(const LinkParameters& link) {
    return link.bus_bytes_per_us > 0 ? 1 / link.bus_bytes_per_us : 0;
}

/// Returns us per byte of a stream that needs a bus and another resource, each busy for the given time. If
/// both are busy most of the time they wait for each other. With the exponent four, two equal ones take a
/// fifth longer than one, as simulated trees inside nodes do (bench/simgrid). Square roots have the same bits
/// with every C library, so that all nodes choose the same plan.
inline double together(double bus, double other) {
    if (bus == 0) return other;
    const double squares = bus * bus * bus * bus + other * other * other * other;
    return std::sqrt(std::sqrt(squares));
}

/// Returns true if a message with its header exceeds the eager limit: it then waits for its receive.
inline bool needs_handshake(const LinkParameters& link, std::size_t message_bytes) {
    return link.eager_bytes != 0 && message_bytes >= link.eager_bytes;
}

/// Returns the time that the handshake adds before the first byte.
inline double handshake_us(const LinkParameters& link, std::size_t message_bytes) {
    if (!needs_handshake(link, message_bytes)) return 0;
    return link.handshake_us.value_or(2 * (link.latency_us + link.overhead_us));
}

/// Returns the longest segment below the eager limit. A sixteenth of the limit is reserved for the
/// transport's headers (on TCP 60 KiB of 64 KiB measured best; 64 KiB itself lost up to half).
inline std::size_t largest_eager_segment(std::size_t eager_bytes) { return eager_bytes - eager_bytes / 16; }

}  // namespace strata::algorithms
