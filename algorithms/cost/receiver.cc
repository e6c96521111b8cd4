#include "algorithms/cost/receiver.h"

#include <algorithm>

#include "algorithms/cost/links.h"

namespace strata::algorithms {
namespace {

// The receiver holds all blocks that pass through it: a bound on its memory.
constexpr std::size_t most_foreign_bytes = std::size_t{256} << 20;

/// Returns true for Gather, Reduce and Bcast, without reductions whose order must not depend on NICs.
bool may_have_receiver(const Operation& operation) {
    const CollectiveTraits traits = traits_of(operation.collective);
    return traits.rooted && traits.sized && (traits.up || !traits.blocks) &&
           !(traits.combines && (operation.rank_order || operation.reproducible));
}

}  // namespace

topology::LevelKey receiver_level(const topology::Hierarchy& hierarchy, int root,
                                  const std::vector<LevelPlan>& levels) {
    int group = hierarchy.lowest_common_group(root, hierarchy.receiver_of(root));
    const auto planned = [&](const LevelPlan& plan) { return plan.level == hierarchy.groups[group].level; };
    while (std::none_of(levels.begin(), levels.end(), planned)) group = hierarchy.groups[group].parent;
    return hierarchy.groups[group].level;
}

ReceiverCost receiver_cost(const topology::Hierarchy& hierarchy, const LinkTable& links,
                           const Operation& operation, std::size_t segment_bytes) {
    const int root = operation.root;
    const int receiver = hierarchy.receiver_of(root);
    if (!may_have_receiver(operation) || receiver == root) return {};
    const topology::Group& node = hierarchy.groups[hierarchy.widest_in_node(root)];
    if (node.parent < 0) return {};
    const auto ranks = static_cast<std::size_t>(hierarchy.ranks());
    const bool blocks = traits_of(operation.collective).blocks;
    const std::size_t block = blocks ? operation.bytes / ranks : 0;
    const std::size_t foreign = blocks ? block * (ranks - node.members.size()) : operation.bytes;
    if (foreign == 0) return {};
    const auto bytes = static_cast<double>(foreign);
    const LinkParameters nic = links.at(link_level(hierarchy.groups[node.parent]));
    const LinkParameters hop =
        links.at(link_level(hierarchy.groups[hierarchy.lowest_common_group(root, receiver)]));
    const std::size_t segment = segment_bytes == 0 ? foreign : std::min(segment_bytes, foreign);
    // The last blocks of other nodes arrive side by side and leave one after the other.
    const std::size_t side_by_side = blocks ? foreign / node.members.size() : 0;
    const std::size_t last = std::max(segment, side_by_side - std::min(side_by_side, block));
    const double wire_us = bytes * connection_us_per_byte(nic);
    // Data in flight does not wait; the path behind the NIC slows down what follows.
    const double long_us = std::max(0.0, wire_us - nic.latency_us - 2 * nic.overhead_us);
    const double slower_us = std::max(0.0, bytes / hop.bytes_per_us - wire_us);
    const double share = traits_of(operation.collective).up ? nic.far_share : nic.far_send_share;
    return {!blocks || foreign <= most_foreign_bytes, share * long_us,
            hop.latency_us + 2 * hop.overhead_us + handshake_us(hop, segment) +
                static_cast<double>(last) / hop.bytes_per_us + slower_us};
}

ReceiverCost receiver_cost(const topology::Hierarchy& hierarchy, const LinkTable& links,
                           const Operation& operation, const std::vector<LevelPlan>& levels) {
    if (hierarchy.receiver_of(operation.root) == operation.root) return {};
    // Trees over all ranks count the paths to all far ranks, the root's too (TreeModel).
    const topology::LevelKey node = hierarchy.groups[hierarchy.widest_in_node(operation.root)].level;
    if (std::none_of(levels.begin(), levels.end(), [&](const LevelPlan& own) { return own.level == node; }))
        return {};
    const auto level = receiver_level(hierarchy, operation.root, levels);
    const auto segment =
        std::find_if(levels.begin(), levels.end(), [&](const LevelPlan& own) { return own.level == level; });
    return receiver_cost(hierarchy, links, operation, segment->segment_bytes);
}

double receiving_us(const topology::Hierarchy& hierarchy, const LinkTable& links, const Operation& operation,
                    const std::vector<LevelPlan>& levels, bool nic_local) {
    const ReceiverCost cost = receiver_cost(hierarchy, links, operation, levels);
    return nic_local ? cost.hop_us : cost.far_us;
}

}  // namespace strata::algorithms
