#include "many_ranks.h"

namespace bench {

std::vector<strata::topology::LocalityRecord> records_of(const ManyRanks& machine, bool cyclic) {
    using strata::topology::LevelKind;
    std::vector<strata::topology::LocalityRecord> records(static_cast<std::size_t>(machine.all()));
    for (int rank = 0; rank < machine.all(); ++rank) {
        const int node = cyclic ? rank % machine.all_nodes() : rank / machine.per_node();
        const int place = cyclic ? rank / machine.all_nodes() : rank % machine.per_node();
        strata::topology::LocalityRecord& record = records[static_cast<std::size_t>(rank)];
        record.node_id = static_cast<std::uint64_t>(node) + 1;
        record.network_path = {1, static_cast<std::uint32_t>(2 + node / machine.nodes)};
        const auto add = [&](LevelKind kind, int index) {
            record.hardware_path.push_back({static_cast<std::uint16_t>(1U << static_cast<unsigned>(kind)),
                                            static_cast<std::uint16_t>(index)});
        };
        if (machine.packages > 1) add(LevelKind::package, place / machine.ranks);
        add(LevelKind::core, place);
    }
    return records;
}

}  // namespace bench
