#pragma once
#include <cstdint>
#include <optional>
#include <span>

#include "topology/level.h"
#include "topology/locality_record.h"

namespace strata::topology {

/// Two processes whose network paths cannot both be true.
struct NetworkContradiction {
    LevelKind kind = LevelKind::switch_;  ///< what stands in two places: switch_ or node
    std::uint64_t object = 0;             ///< its switch id or node id
    /// Who says so, as indices of the records, first < second; equal when one path names a switch twice.
    int first = 0;
    int second = 0;
    bool operator==(const NetworkContradiction&) const = default;
};

/// A switch or a node that stands directly below different switches in different records (or is at the top in
/// one and below a switch in another): each node tells its own path, so what they tell may not fit together.
/// Finds the one with the lowest `second`. An empty path tells nothing and contradicts nothing.
/// build_hierarchy() takes such records all the same: it keeps nodes whole and splits the switch.
std::optional<NetworkContradiction> find_contradiction(std::span<const LocalityRecord> records);

}  // namespace strata::topology
