#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "topology/level.h"

namespace strata::algorithms {

/// The link costs of one level. link.cc has the defaults per level kind, and their reasons.
struct LinkParameters {
    double latency_us = 1;        ///< first byte of a message, end to end
    double overhead_us = 1;       ///< processor time per message at each end
    double bytes_per_us = 1000;   ///< bandwidth of a child group's (or process's) connection to this level
    std::size_t eager_bytes = 0;  ///< largest message that needs no handshake; 0 = unknown
    double parallel = 1;          ///< transfers at full speed at once on one child group's connection
    /// Extra time that a process far from its node's NIC takes to receive over this level, as a share of
    /// the time on the wire. Default: seed paper on NUIOA collectives, section 3 (NIC-local processes
    /// receive 10 to 50 % more).
    double far_share = 0.25;
    /// Time that a handshake adds before the first byte of a message. Empty: one round trip.
    std::optional<double> handshake_us = {};
    /// Bandwidth of one group of this level for all its traffic at once, between its children or through
    /// them to the outside: its memory controllers, or the backplane of a switch. 0: no known limit.
    double bus_bytes_per_us = 0;
    /// Inside nodes: engines move the bytes, in and out at once as NICs do; no processor copies them.
    bool offloaded = false;
    /// Least time for which a message occupies a connection between nodes (the gap of the LogGP model): a
    /// NIC, or the kernel before it, handles one message after the other. Empty: the time for which the
    /// message occupies a processor. Inside nodes copies have no such bottleneck.
    std::optional<double> gap_us = {};
    /// As `far_share`, for sending, which hardly suffers on most machines (the same section): more than 0 if
    /// the path between such processes and the NIC is narrow in both directions.
    double far_send_share = 0;
};

/// Some of a level's LinkParameters; an empty member keeps the value.
struct LinkSetting {
    std::optional<double> latency_us = {};
    std::optional<double> overhead_us = {};
    std::optional<double> bytes_per_us = {};
    std::optional<std::size_t> eager_bytes = {};
    std::optional<double> parallel = {};
    std::optional<double> far_share = {};
    std::optional<double> handshake_us = {};
    std::optional<double> bus_bytes_per_us = {};
    std::optional<bool> offloaded = {};
    std::optional<double> gap_us = {};
    std::optional<double> far_send_share = {};
};

/// Default bytes per microsecond at which one core combines two vectors. Sums of doubles, one core of a
/// Xeon server: 2,900 to 4,800 when both come from memory, 10,000 to 21,000 when both are in a cache. One
/// operand of a local reduction has just arrived; the other comes from memory or is the last result.
inline constexpr double combined_bytes_per_us = 5000;

/// Link parameters by level; a level without settings has the defaults of its kind.
class LinkTable {
public:
    LinkParameters at(topology::LevelKey level) const;
    /// The latest setting that matches a level holds, value by value. `eager_bytes` 0 keeps the limit in
    /// force.
    void set(topology::LevelPattern level, const LinkParameters& link);
    /// Returns the values set for this level; the others are the defaults of its kind.
    LinkSetting given(topology::LevelKey level) const;
    void set_some(topology::LevelPattern level, const LinkSetting& link);
    /// Sets the handshake limits of the levels above the node, and of the node and below; 0 = default.
    void set_eager_limits(std::size_t network_bytes, std::size_t node_bytes);
    std::size_t network_eager_bytes() const { return network_eager_; }
    std::size_t node_eager_bytes() const { return node_eager_; }
    /// Sets how many bytes of one operand a core combines with another one in a microsecond.
    void set_combine(double bytes_per_us) { combine_bytes_per_us_ = bytes_per_us; }
    bool combine_is_given() const { return combine_bytes_per_us_.has_value(); }
    double combine_us(double bytes) const {
        return bytes / combine_bytes_per_us_.value_or(combined_bytes_per_us);
    }

private:
    struct Entry {
        topology::LevelPattern level;
        LinkSetting link;
    };
    std::vector<Entry> entries_;
    std::size_t network_eager_ = 0;
    std::size_t node_eager_ = 0;
    std::optional<double> combine_bytes_per_us_;
};

}  // namespace strata::algorithms
