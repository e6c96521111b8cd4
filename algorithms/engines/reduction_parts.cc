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

std::pmr::vector<TreeLinks::Edge> widest_first(const std::vector<TreeLinks::Edge>& children,
                                               std::pmr::memory_resource* pool) {
    // Groups are numbered level by level, and the groups of one rank's edges are nested: a smaller number
    // is wider. Sorts by insertion: the children are nearly always sorted, and std::stable_sort would
    // allocate.
    std::pmr::vector<TreeLinks::Edge> sorted(pool);
    sorted.reserve(children.size());
    for (auto edge = children.rbegin(); edge != children.rend(); ++edge) {
        auto place = sorted.end();
        while (place != sorted.begin() && (place - 1)->group > edge->group) {
            --place;
        }
        sorted.insert(place, *edge);
    }
    return sorted;
}

}  // namespace strata::algorithms
