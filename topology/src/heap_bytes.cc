#include "strata/topology/hierarchy.h"

namespace strata::topology {

std::size_t heap_bytes(const Hierarchy& hierarchy) {
    const auto bytes_of = [](const auto& list) { return list.capacity() * sizeof(*list.data()); };
    std::size_t bytes = bytes_of(hierarchy.groups) + bytes_of(hierarchy.stop) + bytes_of(hierarchy.walk) +
                        bytes_of(hierarchy.walk_nodes) + bytes_of(hierarchy.receivers);
    for (const Group& group : hierarchy.groups) {
        bytes += bytes_of(group.children) + bytes_of(group.members) + bytes_of(group.direct);
    }
    return bytes;
}

}  // namespace strata::topology
