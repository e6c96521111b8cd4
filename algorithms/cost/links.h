#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "algorithms/base/link.h"
#include "topology/hierarchy.h"

namespace strata::algorithms {

/// True where somebody, a tuner or a preset, has told what links inside nodes carry. An overhead alone does
/// not: possible_links() changes those of levels that nobody told of.
inline bool sends_inside(const topology::Hierarchy& hierarchy, const LinkTable& links) {
    std::vector<topology::LevelKey> seen;  // of a few levels many groups
    return std::any_of(hierarchy.groups.begin(), hierarchy.groups.end(), [&](const topology::Group& group) {
        const topology::LevelKey level = link_level(group);
        if (is_network(group) || std::find(seen.begin(), seen.end(), level) != seen.end()) return false;
        seen.push_back(level);
        const LinkSetting given = links.given(level);
        return given.latency_us || given.bytes_per_us || given.parallel;
    });
}

/// Microseconds per byte on the connection between a child group and the level above it, over all its
/// transfers.
inline double connection_us_per_byte(const LinkParameters& link) {
    return 1 / (link.bytes_per_us * link.parallel);
}

/// Time for which one message at least occupies a connection (LinkParameters::gap_us).
inline double gap_us(const LinkParameters& link, bool network) {
    return network ? link.gap_us.value_or(link.overhead_us) : 0;
}

/// Microseconds per byte for which a message keeps the processors at its ends busy; 0: others move it.
inline double copy_us_per_byte(const LinkParameters& link, bool network) {
    return network || link.offloaded ? 0 : 1 / link.bytes_per_us;
}

/// Microseconds per byte of all that moves at once inside a group (LinkParameters::bus_bytes_per_us); 0: it
/// is not what limits anything.
inline double bus_us_per_byte(const LinkParameters& link) {
    return link.bus_bytes_per_us > 0 ? 1 / link.bus_bytes_per_us : 0;
}

/// Microseconds per byte of a stream that needs a bus and something else, each busy for so long: where both
/// are busy most of the time they wait for each other. The exponent, four, is such that two equal ones take a
/// fifth longer than one, as simulated trees inside nodes do (bench/simgrid). By square roots, which have
/// the same bits with every C library: plans of different nodes must not differ by them.
inline double together(double bus, double other) {
    if (bus == 0) return other;
    const double squares = bus * bus * bus * bus + other * other * other * other;
    return std::sqrt(std::sqrt(squares));
}

/// Whether a message, with its header, exceeds the eager limit: it waits until its receiver has asked for it.
inline bool needs_handshake(const LinkParameters& link, std::size_t message_bytes) {
    return link.eager_bytes != 0 && message_bytes >= link.eager_bytes;
}

/// What the handshake of such a message adds before its first byte.
inline double handshake_us(const LinkParameters& link, std::size_t message_bytes) {
    if (!needs_handshake(link, message_bytes)) return 0;
    return link.handshake_us.value_or(2 * (link.latency_us + link.overhead_us));
}

/// The largest segment worth sending without a handshake. The transport's own headers count against its
/// limit; a sixteenth is left for them (60 KiB of 64 KiB measured best on TCP, 64 KiB itself lost up to
/// half).
inline std::size_t largest_eager_segment(std::size_t eager_bytes) { return eager_bytes - eager_bytes / 16; }

}  // namespace strata::algorithms
