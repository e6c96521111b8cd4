#include "topology/card_lanes.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace strata::topology {
namespace {

using NodeRanks = std::map<std::uint64_t, std::vector<int>>;  // node -> ranks

/// node -> the leaders of its cards.
NodeRanks leaders_by_node(const Hierarchy& hierarchy, std::span<const LocalityRecord> records,
                          const Election& election) {
    NodeRanks nodes;
    for (const int rank : card_leaders(hierarchy, records, 0, election)) {
        nodes[records[static_cast<std::size_t>(rank)].node_id].push_back(rank);
    }
    return nodes;
}

/// Deals the ranks of every node out to the lanes, those near one card side by side. Nodes with few ranks
/// begin with different lanes.
std::vector<int> deal(std::span<const LocalityRecord> records, CardUse use, int lanes) {
    NodeRanks nodes;
    std::vector<std::uint64_t> order;  // by lowest rank
    for (std::size_t rank = 0; rank < records.size(); ++rank) {
        std::vector<int>& ranks = nodes[records[rank].node_id];
        if (ranks.empty()) order.push_back(records[rank].node_id);
        ranks.push_back(static_cast<int>(rank));
    }
    std::vector<int> lane_of(records.size(), 0);
    int turn = 0;
    for (const std::uint64_t node : order) {
        std::vector<int>& ranks = nodes[node];
        std::stable_sort(ranks.begin(), ranks.end(), [&](int a, int b) {
            return records[static_cast<std::size_t>(a)].near(use).card <
                   records[static_cast<std::size_t>(b)].near(use).card;
        });
        const auto count = static_cast<int>(ranks.size());
        const int first = count < lanes ? turn : 0;
        for (int i = 0; i < count; ++i) {
            lane_of[static_cast<std::size_t>(ranks[static_cast<std::size_t>(i)])] =
                (first + (count < lanes ? i : i * lanes / count)) % lanes;
        }
        turn += count < lanes ? count : 0;
    }
    return lane_of;
}

}  // namespace

CardLanes card_lanes(const Hierarchy& hierarchy, std::span<const LocalityRecord> records,
                     const Election& election) {
    const NodeRanks nodes = leaders_by_node(hierarchy, records, election);
    std::size_t cards = 1;
    for (const auto& [node, leaders] : nodes) cards = std::max(cards, leaders.size());
    const auto count = std::min<std::size_t>(cards, most_card_lanes);
    CardLanes lanes;
    if (count < 2 || nodes.size() < 2) return lanes;
    for (std::size_t lane = 0; lane < count; ++lane) {
        std::vector<bool> first(records.size(), false);
        for (const auto& [node, leaders] : nodes) {
            first[static_cast<std::size_t>(leaders[lane % leaders.size()])] = true;
        }
        elect_leaders(lanes.trees.emplace_back(hierarchy), records, election, first);
    }
    lanes.of_rank = deal(records, election.use, static_cast<int>(count));
    return lanes;
}

}  // namespace strata::topology
