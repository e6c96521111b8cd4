#include "machines.h"

#include <functional>

#include "many_ranks.h"
#include "random_shapes.h"

namespace strata::reference {
namespace {

using topology::LocalityRecord;
using Records = std::vector<LocalityRecord>;

constexpr int irregular_machines = 24;

/// The first half of every node's cores is two levels from the NIC.
void set_distances(Records& records, const bench::ManyRanks& machine) {
    for (std::size_t rank = 0; rank < records.size(); ++rank) {
        const bool far = static_cast<int>(rank) % machine.per_node() < machine.per_node() / 2;
        records[rank].nics.fill({static_cast<std::uint8_t>(far ? 2 : 0), 0});
    }
}

void set_processors(Records& records, int processors) {
    for (LocalityRecord& record : records) record.processors = topology::ProcessorCount::of(processors);
}

}  // namespace

std::vector<NamedMachine> machines() {
    std::vector<NamedMachine> all;
    const auto add = [&](const char* name, const bench::ManyRanks& machine, bool cyclic,
                         const std::function<void(Records&)>& change = {}) {
        Records records = bench::records_of(machine, cyclic);
        if (change) change(records);
        all.push_back({name, topology::build_hierarchy(records)});
    };
    const auto shuffled = [](Records& records) {
        testing::Random random(1);
        testing::shuffle(random, records);
    };
    const bench::ManyRanks node{1, 1, 2, 4}, small{1, 4, 2, 2}, wide{1, 4, 2, 8}, sites{2, 2, 1, 4},
        middle{2, 8, 2, 4}, large{4, 16, 2, 8};
    add("node-8", node, false);
    add("node-8-shared-processors", node, false, [](Records& records) { set_processors(records, 4); });
    add("node-64", {1, 1, 4, 16}, false);
    add("4x4-block", small, false);
    add("4x4-cyclic", small, true);
    add("4x4-nic", small, false, [&](Records& records) { set_distances(records, small); });
    add("4x4-shared-processors", small, false, [](Records& records) { set_processors(records, 2); });
    add("4x16-block", wide, false);
    add("4x16-nic", wide, false, [&](Records& records) { set_distances(records, wide); });
    add("2x2x4-block", sites, false);
    add("2x2x4-cyclic", sites, true);
    add("2x8x8-block", middle, false);
    add("2x8x8-cyclic", middle, true);
    add("2x8x8-shuffled", middle, false, shuffled);
    add("4x16x16-block", large, false);
    for (int seed = 1; seed <= irregular_machines; ++seed) {
        testing::Random random(static_cast<std::uint64_t>(seed));
        all.push_back({"irregular-" + std::to_string(seed), testing::random_hierarchy(random, {48, 6})});
    }
    return all;
}

}  // namespace strata::reference
