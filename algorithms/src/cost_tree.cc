#include "cost_tree.h"

#include <algorithm>
#include <cmath>

#include "cost_links.h"
#include "strata/algorithms/selector.h"
#include "strata/algorithms/shape.h"
#include "strata/algorithms/tree.h"

namespace strata::algorithms {
namespace {

LevelMethod nearest_tree_shape(const LevelMethod& method) {
    switch (method.algorithm) {
        case Algorithm::split_binary: return {Algorithm::binary, 0, {}};
        case Algorithm::scatter_allgather_ring: return {Algorithm::pipeline, 0, {}};
        case Algorithm::scatter_allgather:
        case Algorithm::component: return {Algorithm::binomial, 0, {}};
        default: return method;
    }
}

}  // namespace

/// What all edges of one group have in common for the candidate at hand.
struct TreeModel::Edges {
    const Shape* shape = nullptr;
    double segment = 0;           ///< bytes
    double tail = 0;              ///< bytes of the last segment
    bool whole = true;            ///< one segment
    double latency = 0;           ///< us
    double overhead = 0;          ///< us
    double copy_us_per_byte = 0;  ///< that the processor spends at each end
    double handshake = 0;         ///< us
    double window_pace = 0;       ///< us per byte that the window of messages in flight allows
};

TreeModel::TreeModel(const topology::Hierarchy& hierarchy, const LinkTable& links, int root)
    : hierarchy_(hierarchy),
      root_(root),
      levels_(hierarchy.levels()),
      largest_group_(levels_.size(), 0),
      card_us_per_byte_(hierarchy.stop.size(), 0),
      ranks_(hierarchy.stop.size()),
      boundaries_(hierarchy.groups.size()) {
    for (const auto level : levels_) {
        // Custom groups of one level may use different links: the widest one decides.
        topology::LevelKey widest{topology::LevelKind::custom, 0};
        for (const auto& group : hierarchy.groups) {
            if (group.level == level && link_level(group).kind < widest.kind) widest = link_level(group);
        }
        links_.push_back(links.at(widest));
        network_.push_back(is_network(widest.kind));
    }
    for (const auto& group : hierarchy.groups) {
        const auto found = std::find(levels_.begin(), levels_.end(), group.level);
        groups_.push_back({static_cast<std::size_t>(found - levels_.begin()), {}});
        const int parent = group.parent;
        group_us_per_byte_.push_back(parent < 0 ? 0 : connection_us_per_byte(links_[groups_[parent].level]));
        group_gap_us_.push_back(
            parent < 0 ? 0 : gap_us(links_[groups_[parent].level], is_network(hierarchy.groups[parent])));
        for (const int rank : group.direct) {
            if (is_network(group)) card_us_per_byte_[rank] = 1 / links_[groups_.back().level].bytes_per_us;
        }
    }
    for (int g = 0; g < static_cast<int>(groups_.size()); ++g) {
        GroupView& view = groups_[g];
        for (const int rank : participants(hierarchy, g, root)) {
            double narrowest = 1 / links_[view.level].bytes_per_us;
            for (int c = hierarchy.stop[rank]; c != g; c = hierarchy.groups[c].parent) {
                narrowest = std::max(narrowest, group_us_per_byte_[c]);
            }
            view.participants.push_back({rank, narrowest});
        }
        int& largest = largest_group_[view.level];
        largest = std::max(largest, static_cast<int>(view.participants.size()));
    }
}

const TreeModel::Shape& TreeModel::shape(const LevelMethod& method, int size) {
    const LevelMethod known = nearest_tree_shape(method);
    const auto [entry, added] = shapes_.try_emplace({known.algorithm, known.radix, size});
    Shape& made = entry->second;
    if (!added) return made;
    made.order.reserve(size);
    made.order.push_back(0);
    made.children.resize(size);
    for (std::size_t next = 0; next < made.order.size(); ++next) {
        const int position = made.order[next];
        made.children[position] = shape_links(known, position, size).children;
        for (const int child : made.children[position]) made.order.push_back(child);
    }
    return made;
}

TreeModel::Edges TreeModel::edges_of(int group, const LevelPlan& plan) const {
    const GroupView& view = groups_[group];
    const LinkParameters& link = links_[view.level];
    Edges edges;
    const auto fixed = static_cast<double>(plan.segment_bytes);
    edges.whole = fixed == 0 || fixed >= bytes_;
    edges.segment = edges.whole ? bytes_ : fixed;
    edges.tail = bytes_ - (std::ceil(bytes_ / edges.segment) - 1) * edges.segment;
    edges.latency = link.latency_us;
    edges.overhead = link.overhead_us;
    if (!network_[view.level]) edges.copy_us_per_byte = 1 / link.bytes_per_us;
    edges.handshake = handshake_us(link, static_cast<std::size_t>(edges.segment));
    return edges;
}

void TreeModel::add_loads(int group, const Edges& edges) {
    const double per_byte = edges.overhead / edges.segment + edges.copy_us_per_byte;
    const auto& members = groups_[group].participants;
    for (const int position : edges.shape->order) {
        const auto& children = edges.shape->children[position];
        if (children.empty()) continue;
        const int uses = static_cast<int>(children.size());
        const int rank = members[position].rank;
        ranks_[rank].processor_load += uses * per_byte;
        ranks_[rank].card_uses += uses;
        for (int c = hierarchy_.stop[rank]; c != group; c = hierarchy_.groups[c].parent)
            boundaries_[c].uses += uses;
        for (const int child : children) ranks_[members[child].rank].processor_load += per_byte;
    }
}

/// Microseconds per byte at which `rank` can feed all its children beyond `group`'s child that holds it.
double TreeModel::outward_pace(int rank, int group) const {
    const RankState& state = ranks_[rank];
    double pace = std::max(state.processor_load, state.card_uses * card_us_per_byte_[rank]);
    for (int c = hierarchy_.stop[rank]; c != group; c = hierarchy_.groups[c].parent) {
        pace = std::max(pace, boundaries_[c].uses * group_us_per_byte_[c]);
    }
    return pace;
}

/// Queues one message at every connection from `rank` out to `group`; returns when it has entered the last
/// one.
double TreeModel::pass_outward(int rank, int group, double start, double bytes) {
    double& card = ranks_[rank].card_free;
    start = std::max(start, card);
    card = start + bytes * card_us_per_byte_[rank];
    for (int c = hierarchy_.stop[rank]; c != group; c = hierarchy_.groups[c].parent) {
        start = std::max(start, boundaries_[c].free);
        boundaries_[c].free = start + std::max(group_gap_us_[c], bytes * group_us_per_byte_[c]);
    }
    return start;
}

void TreeModel::time_group(int group, const Edges& edges) {
    const auto& members = groups_[group].participants;
    for (const int position : edges.shape->order) {
        const auto& children = edges.shape->children[position];
        if (children.empty()) continue;
        const int rank = members[position].rank;
        RankState& parent = ranks_[rank];
        // A segment larger than the arriving ones waits until enough of those are here.
        const double missing = std::max(0.0, std::ceil(edges.segment / parent.segment) - 1) * parent.segment;
        const double ready = std::min(parent.last, parent.first + missing * parent.pace);
        const double pace = std::max(parent.pace, outward_pace(rank, group));
        for (std::size_t i = 0; i < children.size(); ++i) {
            const Participant& member = members[children[i]];
            RankState& child = ranks_[member.rank];
            const double us_per_byte = std::max(members[position].us_per_byte, member.us_per_byte);
            const double start = std::max(ready, parent.processor_free) + edges.overhead;
            parent.processor_free = start + edges.segment * edges.copy_us_per_byte;
            const double sent = pass_outward(rank, group, start, edges.segment);
            child.first =
                sent + edges.handshake + edges.segment * us_per_byte + edges.latency + edges.overhead;
            child.last = child.first;
            child.segment = edges.segment;
            child.processor_free = child.first;
            child.pace = 0;
            if (edges.whole) continue;
            child.pace = std::max({pace, us_per_byte, edges.window_pace});
            const double turns = static_cast<double>(i) + 1;
            const double hop =
                edges.latency + edges.overhead + turns * (edges.overhead + edges.tail * us_per_byte);
            child.last = std::max(child.first + (bytes_ - edges.segment) * child.pace, parent.last + hop);
        }
    }
}

double TreeModel::cost_us(std::span<const LevelPlan> plans, std::size_t bytes, int window) {
    bytes_ = static_cast<double>(std::max<std::size_t>(bytes, 1));
    std::fill(ranks_.begin(), ranks_.end(), RankState{});
    std::fill(boundaries_.begin(), boundaries_.end(), GroupState{});
    ranks_[root_].segment = bytes_;
    const int count = static_cast<int>(groups_.size());
    const auto each_group = [&](auto&& action) {
        for (int g = 0; g < count; ++g) {
            const GroupView& view = groups_[g];
            if (view.participants.size() < 2) continue;
            const LevelPlan& plan = plans[view.level];
            Edges edges = edges_of(g, plan);
            edges.shape = &shape(plan.method, static_cast<int>(view.participants.size()));
            if (edges.handshake > 0) {
                const double round =
                    edges.handshake + edges.latency + edges.segment / links_[view.level].bytes_per_us;
                edges.window_pace = round / (std::max(window, 1) * edges.segment);
            }
            action(g, edges);
        }
    };
    each_group([&](int g, const Edges& edges) { add_loads(g, edges); });
    each_group([&](int g, const Edges& edges) { time_group(g, edges); });
    double end = 0;
    for (const RankState& state : ranks_) end = std::max(end, state.last);
    return end;
}

double tree_cost_us(const topology::Hierarchy& hierarchy, const LinkTable& links, const Plan& plan,
                    std::size_t bytes, int root) {
    TreeModel model(hierarchy, links, root);
    std::vector<LevelPlan> plans;
    for (const auto level : model.levels()) plans.push_back(plan.at(level));
    return model.cost_us(plans, bytes, plan.window);
}

}  // namespace strata::algorithms
