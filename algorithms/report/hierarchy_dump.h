#pragma once
#include <cstddef>
#include <string_view>

#include "topology/hierarchy.h"

namespace strata::algorithms {

/// A job's dump of its hierarchy.
struct DumpedJob {
    topology::Hierarchy hierarchy;
    std::size_t network_eager_bytes = 0;  ///< limits of its transports; 0: unknown
    std::size_t node_eager_bytes = 0;
};

/// Parses the JSON of topology::draw(), with or without plans. Ignores members that it does not need, and
/// the names and objects of groups. `file` names the text in messages. Throws topology::FileError. Time:
/// O(ranks * depth).
DumpedJob parse_hierarchy_dump(std::string_view text, std::string_view file);

}  // namespace strata::algorithms
