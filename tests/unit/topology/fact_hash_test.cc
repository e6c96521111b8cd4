#include "topology/fact_hash.h"

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "records.h"
#include "topology/hierarchy.h"

namespace strata::topology::fact_hash_test {
namespace {

Hierarchy two_nodes() {
    const Machine machine = Machine::load("synthetic:package:2 core:4 pu:1");
    std::vector<LocalityRecord> records;
    for (const char* node : {"a", "b"}) {
        for (const char* cores : {"0", "1", "4", "5"}) {
            records.push_back(testing::record_on(machine, node, cores));
        }
    }
    return build_hierarchy(records);
}

TEST(FactHash, EqualFactsHaveEqualHashes) { EXPECT_EQ(hash_of(two_nodes()), hash_of(two_nodes())); }

/// Every fact that changes messages or plans.
TEST(FactHash, DetectsEveryChangeOfAHierarchy) {
    const std::vector<std::function<void(Hierarchy&)>> changes = {
        [](Hierarchy&) {},
        [](Hierarchy& h) { h.groups[1].leader = h.groups[1].members.back(); },
        [](Hierarchy& h) { h.groups[0].leader = 7; },
        [](Hierarchy& h) {
            h.groups[1].level = {LevelKind::switch_, 0};
        },
        [](Hierarchy& h) {
            h.groups[1].level = {LevelKind::switch_, 1};
        },
        [](Hierarchy& h) { h.groups[1].object ^= 1; },
        [](Hierarchy& h) { h.groups[2].parent = 1; },
        [](Hierarchy& h) {
            h.groups[2].around = {LevelKind::package, 0};
        },
        [](Hierarchy& h) { std::swap(h.stop.front(), h.stop.back()); },
        [](Hierarchy& h) { h.groups.pop_back(); },
        [](Hierarchy& h) {
            h.topology_order.assign({1, 0, 2, 3, 4, 5, 6, 7});
        },
        [](Hierarchy& h) { h.topology_order_nodes.push_back(9); },
        [](Hierarchy& h) {
            h.receivers.assign({0, 0, 0, 0, 4, 4, 4, 4});
        },
        [](Hierarchy& h) { h.oversubscription += 1e-15; },
    };
    std::set<std::uint64_t> seen;
    for (const auto& change : changes) {
        Hierarchy hierarchy = two_nodes();
        change(hierarchy);
        EXPECT_TRUE(seen.insert(hash_of(hierarchy)).second) << "change " << seen.size();
    }
}

TEST(FactHash, KnowsWhereOneListEndsAndTheNextBegins) {
    const auto hash = [](const std::vector<int>& a, const std::vector<int>& b) {
        return FactHash().add(a).add(b).value();
    };
    EXPECT_NE(hash({1}, {2, 3}), hash({1, 2}, {3}));
    EXPECT_NE(hash({}, {0}), hash({0}, {}));
    EXPECT_NE(FactHash().add(std::string_view("ab")).add(std::string_view("c")).value(),
              FactHash().add(std::string_view("a")).add(std::string_view("bc")).value());
}

TEST(FactHash, NumbersThatDifferInOneBitAreFarApart) {
    std::set<std::uint64_t> lower, upper;
    for (int bit = 0; bit < 64; ++bit) {
        const std::uint64_t hash = FactHash().add(std::uint64_t{1} << bit).value();
        lower.insert(hash & 0xFFFF);
        upper.insert(hash >> 48);
    }
    EXPECT_GT(lower.size(), 50U);
    EXPECT_GT(upper.size(), 50U);
}

}  // namespace
}  // namespace strata::topology::fact_hash_test
