#include "topology/contradiction.h"

#include <gtest/gtest.h>

#include <ctime>
#include <string>
#include <vector>

namespace strata::topology::contradiction_test {
namespace {

LocalityRecord record(const std::string& node, std::vector<std::uint32_t> switches) {
    LocalityRecord result;
    result.node_id = stable_hash(node);
    result.network_path = std::move(switches);
    return result;
}

using Records = std::vector<LocalityRecord>;
using Found = NetworkContradiction;

TEST(Contradiction, TreesHaveNone) {
    EXPECT_EQ(find_contradiction({}), std::nullopt);
    EXPECT_EQ(find_contradiction(Records{record("a", {})}), std::nullopt);
    EXPECT_EQ(find_contradiction(Records{record("a", {1, 2}), record("b", {1, 3}), record("a", {1, 2}),
                                         record("c", {1}), record("d", {4}), record("b", {1, 3})}),
              std::nullopt);
}

TEST(Contradiction, NothingKnownContradictsNothing) {
    EXPECT_EQ(find_contradiction(Records{record("a", {}), record("a", {1, 2}), record("a", {}),
                                         record("b", {}), record("c", {1, 2})}),
              std::nullopt);
}

TEST(Contradiction, SwitchBelowTwoOthers) {
    EXPECT_EQ(find_contradiction(Records{record("a", {1, 5}), record("b", {2, 6}), record("c", {1, 6})}),
              (Found{LevelKind::switch_, 6, 1, 2}));
    EXPECT_EQ(find_contradiction(Records{record("x", {}), record("a", {0, 7, 5}), record("b", {0, 8, 5})}),
              (Found{LevelKind::switch_, 5, 1, 2}));
}

TEST(Contradiction, SwitchAtTheTopAndBelowAnother) {
    EXPECT_EQ(find_contradiction(Records{record("a", {1, 2}), record("b", {2})}),
              (Found{LevelKind::switch_, 2, 0, 1}));
    EXPECT_EQ(find_contradiction(Records{record("a", {0}), record("b", {1, 0})}),
              (Found{LevelKind::switch_, 0, 0, 1}));
}

TEST(Contradiction, SwitchesAboveEachOther) {
    EXPECT_EQ(find_contradiction(Records{record("a", {3, 1, 2}), record("b", {3, 2, 1})}),
              (Found{LevelKind::switch_, 2, 0, 1}));
    EXPECT_EQ(find_contradiction(Records{record("a", {1, 2, 1})}), (Found{LevelKind::switch_, 1, 0, 0}));
}

TEST(Contradiction, NodeInTwoPlaces) {
    EXPECT_EQ(
        find_contradiction(Records{record("a", {}), record("a", {1}), record("b", {2}), record("a", {2})}),
        (Found{LevelKind::node, stable_hash("a"), 1, 3}));
    EXPECT_EQ(find_contradiction(Records{record("a", {1, 2}), record("a", {1})}),
              (Found{LevelKind::node, stable_hash("a"), 0, 1}));
}

TEST(Contradiction, TheFirstWitnessesAreNamed) {
    EXPECT_EQ(find_contradiction(Records{record("a", {1, 5}), record("b", {1, 5}), record("c", {2, 5}),
                                         record("d", {3, 5}), record("a", {9})}),
              (Found{LevelKind::switch_, 5, 0, 2}));
}

TEST(Contradiction, AMillionRanksTakeLessThanTwoSeconds) {
    Records records;
    for (std::uint32_t rank = 0; rank < 1000000; ++rank) {
        const std::uint32_t node = rank / 64;
        records.push_back(record(std::to_string(node), {0, 1 + node / 512, 1000 + node / 16}));
    }
    const std::clock_t start = std::clock();  // of the processor: the machine may be busy
    EXPECT_EQ(find_contradiction(records), std::nullopt);
    EXPECT_LT(std::clock() - start, 2 * CLOCKS_PER_SEC);
    records.back().node_id = stable_hash("0");
    EXPECT_EQ(find_contradiction(records), (Found{LevelKind::node, stable_hash("0"), 0, 999999}));
}

}  // namespace
}  // namespace strata::topology::contradiction_test
