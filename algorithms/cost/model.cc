#include "algorithms/cost/model.h"

#include <algorithm>
#include <utility>

#include "algorithms/cost/exchange.h"
#include "algorithms/cost/tree.h"
#include "algorithms/patterns/double_binary.h"
#include "algorithms/patterns/shape.h"
#include "algorithms/patterns/tree.h"

namespace strata::algorithms {
namespace {

/// Returns the nearest tree shape and its radix; 0: the algorithm's default.
std::pair<Algorithm, int> nearest_tree_shape(const LevelMethod& method) {
    if (method.algorithm == Algorithm::automatic || info(method.algorithm).tree_shape)
        return {method.algorithm, method.radix};
    switch (method.algorithm) {
        case Algorithm::scatter_allgather_ring:
        case Algorithm::ring:
        case Algorithm::segmented_ring:
        case Algorithm::double_ring: return {Algorithm::pipeline, 0};
        case Algorithm::linear_sync:
        case Algorithm::linear_nb: return {Algorithm::linear, 0};
        default: return {Algorithm::binomial, 0};
    }
}

}  // namespace

CostModel::CostModel(const topology::Hierarchy& hierarchy, const LinkTable& links, int root,
                     std::span<const topology::LevelKey> skipped, const ReducedMachine* reduced)
    : hierarchy_(hierarchy),
      stop_(hierarchy.stop),
      root_(root),
      nic_us_per_byte_(hierarchy.stop.size(), 0),
      skipped_(skipped.begin(), skipped.end()) {
    const std::vector<topology::LevelKey> levels = hierarchy.levels();
    // Custom groups of one level may use different links; the widest one counts.
    link_levels_.resize(levels.size(), {topology::LevelKind::custom, 0});
    groups_.resize(hierarchy.groups.size());
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        const topology::Group& group = hierarchy.groups[g];
        const auto level = std::find(levels.begin(), levels.end(), group.level) - levels.begin();
        groups_[g].level = static_cast<std::size_t>(level);
        topology::LevelKey& widest = link_levels_[groups_[g].level];
        if (link_level(group).kind < widest.kind) widest = link_level(group);
        parent_.push_back(group.parent);
    }
    std::vector<std::size_t> plan_of(levels.size());
    for (std::size_t level = 0; level < levels.size(); ++level) {
        network_.push_back(is_network(link_levels_[level].kind));
        plan_of[level] = levels.size();
        if (std::find(skipped.begin(), skipped.end(), levels[level]) != skipped.end()) continue;
        plan_of[level] = levels_.size();
        used_.push_back(level);
        levels_.push_back(levels[level]);
    }
    for (std::size_t& plan : plan_of) plan = std::min(plan, levels_.size());
    largest_group_.resize(levels_.size(), 0);
    for (GroupView& view : groups_) view.plan = plan_of[view.level];
    for (int g = 0; g < static_cast<int>(groups_.size()); ++g) {
        GroupView& view = groups_[g];
        if (view.plan == levels_.size()) continue;
        const topology::Group& group = hierarchy.groups[g];
        int& largest = largest_group_[view.plan];
        largest = std::max(largest, 1);
        if (group.members.size() < 2) continue;
        view.merged = std::any_of(group.children.begin(), group.children.end(),
                                  [&](int child) { return groups_[child].plan == levels_.size(); });
        for (const int rank : participants(hierarchy, g, root, skipped))
            view.participants.push_back({rank, 0});
        if (view.participants.size() > 1) busy_groups_.push_back(g);
        for (const Participant& one : view.participants) {
            if (reduced != nullptr && reduced->modelled_by[one.rank] >= 0)
                view.representatives.push_back({one.rank, reduced->modelled_by[one.rank]});
        }
        largest = std::max(largest, static_cast<int>(view.participants.size()));
    }
    top_stands_alone_ =
        std::count_if(groups_.begin(), groups_.end(), [](const GroupView& g) { return g.level == 0; }) == 1;
    group_us_per_byte_.resize(groups_.size());
    group_gap_us_.resize(groups_.size());
    group_given_gap_us_.resize(groups_.size());
    group_bus_us_per_byte_.resize(groups_.size());
    links_.resize(levels.size());
    copy_us_per_byte_.resize(levels.size());
    CostModel::set_links(links);
}

