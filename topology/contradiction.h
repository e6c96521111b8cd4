#pragma once
#include <cstdint>
#include <optional>
#include <span>

#include "topology/level.h"
#include "topology/locality_record.h"

namespace strata::topology {

/// Two records whose network paths contradict each other.
struct NetworkContradiction {
    LevelKind kind = LevelKind::switch_;  ///< kind of the object with two places: switch_ or node
    std::uint64_t object = 0;             ///< its switch id or node id
    /// The two records, first < second; equal if one path names a switch twice.
    int first = 0;
    int second = 0;
    bool operator==(const NetworkContradiction&) const = default;
};

/// Returns a switch or node that lies directly below different switches in different records, or at the
/// top in one and below a switch in another. Each node reports its own path, so paths may not match. Of
/// several returns the one with the lowest `second`. An empty path contradicts nothing.
/// build_hierarchy() accepts such records: it keeps nodes whole and splits the switch.
std::optional<NetworkContradiction> find_contradiction(std::span<const LocalityRecord> records);

}  // namespace strata::topology
