// Vectors that go in two halves: the part of TreeModel in which two trees load the same links.
#include <algorithm>
#include <cmath>

#include "cost_tree.h"

namespace strata::algorithms {

/// Each half finds what both of them load.
double TreeModel::halves_us(std::span<const LevelPlan> plans, const Window& window) {
    bytes_ = std::ceil(bytes_ / 2);
    const auto for_both = [&](auto&& action) {
        for (const Half half : {Half::first, Half::second}) {
            make_edges(plans, window, half);
            action();
        }
    };
    for_both([&] {
        for (const auto& [group, edges] : group_edges_) add_loads(group, edges);
    });
    for_both([&] {
        for (const auto& [group, edges] : group_edges_) add_port_loads(group, edges);
    });
    double latest = 0;
    for_both([&] { latest = std::max(latest, tree_us(plans, window)); });
    return up_ && down_ ? latest - alone_us(latest) : latest;
}

/// What is gained inside a node while streams travel one way only, up before the first segment has turned
/// round, down after the last one has: they have the buses to themselves then. Half of what would be gained
/// if nothing else kept them busy comes closest to simulated trees.
double TreeModel::alone_us(double all_us) const {
    if (network_[groups_.front().level]) return 0;
    double busy = 0;
    for (std::size_t g = 0; g < groups_.size(); ++g)
        busy = std::max(busy, boundaries_[g].moved * group_bus_us_per_byte_[g] * bytes_);
    return std::max(0.0, std::min(all_us - busy, busy / 2)) / 2;
}

/// A rank sends one message after the other, and receives so. One that shares a link with others on its way,
/// or comes from a narrow one, keeps those of the other tree waiting for as long. Of what travels both ways
/// between nodes three streams in four are under way at once: two of them meet at one rank.
void TreeModel::add_port_loads(int group, const Edges& edges) {
    const bool both = up_ && down_;
    const double at_once = both ? 0.75 : 1;
    const auto& members = groups_[group].participants;
    for (const int position : edges.shape->order) {
        for (const int place : edges.shape->children[position]) {
            RankState& parent = ranks_[members[position].rank];
            RankState& child = ranks_[members[place].rank];
            const Meeting met = meeting(group, members[position], members[place]);
            double pace = met.us_per_byte;
            const auto share = [&](int c, double streams) {
                pace = std::max(pace, at_once * streams * boundary_pace(c, edges.segment));
            };
            if (network_[groups_[met.group].level]) {
                each_boundary(members[position].rank, met.group,
                              [&](int c) { share(c, boundaries_[c].uses); });
                each_boundary(members[place].rank, met.group,
                              [&](int c) { share(c, boundaries_[c].entries); });
            }
            parent.port_out += pace;
            child.port_in += pace;
            if (!both) continue;
            parent.port_in += pace;
            child.port_out += pace;
        }
    }
}

}  // namespace strata::algorithms
