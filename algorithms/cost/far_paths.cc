// Paths between a node's NIC and the processes far from it: the part of TreeModel that concerns trees over
// all ranks. Rings and exchanges of parts over all ranks do not count them.
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
        if (hierarchy_.receiver_of(rank) == rank) continue;
        const int node = hierarchy_.widest_in_node(rank);
        if (parent_[node] < 0 || (rank == root_ && groups_[node].plan < levels().size())) continue;
        const LinkParameters& nic = links_[groups_[parent_[node]].level];
        const double us_per_byte = connection_us_per_byte(nic);
        const auto path = [&](double share) {
            return FarPath{us_per_byte * (1 + share), std::min(1.0, share / fitted_share)};
        };
        far_[rank] = {node, path(nic.far_share), path(nic.far_send_share)};
    }
}

/// A chain towards the root is reversed in every node (shape_members()), but not here.
TreeModel::Ends TreeModel::far_ends(const Edges& edges, int parent, int child, bool upwards) {
    return upwards && !edges.in_order ? Ends{child, parent} : Ends{parent, child};
}

/// Calls action(path, the state of its node and direction) for each end of a message that is far from its
/// NIC.
template <typename States, typename Action>
void TreeModel::each_far(Ends ends, int group, States& nodes, Action&& action) const {
    if (!network_[groups_[group].level]) return;
    const FarRank& from = far_[ends.from];
    const FarRank& to = far_[ends.to];
    if (from.node >= 0 && from.out.weight > 0) action(from.out, nodes[from.node].far_out);
    if (to.node >= 0 && to.in.weight > 0) action(to.in, nodes[to.node].far_in);
}

void TreeModel::add_far_loads(Ends ends, int group) {
    each_far(ends, group, boundaries_, [](const FarPath&, FarState& state) { ++state.vectors; });
}

/// Queues one message on the paths at its ends; returns when it enters the last one.
double TreeModel::pass_far(Ends ends, int group, double start, double bytes) {
    each_far(ends, group, boundaries_, [&](const FarPath& path, FarState& state) {
        start = std::max(start, state.free);
        state.free = start + bytes * path.us_per_byte;
    });
    return start;
}

/// Returns us per byte of the narrower path, without other messages; 0: both ends are near.
double TreeModel::far_us_per_byte(Ends ends, int group) const {
    double slowest = 0;
    each_far(ends, group, boundaries_,
             [&](const FarPath& path, const FarState&) { slowest = std::max(slowest, path.us_per_byte); });
    return slowest;
}

/// Returns us per byte of a stream that other resources let through at `pace`. They and the paths, which
/// other streams share, wait for each other: sums of squares come closest to simulated double trees, which
/// take a quarter longer with a path that is three quarters as busy as the rest (bench/simgrid). Paths hardly
/// narrower than the NIC count in part, so that the time grows steadily with the share.
double TreeModel::beside_far_paths(Ends ends, int group, double pace) const {
    double most = 0;
    each_far(ends, group, boundaries_, [&](const FarPath& path, const FarState& state) {
        most = std::max(most, path.weight * state.vectors * path.us_per_byte);
    });
    return most == 0 ? pace : std::sqrt(pace * pace + most * most);
}

}  // namespace strata::algorithms
