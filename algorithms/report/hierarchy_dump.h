#pragma once
#include <cstddef>
#include <string_view>

#include "topology/hierarchy.h"

namespace strata::algorithms {

/// What a running job wrote of itself.
struct DumpedJob {
    topology::Hierarchy hierarchy;
    std::size_t network_eager_bytes = 0;  ///< limits of its transports; 0: not told
    std::size_t node_eager_bytes = 0;
};

/// Reads what topology::draw() writes as JSON, the plans rested on it included; members that it does not need
/// are ignored, and so are the names and objects of groups. `file` names it in messages. Throws
/// topology::FileError. Cost: O(ranks * depth).
DumpedJob parse_hierarchy_dump(std::string_view text, std::string_view file);

}  // namespace strata::algorithms
