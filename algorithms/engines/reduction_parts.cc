#include "algorithms/engines/reduction_parts.h"

#include <algorithm>
#include <stdexcept>

namespace strata::algorithms {

Segments reduction_segments(const ReductionLinks& links, std::size_t bytes, std::size_t element_bytes) {
    const bool is_root = links.parent.peer < 0;
    if (is_root && links.children.empty()) {
        return {bytes, 0};
    }
    const std::size_t wanted = is_root ? links.children.front().segment_bytes : links.parent.segment_bytes;
    if (std::any_of(links.children.begin(), links.children.end(),
                    [wanted](const TreeLinks::Edge& edge) { return edge.segment_bytes != wanted; })) {
        throw std::invalid_argument("the edges of a reduction tree differ in their segment size");
    }
    if (wanted == 0) {
        return {bytes, 0};
    }
    return {bytes, std::max<std::size_t>(1, wanted / element_bytes) * element_bytes};
}

std::span<const TreeLinks::Edge> widest_first(std::span<const TreeLinks::Edge> children, Arena& arena) {
    if (children.size() < 2) return children;
    // Groups are numbered level by level, and the groups of one rank's edges are nested: a smaller number
    // is wider. Sorts by insertion: the children are nearly always sorted, and std::stable_sort would
    // allocate.
    const std::span<TreeLinks::Edge> sorted = arena.values<TreeLinks::Edge>(children.size());
    for (std::size_t count = 0; count < children.size(); ++count) {
        const TreeLinks::Edge& edge = children[children.size() - 1 - count];
        std::size_t place = count;
        for (; place > 0 && sorted[place - 1].group > edge.group; --place) sorted[place] = sorted[place - 1];
        sorted[place] = edge;
    }
    return sorted;
}

}  // namespace strata::algorithms
