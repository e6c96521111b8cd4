// Paths between a node's NIC and the processes far from it: the part of TreeModel that concerns trees over
// all ranks.
#include <algorithm>

#include "algorithms/cost/links.h"
#include "algorithms/cost/tree.h"

namespace strata::algorithms {

/// If nodes have a level of their own, the root's distance is counted elsewhere (receiver.h).
void TreeModel::set_far_links() {
    far_.clear();
    if (hierarchy_.receivers.empty()) return;
    far_.resize(ranks_.size());
    for (int rank = 0; rank < hierarchy_.ranks(); ++rank) {
        const int node = hierarchy_.widest_in_node(rank);
        if (hierarchy_.receiver_of(rank) == rank || parent_[node] < 0) continue;
        if (rank == root_ && groups_[node].plan < levels().size()) continue;
        const LinkParameters& nic = links_[groups_[parent_[node]].level];
        const double us_per_byte = connection_us_per_byte(nic);
        far_[rank].to_rank = us_per_byte * (1 + nic.far_share);
        if (nic.far_send_share > 0) far_[rank].from_rank = us_per_byte * (1 + nic.far_send_share);
    }
}

/// A chain towards the root is reversed in every node (shape_members()), but not here.
TreeModel::Ends TreeModel::far_ends(const Edges& edges, int parent, int child, bool upwards) {
    return upwards && !edges.in_order ? Ends{child, parent} : Ends{parent, child};
}

void TreeModel::add_far_loads(Ends ends, int group) {
    if (!network_[groups_[group].level]) return;
    if (far_[ends.from].from_rank > 0) ++boundaries_[hierarchy_.widest_in_node(ends.from)].far_exits;
    if (far_[ends.to].to_rank > 0) ++boundaries_[hierarchy_.widest_in_node(ends.to)].far_entries;
}

TreeModel::FarPath TreeModel::far_path(Ends ends, int group) const {
    if (!network_[groups_[group].level]) return {};
    const double out = far_[ends.from].from_rank;
    const double in = far_[ends.to].to_rank;
    const double exits = boundaries_[hierarchy_.widest_in_node(ends.from)].far_exits;
    const double entries = boundaries_[hierarchy_.widest_in_node(ends.to)].far_entries;
    return {std::max(out, in), std::max(exits * out, entries * in)};
}

}  // namespace strata::algorithms
