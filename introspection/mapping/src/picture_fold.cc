#include <algorithm>
#include <map>

#include "at.h"
#include "picture_parts.h"

namespace strata::mapping {
namespace {

using topology::Group;
using topology::Hierarchy;

constexpr int most_cells = 256;

/// Appends the ranks of every group contiguously: children by lowest member, then direct ranks.
void append(const Hierarchy& hierarchy, int index, std::vector<int>& order) {
    const Group& group = hierarchy.groups[at(index)];
    for (const int child : group.children) append(hierarchy, child, order);
    order.insert(order.end(), group.direct.begin(), group.direct.end());
}

/// Returns the positions at which a group of this depth, or a rank above that depth, begins.
std::vector<int> begins_at(const Hierarchy& hierarchy, const std::vector<int>& order, int depth) {
    std::vector<int> begins;
    int before = -1;
    for (std::size_t i = 0; i < order.size(); ++i) {
        int group = hierarchy.stop[at(order[i])];
        const bool alone = hierarchy.groups[at(group)].depth < depth;
        while (hierarchy.groups[at(group)].depth > depth) group = hierarchy.groups[at(group)].parent;
        if (alone || group != before) begins.push_back(static_cast<int>(i));
        before = alone ? -1 : group;
    }
    return begins;
}

}  // namespace

Folded fold(const TrafficView& view, const std::vector<int>& process) {
    Folded folded;
    append(view.hierarchy, 0, folded.order);
    const int ranks = view.hierarchy.ranks();
    if (ranks <= most_cells) {
        for (int i = 0; i < ranks; ++i) folded.first.push_back(i);
    } else {
        folded.first = begins_at(view.hierarchy, folded.order, 1);
        for (int depth = 2; depth < view.hierarchy.depth(); ++depth) {
            std::vector<int> finer = begins_at(view.hierarchy, folded.order, depth);
            if (finer.size() > most_cells) break;
            folded.first = std::move(finer);
        }
        // Too many groups: adjacent ones share a cell.
        const std::size_t share = (folded.first.size() + most_cells - 1) / most_cells;
        std::vector<int> kept;
        for (std::size_t i = 0; i < folded.first.size(); i += share) kept.push_back(folded.first[i]);
        folded.first = std::move(kept);
    }
    folded.first.push_back(ranks);
    std::vector<int> cell_of(at(ranks));
    for (int cell = 0; cell < folded.cells(); ++cell) {
        for (int i = folded.first[at(cell)]; i < folded.first[at(cell) + 1]; ++i) {
            cell_of[at(folded.order[at(i)])] = cell;
        }
    }
    const std::size_t cells = at(folded.cells());
    folded.bytes.assign(cells * cells, 0);
    for (const Flow& flow : view.traffic.flows()) {
        const std::size_t row = at(cell_of[at(process[at(flow.from)])]);
        const std::size_t column = at(cell_of[at(process[at(flow.to)])]);
        folded.bytes[row * cells + column] += static_cast<double>(flow.bytes);
    }
    return folded;
}

std::vector<Border> borders_of(const Hierarchy& hierarchy, const Folded& folded) {
    std::map<int, int> depth_at;
    for (int depth = 1; depth < hierarchy.depth(); ++depth) {
        for (const int position : begins_at(hierarchy, folded.order, depth))
            depth_at.try_emplace(position, depth);
    }
    std::vector<Border> borders;
    for (int cell = 1; cell < folded.cells(); ++cell) {
        const auto found = depth_at.find(folded.first[at(cell)]);
        if (found != depth_at.end()) borders.push_back({cell, found->second});
    }
    return borders;
}

}  // namespace strata::mapping
