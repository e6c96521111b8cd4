#pragma once
#include <string_view>
#include <utility>
#include <vector>

#include "topology/hierarchy.h"
#include "topology/level.h"

namespace strata::mapping {

/// A cost of 1 is a link of 10,000 MB/s.
inline constexpr double seconds_per_byte_and_cost = 1e-10;

/// How long a byte takes on the links of each level, relative to a copy inside a cache. Unless told
/// otherwise, as the plugin's cost model has it:
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
    /// "cluster=20,switch1=12,node=3": changes what it names; an entry overrides those before it. Throws
    /// std::invalid_argument that says what is allowed.
    static LinkCosts parse(std::string_view text);

    /// Of a level other than custom, as told.
    double of(topology::LevelKey level) const;
    /// By group: the cost of the links among its children, at least that of every group inside it, because no
    /// wide link is nearer than a narrow one.
    std::vector<double> by_group(const topology::Hierarchy& hierarchy) const;

    /// A message costs as much as so many bytes, beside its own.
    double message_bytes = 4096;

private:
    std::vector<std::pair<topology::LevelPattern, double>> entries_;
};

}  // namespace strata::mapping
