#pragma once
#include <string_view>
#include <utility>
#include <vector>

#include "topology/hierarchy.h"
#include "topology/level.h"

namespace strata::mapping {

/// Cost 1 is a link of 10,000 MB/s.
inline constexpr double seconds_per_byte_and_cost = 1e-10;

/// Time per byte on the links of each level, relative to a copy inside a cache. The defaults are those
/// of the plugin's cost model:
///
///   cluster        10     (an unknown number of switches)
///   switch N       8 * (N + 1)   (each tier shares its uplinks among more nodes)
///   node           2      (between packages)
///   package, group, die   1.6
///   numa           1.4
///   l3             1.1
///   l2, l1, core, pu   1
class LinkCosts {
public:
    /// Parses "cluster=20,switch1=12,node=3", which overrides the named levels; later entries override
    /// earlier ones. Throws std::invalid_argument with the allowed forms.
    static LinkCosts parse(std::string_view text);

    /// Returns the cost of a level other than custom.
    double of(topology::LevelKey level) const;
    /// Returns by group the cost of the links among its children: at least that of every group inside
    /// it, because a wider link is never nearer.
    std::vector<double> by_group(const topology::Hierarchy& hierarchy) const;

    /// Cost of a message in bytes, in addition to its own.
    double message_bytes = 4096;

private:
    std::vector<std::pair<topology::LevelPattern, double>> entries_;
};

}  // namespace strata::mapping
