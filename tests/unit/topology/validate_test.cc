#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "records.h"
#include "topology/hierarchy.h"

namespace strata::topology::validate_test {
namespace {

/// One switch over two leaf switches of four ranks each, packages below these; rank 8 stops at the top.
Hierarchy sound() {
    const Machine machine = Machine::load("synthetic:package:2 core:4 pu:1");
    std::vector<LocalityRecord> records;
    for (int rank = 0; rank < 8; ++rank) {
        const int node = rank / 2;
        records.push_back(testing::record_on(machine, "n" + std::to_string(node),
                                             std::to_string(4 * (rank % 2)),
                                             {7, static_cast<std::uint32_t>(node / 2)}));
    }
    records.push_back(testing::record_on(machine, "far", "", {7}));
    // Without the node level the rank of the far node, which is unbound, stops at the top.
    HierarchySpec spec;
    spec.hint.emplace();
    for (const char* name : {"switch", "package"})
        spec.hint->levels.push_back(plain_level(*parse_level(name)));
    return build_hierarchy(records, spec);
}

/// Ranks 0 to 7 of two nodes; a list of ranks 1 to 6 cuts both, and two more lists are inside the first.
Hierarchy with_custom_groups() {
    const Machine machine = Machine::load("synthetic:package:2 core:4 pu:1");
    std::vector<LocalityRecord> records;
    for (int rank = 0; rank < 8; ++rank) {
        records.push_back(testing::record_on(machine, "n" + std::to_string(rank / 4), ""));
    }
    HierarchySpec spec;
    spec.hint = parse_hierarchy_hint("[2],[2..3],node,[1..6]");
    return build_hierarchy(records, spec);
}

struct Damage {
    const char* name;
    const char* expected;
    std::function<void(Hierarchy&)> apply;
};

std::size_t child(const Hierarchy& h, std::size_t group, std::size_t i) {
    return static_cast<std::size_t>(h.groups[group].children.at(i));
}

const std::vector<Damage>& damages() {
    static const std::vector<Damage> list = {
        {"no rank", "there is no rank", [](Hierarchy& h) { h.stop.clear(); }},
        {"no group", "there is no group", [](Hierarchy& h) { h.groups.clear(); }},
        {"top has a parent", "the top has a parent", [](Hierarchy& h) { h.groups[0].parent = 1; }},
        {"top has a depth", "the top has depth 1", [](Hierarchy& h) { h.groups[0].depth = 1; }},
        {"top is custom", "the top is a custom group",
         [](Hierarchy& h) {
             h.groups[0].level = {LevelKind::custom, 0};
         }},
        {"top lacks a rank", "the top does not hold every rank",
         [](Hierarchy& h) { h.groups[0].members.pop_back(); }},
        {"top has a wrong rank", "the top does not hold every rank",
         [](Hierarchy& h) { h.groups[0].members[3] = 2; }},
        {"no members", "no members", [](Hierarchy& h) { h.groups.back().members.clear(); }},
        {"members unsorted", "members are not ascending",
         [](Hierarchy& h) { std::swap(h.groups[1].members[0], h.groups[1].members[1]); }},
        {"member twice", "members are not ascending",
         [](Hierarchy& h) { h.groups[1].members[1] = h.groups[1].members[0]; }},
        {"member out of range", "a member is no rank", [](Hierarchy& h) { h.groups[1].members.back() = 9; }},
        {"member negative", "a member is no rank", [](Hierarchy& h) { h.groups[1].members.front() = -1; }},
        {"foreign leader", "leader 8 is not a member", [](Hierarchy& h) { h.groups[1].leader = 8; }},
        {"no leader", "leader -1 is not a member", [](Hierarchy& h) { h.groups[1].leader = -1; }},
        {"height of a package", "only a switch or custom level has a height",
         [](Hierarchy& h) { h.groups.back().level.height = 1; }},
        {"parent behind", "its parent does not precede it", [](Hierarchy& h) { h.groups[1].parent = 2; }},
        {"orphan", "its parent does not precede it", [](Hierarchy& h) { h.groups[1].parent = -1; }},
        {"wrong depth", "its depth is not its parent's plus one",
         [](Hierarchy& h) { h.groups[2].depth = 2; }},
        {"no split", "it does not split its parent",
         [](Hierarchy& h) { h.groups[1].members = h.groups[0].members; }},
        {"cluster below", "only the top can be the cluster",
         [](Hierarchy& h) {
             h.groups[1].level = {LevelKind::cluster, 0};
         }},
        {"node below node", "level node is below node",
         [](Hierarchy& h) {
             h.groups[1].level = {LevelKind::node, 0};
             h.groups[child(h, 1, 0)].level = {LevelKind::node, 0};
         }},
        {"switch below package", "level switch0 is below package",
         [](Hierarchy& h) {
             h.groups[0].level = {LevelKind::package, 0};
         }},
        {"switch below a lower one", "level switch0 is below switch0",
         [](Hierarchy& h) { h.groups[0].level.height = 0; }},
        {"child missing", "do not make up the members",
         [](Hierarchy& h) { h.groups[0].children.pop_back(); }},
        {"child out of range", "is no later group", [](Hierarchy& h) { h.groups[0].children[0] = 99; }},
        {"child of another", "has another parent",
         [](Hierarchy& h) { h.groups[0].children[0] = h.groups[1].children[0]; }},
        {"children unsorted", "children are not ordered by lowest member",
         [](Hierarchy& h) { std::swap(h.groups[0].children[0], h.groups[0].children[1]); }},
        {"child twice", "children are not ordered by lowest member",
         [](Hierarchy& h) { h.groups[0].children.push_back(h.groups[0].children.back()); }},
        {"direct unsorted", "direct ranks are not ascending",
         [](Hierarchy& h) {
             h.groups[0].direct = {8, 7};
         }},
        {"direct rank also in a child", "children and direct ranks overlap",
         [](Hierarchy& h) {
             h.groups[0].direct = {7, 8};
         }},
        {"direct rank forgotten", "do not make up the members",
         [](Hierarchy& h) { h.groups[0].direct.clear(); }},
        {"siblings overlap", "children and direct ranks overlap",
         [](Hierarchy& h) { h.groups[1].members.push_back(h.groups[2].members.back()); }},
        {"stop is no group", "its stop is no group", [](Hierarchy& h) { h.stop[0] = 99; }},
        {"stop too high", "its stop is not the deepest group", [](Hierarchy& h) { h.stop[0] = 0; }},
        {"topology order too short", "the topology order does not hold every rank",
         [](Hierarchy& h) { h.topology_order.pop_back(); }},
        {"topology order visits a place twice", "the topology order is no permutation",
         [](Hierarchy& h) { h.topology_order[1] = h.topology_order[0]; }},
        {"topology order leaves its places", "the topology order is no permutation: place 9",
         [](Hierarchy& h) { h.topology_order[0] = 9; }},
        {"topology order with a negative place", "the topology order is no permutation: place -1",
         [](Hierarchy& h) { h.topology_order[0] = -1; }},
        {"topology order too long", "the topology order is no permutation",
         [](Hierarchy& h) { h.topology_order.push_back(0); }},
        {"topology order without nodes", "the topology order does not begin with a node",
         [](Hierarchy& h) { h.topology_order_nodes.clear(); }},
        {"topology order begins outside nodes", "the topology order does not begin with a node",
         [](Hierarchy& h) { h.topology_order_nodes[0] = 1; }},
        {"topology order's nodes unsorted", "the nodes of the topology order are not ascending",
         [](Hierarchy& h) { std::swap(h.topology_order_nodes[1], h.topology_order_nodes[2]); }},
        {"topology order's node twice", "the nodes of the topology order are not ascending",
         [](Hierarchy& h) { h.topology_order_nodes[2] = h.topology_order_nodes[1]; }},
        {"topology order's node behind the end", "a node of the topology order begins after its end",
         [](Hierarchy& h) { h.topology_order_nodes.push_back(9); }},
        {"receivers of some", "receivers do not cover", [](Hierarchy& h) { h.receivers = {0}; }},
        {"another receiver", "does not lead its node",
         [](Hierarchy& h) {
             h.receivers = h.stop;  // one for every rank
             for (int rank = 0; rank < h.ranks(); ++rank) h.receivers[static_cast<std::size_t>(rank)] = rank;
             const int group = h.widest_in_node(0);
             const bool led_by_1 = group >= 0 && h.groups[static_cast<std::size_t>(group)].leader == 1;
             h.receivers[0] = led_by_1 ? 2 : 1;
         }},
        {"less than a rank per processor", "the oversubscription is 0.5 ranks per processor",
         [](Hierarchy& h) { h.oversubscription = 0.5; }},
        {"more ranks per processor than there are", "the oversubscription is 10",
         [](Hierarchy& h) { h.oversubscription = 10; }},
        {"no number", "the oversubscription is", [](Hierarchy& h) { h.oversubscription = std::nan(""); }},
        {"nodes without a topology order", "nodes of a topology order, but no order",
         [](Hierarchy& h) { h.topology_order.clear(); }},
    };
    return list;
}

TEST(Validate, AcceptsASoundHierarchy) {
    const Hierarchy hierarchy = sound();
    EXPECT_EQ(validate(hierarchy), "");
    EXPECT_GT(hierarchy.groups.size(), 5U);
    EXPECT_FALSE(hierarchy.groups[0].direct.empty());
}

TEST(Validate, NamesEveryBrokenPromise) {
    for (const Damage& damage : damages()) {
        Hierarchy hierarchy = sound();
        damage.apply(hierarchy);
        const std::string broken = validate(hierarchy);
        EXPECT_NE(broken.find(damage.expected), std::string::npos) << damage.name << " -> '" << broken << "'";
    }
}

TEST(Validate, AcceptsAHierarchyWithoutATopologyOrder) {
    Hierarchy hierarchy = sound();
    hierarchy.topology_order.clear();
    hierarchy.topology_order_nodes.clear();
    EXPECT_EQ(validate(hierarchy), "");
}

/// The first group of a level below the top.
Group& first_of(Hierarchy& hierarchy, LevelKey level) {
    for (Group& group : hierarchy.groups) {
        if (group.level == level) return group;
    }
    throw std::logic_error("no group of level " + name_of(level));
}

TEST(Validate, CustomGroupsMayStandAnywhereOnce) {
    const LevelKey inner{LevelKind::custom, 0};
    const LevelKey outer{LevelKind::custom, 2};
    const Hierarchy good = with_custom_groups();
    ASSERT_EQ(validate(good), "");
    ASSERT_EQ(good.depth(), 5);  // cluster, custom2, node, custom1, custom0

    Hierarchy twice = good;
    first_of(twice, inner).level = outer;
    EXPECT_NE(validate(twice).find("level custom2 is below itself"), std::string::npos) << validate(twice);
    // Between other levels they hide nothing.
    Hierarchy upside_down = good;
    upside_down.groups[0].level = {LevelKind::package, 0};
    EXPECT_NE(validate(upside_down).find("level node is below package"), std::string::npos)
        << validate(upside_down);
    Hierarchy cluster = good;
    first_of(cluster, outer).level = {LevelKind::cluster, 0};
    EXPECT_NE(validate(cluster).find("only the top can be the cluster"), std::string::npos);
}

// An unlisted group whose members a twin covers passes every local check.
TEST(Validate, FindsAnUnlistedGroup) {
    Hierarchy hierarchy = sound();
    hierarchy.groups.push_back(hierarchy.groups.back());
    EXPECT_NE(validate(hierarchy).find("its parent does not list it"), std::string::npos);
}

}  // namespace
}  // namespace strata::topology::validate_test
