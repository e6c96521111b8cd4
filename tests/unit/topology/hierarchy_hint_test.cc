#include "topology/hierarchy_hint.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace strata::topology::hierarchy_hint_test {
namespace {

HintItem named(LevelKind kind) {
    HintItem item;
    item.level = LevelPattern{kind, {}};
    return item;
}

HintItem listed(std::vector<std::pair<int, int>> ranks) {
    HintItem item;
    item.ranks = std::move(ranks);
    return item;
}

std::vector<HintLevel> levels_of(const char* text) { return parse_hierarchy_hint(text).levels; }

TEST(HierarchyHint, PlainLevels) {
    const auto levels = levels_of("l3, NUMA ,node,switch1,switch");
    ASSERT_EQ(levels.size(), 5U);
    EXPECT_EQ(levels[0], plain_level({LevelKind::l3, {}}));
    EXPECT_EQ(levels[1], plain_level({LevelKind::numa, {}}));
    EXPECT_EQ(levels[2], plain_level({LevelKind::node, {}}));
    EXPECT_EQ(levels[3], plain_level({LevelKind::switch_, 1}));
    EXPECT_EQ(levels[4], plain_level({LevelKind::switch_, {}}));
    for (const HintLevel& level : levels) EXPECT_TRUE(level.plain());
}

TEST(HierarchyHint, EveryLevelAndItsOtherNames) {
    for (int i = static_cast<int>(LevelKind::switch_); i <= static_cast<int>(LevelKind::pu); ++i) {
        const auto kind = static_cast<LevelKind>(i);
        const std::string name(name_of(kind));
        EXPECT_EQ(levels_of(name.c_str()), std::vector<HintLevel>{plain_level({kind, {}})}) << name;
    }
    const std::pair<const char*, LevelKind> others[] = {
        {"socket", LevelKind::package}, {"Flat", LevelKind::node},   {"machine", LevelKind::node},
        {"l3cache", LevelKind::l3},     {"l2cache", LevelKind::l2},  {"l1cache", LevelKind::l1},
        {"hwthread", LevelKind::pu},    {"hwThread", LevelKind::pu}, {"thread", LevelKind::pu}};
    for (const auto& [name, kind] : others) {
        EXPECT_EQ(levels_of(name), std::vector<HintLevel>{plain_level({kind, {}})}) << name;
    }
}

TEST(HierarchyHint, NoneHasNoLevels) {
    EXPECT_TRUE(levels_of("none").empty());
    EXPECT_TRUE(levels_of(" None ").empty());
}

TEST(HierarchyHint, Modifiers) {
    HintItem pieces = named(LevelKind::numa);
    pieces.pieces = 2;
    HintItem most = named(LevelKind::package);
    most.most = 10;
    const auto levels = levels_of("numa:2, socket ? 10");
    EXPECT_EQ(levels, (std::vector<HintLevel>{{{pieces}}, {{most}}}));
    EXPECT_FALSE(levels[0].plain());
    EXPECT_FALSE(levels[1].plain());
    // One piece is the object itself, and repeating the only item changes nothing.
    EXPECT_TRUE(levels_of("numa:1")[0].plain());
    EXPECT_TRUE(levels_of("numa*")[0].plain());
}

TEST(HierarchyHint, Combinations) {
    HintItem repeated = named(LevelKind::package);
    repeated.repeat = true;
    HintItem halves = named(LevelKind::package);
    halves.pieces = 2;
    EXPECT_EQ(levels_of("socket*+socket:2"), (std::vector<HintLevel>{{{repeated, halves}}}));
    EXPECT_EQ(levels_of("socket + socket:2"),
              (std::vector<HintLevel>{{{named(LevelKind::package), halves}}}));
    EXPECT_FALSE(levels_of("numa+numa")[0].plain());
    halves.repeat = true;
    EXPECT_EQ(levels_of("socket:2*"), (std::vector<HintLevel>{{{halves}}}));
    EXPECT_EQ(levels_of("socket*:2"), (std::vector<HintLevel>{{{halves}}}));
}

TEST(HierarchyHint, RankLists) {
    EXPECT_EQ(levels_of("[0..9]+[10..24]"),
              (std::vector<HintLevel>{{{listed({{0, 9}}), listed({{10, 24}})}}}));
    EXPECT_EQ(levels_of("[ 3, 0..1 ,7 .. 9 ]"),
              (std::vector<HintLevel>{{{listed({{3, 3}, {0, 1}, {7, 9}})}}}));
    HintItem blocks = listed({{0, 2147483647}});
    blocks.most = 4;
    EXPECT_EQ(levels_of("[0..2147483647]?4,node"),
              (std::vector<HintLevel>{{{blocks}}, plain_level({LevelKind::node, {}})}));
    const auto mixed = levels_of("[0..39]+numa,socket");
    EXPECT_EQ(mixed, (std::vector<HintLevel>{{{listed({{0, 39}}), named(LevelKind::numa)}},
                                             plain_level({LevelKind::package, {}})}));
    EXPECT_FALSE(levels_of("[0]")[0].plain());
}

std::string error_of(const std::string& text) {
    try {
        parse_hierarchy_hint(text);
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "accepted";
}

TEST(HierarchyHint, ErrorsNameTheItemAndWhatIsAllowed) {
    const std::string known =
        "; known: switch, switch0, node (flat, machine), package (socket), die, group, numa, l3 (l3cache), "
        "l2 (l2cache), l1 (l1cache), core, pu (hwthread, thread), or a list of ranks such as [0..9,12]";
    const std::string list = " is neither a rank (from 0) nor a range of ranks; write [0..9,12]";
    const std::pair<const char*, std::string> cases[] = {
        {"", "'': a level is missing" + known},
        {"numa,", "'': a level is missing" + known},
        {"node,,numa", "'': a level is missing" + known},
        {"numa+", "'': a level is missing" + known},
        {":2", "':2': a level is missing" + known},
        {"l3,nuna:2", "'nuna:2': unknown level 'nuna'" + known},
        {"cluster", "'cluster': unknown level 'cluster'" + known},
        {"custom0", "'custom0': unknown level 'custom0'" + known},
        {"custom", "'custom': unknown level 'custom'" + known},
        {"switch256", "'switch256': unknown level 'switch256'" + known},
        {"0..3]", "'0..3]': unknown level '0..3]'" + known},
        {"numa [0..3]", "'numa [0..3]': unknown level 'numa [0..3]'" + known},
        {"numa,none", "'none': 'none' cannot be combined"},
        {"numa:", "'numa:': ':' needs a number from 1, not ''"},
        {"numa:0", "'numa:0': ':' needs a number from 1, not '0'"},
        {"numa:-2", "'numa:-2': ':' needs a number from 1, not '-2'"},
        {"numa:two", "'numa:two': ':' needs a number from 1, not 'two'"},
        {"numa?", "'numa?': '?' needs a number from 1, not ''"},
        {"numa?0", "'numa?0': '?' needs a number from 1, not '0'"},
        {"numa?9999999999", "'numa?9999999999': '?' needs a number from 1, not '9999999999'"},
        {"numa:2?4", "'numa:2?4': only one of :n and ?n is possible"},
        {"numa:1:1", "'numa:1:1': only one of :n and ?n is possible"},
        {"numa*2", "'numa*2': '*' may be followed by :n or ?n only"},
        {"socket*+numa*", "'socket*+numa*': only one item of a level can repeat ('*')"},
        {"[0..3]*", "'[0..3]*': a list of ranks cannot repeat; '*' follows the name of a level"},
        {"numa,[0..3", "'[0..3': ']' is missing"},
        {"[0..3]numa", "'[0..3]numa': ']' may be followed by :n or ?n only"},
        {"[]", "'[]': ''" + list},
        {"[0,,2]", "'[0,,2]': ''" + list},
        {"[0-3]", "'[0-3]': '0-3'" + list},
        {"[-1]", "'[-1]': '-1'" + list},
        {"[0..]", "'[0..]': '0..'" + list},
        {"[..3]", "'[..3]': '..3'" + list},
        {"[0..2..4]", "'[0..2..4]': '0..2..4'" + list},
        {"[a]", "'[a]': 'a'" + list},
        {"[2147483648]", "'[2147483648]': '2147483648'" + list},
        {"[5,3..1]", "'[5,3..1]': '3..1' runs backwards"},
    };
    for (const auto& [text, error] : cases) EXPECT_EQ(error_of(text), error) << text;
}

TEST(HierarchyHint, CustomLevelsAreNumberedInOneByte) {
    std::string text = "numa:2";
    for (int i = 1; i < 256; ++i) text += ",numa:2";
    EXPECT_EQ(parse_hierarchy_hint(text + ",node").levels.size(), 257U);
    EXPECT_EQ(error_of(text + ",node:3"), "'node:3': at most 256 levels may have lists, modifiers or '+'");
}

}  // namespace
}  // namespace strata::topology::hierarchy_hint_test
