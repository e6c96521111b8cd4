#include "topology/heap_bytes.h"

#include "topology/hierarchy.h"

namespace strata::topology {

std::size_t heap_bytes(const Hierarchy& hierarchy) {
    std::size_t bytes = heap_bytes(hierarchy.groups) + heap_bytes(hierarchy.stop) +
                        heap_bytes(hierarchy.topology_order) + heap_bytes(hierarchy.topology_order_nodes) +
                        heap_bytes(hierarchy.receivers);
    for (const Group& group : hierarchy.groups) {
        bytes += heap_bytes(group.children) + heap_bytes(group.members) + heap_bytes(group.direct);
    }
    return bytes;
}

}  // namespace strata::topology