void CostModel::set_links(const LinkTable& links) {
    for (std::size_t level = 0; level < links_.size(); ++level) {
        links_[level] = links.at(link_levels_[level]);
        copy_us_per_byte_[level] = algorithms::copy_us_per_byte(links_[level], network_[level]);
    }
    measured_inside_ = hierarchy_.oversubscription <= 1 && sends_inside(hierarchy_, links);
    any_bus_ =
        std::ranges::any_of(links_, [](const LinkParameters& link) { return link.bus_bytes_per_us > 0; });
    for (std::size_t g = 0; g < groups_.size(); ++g) {
        group_bus_us_per_byte_[g] = bus_us_per_byte(links_[groups_[g].level]);
        const topology::Group& group = hierarchy_.groups[g];
        if (group.parent >= 0) {
            const LinkParameters& link = links_[groups_[group.parent].level];
            const bool network = is_network(hierarchy_.groups[group.parent]);
            // A process alone in its part of a node has one transfer at a time, on any link.
            const bool alone = group.members.size() == 1 && !network && measured_inside_;
            group_us_per_byte_[g] = alone ? 1 / link.bytes_per_us : connection_us_per_byte(link);
            group_gap_us_[g] = gap_us(link, network);
            group_given_gap_us_[g] = network ? link.gap_us.value_or(0) : 0;
        }
        const std::size_t level = groups_[g].level;
        for (const int rank : group.direct)
            nic_us_per_byte_[rank] = copy_us_per_byte(level) > 0 ? 0 : 1 / links_[level].bytes_per_us;
    }
    for (const int g : busy_groups_) {
        const double own = 1 / links_[groups_[g].level].bytes_per_us;
        for (Participant& participant : groups_[g].participants) {
            double narrowest = own;
            each_boundary(participant.rank, g,
                          [&](int c) { narrowest = std::max(narrowest, group_us_per_byte_[c]); });
            participant.us_per_byte = narrowest;
        }
    }
    meetings_.clear();
    rounds_.clear();
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

/// Adds the positions from the root on, parents first.
CostModel::Shape& CostModel::order_by_parents(Shape& shape) const {
    shape.order.reserve(shape.children.size());
    shape.order.push_back(0);
    for (std::size_t next = 0; next < shape.order.size(); ++next) {
        for (const int child : shape.children[static_cast<std::size_t>(shape.order[next])])
            shape.order.push_back(child);
    }
    return shape;
}

const CostModel::Shape& CostModel::shape(const LevelMethod& method, std::size_t size, Half half) {
    const auto [algorithm, radix] = nearest_tree_shape(method);
    const ShapeKey key{algorithm, radix, size, half};
    if (last_shape_ != nullptr && last_shape_->first == key) return last_shape_->second;
    const auto [entry, added] = shapes_.try_emplace(key);
    last_shape_ = &*entry;
    Shape& made = entry->second;
    if (!added) return made;
    made.index = ++shape_count_;
    made.children.resize(size);
    const LevelMethod known{algorithm, radix, {}};
    for (std::size_t position = 0; position < size; ++position) {
        made.children[position] =
            shape_links(known, static_cast<int>(position), static_cast<int>(size), half).children;
    }
    return order_by_parents(made);
}

const CostModel::Shape& CostModel::double_binary_shape(int group, Half half) {
    const auto [entry, added] = double_binary_shapes_.try_emplace({group, half});
    Shape& made = entry->second;
    if (!added) return made;
    made.index = ++shape_count_;
    const auto& members = groups_[group].participants;
    std::vector<int> position_of(stop_.size(), -1);
    for (std::size_t position = 0; position < members.size(); ++position)
        position_of[members[position].rank] = static_cast<int>(position);
    made.children.resize(members.size());
    const auto links = double_binary_tree({hierarchy_, skipped_, group, root_}, half);
    for (std::size_t position = 0; position < members.size(); ++position) {
        for (const int child : links[members[position].rank].children)
            made.children[position].push_back(position_of[child]);
    }
    return order_by_parents(made);
}

std::unique_ptr<CostModel> make_cost_model(const topology::Hierarchy& hierarchy, const LinkTable& links,
                                           const Operation& operation,
                                           std::span<const topology::LevelKey> skipped,
                                           const ReducedMachine* reduced) {
    const CollectiveTraits traits = traits_of(operation.collective);
    if (traits.blocks)
        return std::make_unique<ExchangeModel>(hierarchy, links, operation.root, traits, skipped, reduced);
    return std::make_unique<TreeModel>(hierarchy, links, operation.root, traits, skipped, reduced);
}

}  // namespace strata::algorithms
