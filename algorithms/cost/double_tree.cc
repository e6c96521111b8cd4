// Double trees: the part of TreeModel in which two trees with half a vector each load the same links.
#include <algorithm>
#include <cmath>

#include "algorithms/cost/tree.h"

namespace strata::algorithms {

/// Times each half under the loads of both.
double TreeModel::double_tree_us(std::span<const LevelPlan> plans, const Window& window) {
    bytes_ = std::ceil(bytes_ / 2);
    must_be_exact();  // alone_us() is subtracted at the end
    const auto for_both = [&](auto&& action) {
        for (const Half half : {Half::first, Half::second}) {
            make_edges(plans, window, half);
            action();
        }
    };
    crossers_.assign(groups_.size(), {});
    for_both([&] {
        for (const auto& [group, edges] : group_edges_) {
            add_loads(group, edges);
            add_crossers(group, edges);
        }
    });
    for_both([&] {
        for (const auto& [group, edges] : group_edges_) add_port_loads(group, edges);
    });
    double latest = 0;
    for_both([&] { latest = std::max(latest, tree_us(plans, window)); });
    return up_ && down_ ? latest - alone_us(latest) : latest;
}

/// Returns the gain inside a node while all data travels in one direction (up before the first segment has
/// turned, down after the last one has) and has the buses to itself. Half of the gain without any other load
/// comes closest to simulated trees.
double TreeModel::alone_us(double all_us) const {
    if (network_[groups_.front().level]) return 0;
    double busy = 0;
    for (std::size_t g = 0; g < groups_.size(); ++g)
        busy = std::max(busy, boundaries_[g].moved * group_bus_us_per_byte_[g] * bytes_);
    return std::max(0.0, std::min(all_us - busy, busy / 2)) / 2;
}

/// Returns us per byte of a message. Between two sites or nodes both halves take the same link at the same
/// time; among more of them each half has its own tree.
double TreeModel::beside_other_tree(const Meeting& met, int child) const {
    const double directions = up_ && down_ ? 2 : 1;
    double us_per_byte = met.us_per_byte;
    each_boundary(child, met.group, [&](int c) {
        const topology::Group& around = hierarchy_.groups[static_cast<std::size_t>(parent_[c])];
        if (!is_network(around) || around.children.size() + around.direct.size() != 2) return;
        us_per_byte = std::max(us_per_byte, boundaries_[c].entries / directions * group_us_per_byte_[c]);
    });
    return us_per_byte;
}

/// Adds the ranks whose messages between parent and child cross the boundaries of nodes and switches.
void TreeModel::add_crossers(int group, const Edges& edges) {
    const auto& members = groups_[group].participants;
    const auto enter = [](std::vector<int>& ranks, int rank) {
        if (std::find(ranks.begin(), ranks.end(), rank) == ranks.end()) ranks.push_back(rank);
    };
    for (const int position : edges.shape->order) {
        for (const int place : edges.shape->children[position]) {
            const int rank = members[position].rank;
            const int child = members[place].rank;
            const int met = meeting(group, members[position], members[place]).group;
            if (!network_[groups_[met].level]) continue;
            each_boundary(rank, met, [&](int c) { enter(crossers_[c].to_children, rank); });
            each_boundary(child, met, [&](int c) { enter(crossers_[c].to_parents, child); });
        }
    }
}

/// A rank sends its messages one after the other, and receives likewise. A message that shares a link with
/// those of other ranks, or comes over a narrow link, delays the messages of the other tree as long.
void TreeModel::add_port_loads(int group, const Edges& edges) {
    const bool both = up_ && down_;
    const auto& members = groups_[group].participants;
    for (const int position : edges.shape->order) {
        for (const int place : edges.shape->children[position]) {
            RankState& parent = ranks_[members[position].rank];
            RankState& child = ranks_[members[place].rank];
            const Meeting met = meeting(group, members[position], members[place]);
            double pace = met.us_per_byte;
            const auto share = [&](int c, const std::vector<int>& ranks) {
                pace = std::max(pace, static_cast<double>(ranks.size()) * boundary_pace(c, edges.segment));
            };
            each_boundary(members[position].rank, met.group,
                          [&](int c) { share(c, crossers_[c].to_children); });
            each_boundary(members[place].rank, met.group, [&](int c) { share(c, crossers_[c].to_parents); });
            parent.port_out += pace;
            child.port_in += pace;
            if (!both) continue;
            parent.port_in += pace;
            child.port_out += pace;
        }
    }
}

}  // namespace strata::algorithms
