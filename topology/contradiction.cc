#include "topology/contradiction.h"

#include <unordered_map>
#include <vector>

namespace strata::topology {

std::optional<NetworkContradiction> find_contradiction(std::span<const LocalityRecord> records) {
    constexpr std::int64_t top = -1;
    struct Place {
        std::int64_t above;  // switch id, or top
        int witness;
    };
    std::unordered_map<std::uint32_t, Place> switches;
    std::unordered_map<std::uint64_t, int> nodes;  // -> the first rank there with a path
    for (int rank = 0; rank < static_cast<int>(records.size()); ++rank) {
        const LocalityRecord& record = records[static_cast<std::size_t>(rank)];
        if (record.network_path.empty()) continue;
        const auto [node, added] = nodes.try_emplace(record.node_id, rank);
        if (!added) {
            if (records[static_cast<std::size_t>(node->second)].network_path == record.network_path) continue;
            return NetworkContradiction{LevelKind::node, record.node_id, node->second, rank};
        }
        std::int64_t above = top;
        for (const std::uint32_t id : record.network_path) {
            const auto [place, is_new] = switches.try_emplace(id, Place{above, rank});
            if (!is_new && place->second.above != above) {
                return NetworkContradiction{LevelKind::switch_, id, place->second.witness, rank};
            }
            above = id;
        }
    }
    return std::nullopt;
}

}  // namespace strata::topology
