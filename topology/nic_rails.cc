#include "topology/nic_rails.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace strata::topology {
namespace {

using NodeRanks = std::map<std::uint64_t, std::vector<int>>;  // node -> ranks

/// node -> the leaders of its NICs.
NodeRanks leaders_by_node(const Hierarchy& hierarchy, std::span<const LocalityRecord> records,
                          const Election& election) {
    NodeRanks nodes;
    for (const int rank : nic_leaders(hierarchy, records, 0, election)) {
        nodes[records[static_cast<std::size_t>(rank)].node_id].push_back(rank);
    }
    return nodes;
}

/// Assigns the ranks of every node to the rails in the order of their NICs, so that ranks near one NIC
/// share a rail. Nodes with fewer ranks than rails start at different rails.
std::vector<int> assign_rails(std::span<const LocalityRecord> records, NicUse use, int rails) {
    NodeRanks nodes;
    std::vector<std::uint64_t> order;  // by lowest rank
    for (std::size_t rank = 0; rank < records.size(); ++rank) {
        std::vector<int>& ranks = nodes[records[rank].node_id];
        if (ranks.empty()) order.push_back(records[rank].node_id);
        ranks.push_back(static_cast<int>(rank));
    }
    std::vector<int> rail_of(records.size(), 0);
    int turn = 0;
    for (const std::uint64_t node : order) {
        std::vector<int>& ranks = nodes[node];
        std::stable_sort(ranks.begin(), ranks.end(), [&](int a, int b) {
            return records[static_cast<std::size_t>(a)].near(use).nic <
                   records[static_cast<std::size_t>(b)].near(use).nic;
        });
        const auto count = static_cast<int>(ranks.size());
        const int first = count < rails ? turn : 0;
        for (int i = 0; i < count; ++i) {
            rail_of[static_cast<std::size_t>(ranks[static_cast<std::size_t>(i)])] =
                (first + (count < rails ? i : i * rails / count)) % rails;
        }
        turn += count < rails ? count : 0;
    }
    return rail_of;
}

}  // namespace

NicRails nic_rails(const Hierarchy& hierarchy, std::span<const LocalityRecord> records,
                   const Election& election) {
    const NodeRanks nodes = leaders_by_node(hierarchy, records, election);
    std::size_t nics = 1;
    for (const auto& [node, leaders] : nodes) nics = std::max(nics, leaders.size());
    const auto count = std::min<std::size_t>(nics, most_nic_rails);
    NicRails rails;
    if (count < 2 || nodes.size() < 2) return rails;
    for (std::size_t rail = 0; rail < count; ++rail) {
        std::vector<bool> first(records.size(), false);
        for (const auto& [node, leaders] : nodes) {
            first[static_cast<std::size_t>(leaders[rail % leaders.size()])] = true;
        }
        elect_leaders(rails.trees.emplace_back(hierarchy), records, election, first);
    }
    rails.of_rank = assign_rails(records, election.use, static_cast<int>(count));
    return rails;
}

}  // namespace strata::topology
