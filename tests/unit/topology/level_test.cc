#include "topology/level.h"

#include <gtest/gtest.h>

namespace strata::topology::level_test {
namespace {

TEST(Level, EveryNameIsReadBack) {
    for (int i = 0; i < level_kind_count; ++i) {
        const auto kind = static_cast<LevelKind>(i);
        const auto pattern = parse_level(name_of(kind));
        ASSERT_TRUE(pattern) << name_of(kind);
        EXPECT_EQ(pattern->kind, kind);
        EXPECT_FALSE(pattern->height);
    }
}

TEST(Level, SwitchesCarryTheirHeight) {
    EXPECT_EQ(name_of(LevelKey{LevelKind::switch_, 2}), "switch2");
    EXPECT_EQ(name_of(LevelKey{LevelKind::numa, 0}), "numa");
    EXPECT_EQ(parse_level("Switch2"), (LevelPattern{LevelKind::switch_, 2}));
    EXPECT_EQ(parse_level("switch255"), (LevelPattern{LevelKind::switch_, 255}));
    EXPECT_TRUE(parse_level("switch")->matches({LevelKind::switch_, 7}));
    EXPECT_TRUE(parse_level("switch0")->matches({LevelKind::switch_, 0}));
    EXPECT_FALSE(parse_level("switch0")->matches({LevelKind::switch_, 1}));
    EXPECT_FALSE(parse_level("node")->matches({LevelKind::numa, 0}));
}

TEST(Level, CustomLevelsCarryTheirPosition) {
    EXPECT_EQ(name_of(LevelKind::custom), "custom");
    EXPECT_EQ(name_of(LevelKey{LevelKind::custom, 0}), "custom0");
    EXPECT_EQ(parse_level("custom255"), (LevelPattern{LevelKind::custom, 255}));
    EXPECT_EQ(parse_level("Custom"), (LevelPattern{LevelKind::custom, {}}));
    EXPECT_TRUE(parse_level("custom1")->matches({LevelKind::custom, 1}));
    EXPECT_FALSE(parse_level("custom1")->matches({LevelKind::custom, 0}));
    EXPECT_FALSE(parse_level("custom1")->matches({LevelKind::switch_, 1}));
}

TEST(Level, CaseIsIgnored) { EXPECT_EQ(parse_level("NUMA"), (LevelPattern{LevelKind::numa, {}})); }

TEST(Level, UnknownNamesAreRefused) {
    for (const char* name :
         {"", "nodes", "l4", "switch256", "switch-1", "switch01", "switch1x", "node1", " node",
          "switch99999999999999999999", "custom256", "custom00", "custom0 ", "customs"}) {
        EXPECT_FALSE(parse_level(name)) << name;
    }
}

TEST(Level, ListOfNamesIsComplete) {
    EXPECT_EQ(known_level_names(),
              "cluster, switch, node, package, die, group, numa, l3, l2, l1, core, pu, custom");
}

}  // namespace
}  // namespace strata::topology::level_test
