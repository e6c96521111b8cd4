#include "cost_model.h"

#include <algorithm>

#include "cost_exchange.h"
#include "cost_links.h"
#include "cost_tree.h"
#include "strata/algorithms/shape.h"
#include "strata/algorithms/tree.h"

namespace strata::algorithms {
namespace {

LevelMethod nearest_tree_shape(const LevelMethod& method) {
    if (method.algorithm == Algorithm::automatic || info(method.algorithm).tree_shape) return method;
    switch (method.algorithm) {
        case Algorithm::split_binary:
        case Algorithm::in_order_binary: return {Algorithm::binary, 0, {}};
        case Algorithm::scatter_allgather_ring:
        case Algorithm::ring:
        case Algorithm::segmented_ring:
        case Algorithm::double_ring: return {Algorithm::pipeline, 0, {}};
        case Algorithm::linear_sync:
        case Algorithm::linear_nb: return {Algorithm::linear, 0, {}};
        default: return {Algorithm::binomial, 0, {}};
    }
}

}  // namespace

CostModel::CostModel(const topology::Hierarchy& hierarchy, const LinkTable& links, int root,
                     std::span<const topology::LevelKey> skipped)
    : hierarchy_(hierarchy), stop_(hierarchy.stop), root_(root), card_us_per_byte_(hierarchy.stop.size(), 0) {
    const std::vector<topology::LevelKey> levels = hierarchy.levels();
    for (const auto level : levels) {
        // Custom groups of one level may use different links: the widest one decides.
        topology::LevelKey widest{topology::LevelKind::custom, 0};
        for (const auto& group : hierarchy.groups) {
            if (group.level == level && link_level(group).kind < widest.kind) widest = link_level(group);
        }
        links_.push_back(links.at(widest));
        network_.push_back(is_network(widest.kind));
        if (std::find(skipped.begin(), skipped.end(), level) != skipped.end()) continue;
        used_.push_back(links_.size() - 1);
        levels_.push_back(level);
    }
    largest_group_.resize(levels_.size(), 0);
    for (const auto& group : hierarchy.groups) {
        const auto place = [&](const std::vector<topology::LevelKey>& in) {
            return static_cast<std::size_t>(std::find(in.begin(), in.end(), group.level) - in.begin());
        };
        groups_.push_back({place(levels), place(levels_), {}});
        const int parent = group.parent;
        parent_.push_back(parent);
        group_us_per_byte_.push_back(parent < 0 ? 0 : connection_us_per_byte(links_[groups_[parent].level]));
        group_gap_us_.push_back(
            parent < 0 ? 0 : gap_us(links_[groups_[parent].level], is_network(hierarchy.groups[parent])));
        for (const int rank : group.direct) {
            if (is_network(group)) card_us_per_byte_[rank] = 1 / links_[groups_.back().level].bytes_per_us;
        }
    }
    for (int g = 0; g < static_cast<int>(groups_.size()); ++g) {
        GroupView& view = groups_[g];
        if (view.plan == levels_.size()) continue;
        const std::vector<int>& children = hierarchy.groups[g].children;
        view.merged = std::any_of(children.begin(), children.end(),
                                  [&](int child) { return groups_[child].plan == levels_.size(); });
        for (const int rank : participants(hierarchy, g, root, skipped)) {
            double narrowest = 1 / links_[view.level].bytes_per_us;
            each_boundary(rank, g, [&](int c) { narrowest = std::max(narrowest, group_us_per_byte_[c]); });
            view.participants.push_back({rank, narrowest});
        }
        int& largest = largest_group_[view.plan];
        largest = std::max(largest, static_cast<int>(view.participants.size()));
    }
    top_stands_alone_ =
        std::count_if(groups_.begin(), groups_.end(), [](const GroupView& g) { return g.level == 0; }) == 1;
}

CostModel::Meeting CostModel::merged_meeting(int a, int b) const {
    const int group = hierarchy_.lowest_common_group(a, b);
    double narrowest = 1 / links_[groups_[group].level].bytes_per_us;
    for (const int rank : {a, b}) {
        each_boundary(rank, group, [&](int c) { narrowest = std::max(narrowest, group_us_per_byte_[c]); });
    }
    return {group, narrowest};
}

const std::vector<CostModel::Meeting>& CostModel::meetings(int group, const Shape& shape) {
    const auto [entry, added] = meetings_.try_emplace({group, shape.index});
    if (!added) return entry->second;
    const auto& members = groups_[group].participants;
    entry->second.resize(members.size());
    for (const int position : shape.order) {
        for (const int child : shape.children[position]) {
            entry->second[child] = merged_meeting(members[position].rank, members[child].rank);
        }
    }
    return entry->second;
}

const CostModel::Shape& CostModel::shape(const LevelMethod& method, std::size_t size) {
    const LevelMethod known = nearest_tree_shape(method);
    const auto [entry, added] = shapes_.try_emplace({known.algorithm, known.radix, size});
    Shape& made = entry->second;
    if (!added) return made;
    made.index = static_cast<int>(shapes_.size());
    made.order.reserve(size);
    made.order.push_back(0);
    made.children.resize(size);
    for (std::size_t next = 0; next < made.order.size(); ++next) {
        const int position = made.order[next];
        made.children[position] = shape_links(known, position, static_cast<int>(size)).children;
        for (const int child : made.children[position]) made.order.push_back(child);
    }
    return made;
}

std::unique_ptr<CostModel> make_cost_model(const topology::Hierarchy& hierarchy, const LinkTable& links,
                                           const Operation& operation,
                                           std::span<const topology::LevelKey> skipped) {
    const CollectiveTraits traits = traits_of(operation.collective);
    if (traits.blocks)
        return std::make_unique<ExchangeModel>(hierarchy, links, operation.root, traits, skipped);
    return std::make_unique<TreeModel>(hierarchy, links, operation.root, traits, skipped);
}

}  // namespace strata::algorithms
