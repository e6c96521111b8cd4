#include "properties.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bitset>
#include <numeric>
#include <set>
#include <tuple>

namespace strata::testing {

using namespace topology;

namespace {

const Group& group_of(const Hierarchy& hierarchy, int group) {
    return hierarchy.groups[static_cast<std::size_t>(group)];
}

bool holds(const Group& group, int rank) {
    return std::binary_search(group.members.begin(), group.members.end(), rank);
}

/// An object that holds processes, found by its whole path from the outside in; a longer path is a lower
/// object.
struct Object {
    std::size_t position;
    std::uint16_t kinds;
    int height;
    std::uint64_t id;
    Members ranks;
};
using Path = std::vector<std::tuple<int, std::uint64_t>>;

constexpr std::uint16_t bit(LevelKind kind) {
    return static_cast<std::uint16_t>(1U << static_cast<unsigned>(kind));
}

std::map<Path, Object> all_objects(const Records& records) {
    std::map<Path, Object> objects;
    for (std::size_t r = 0; r < records.size(); ++r) {
        const LocalityRecord& record = records[r];
        Path path;
        const auto visit = [&](int category, std::uint64_t key, std::uint16_t kinds, int height,
                               std::uint64_t id) {
            path.emplace_back(category, key);
            Object& object = objects.try_emplace(path, Object{path.size(), kinds, 0, id, {}}).first->second;
            object.height = std::max(object.height, height);
            object.ranks.push_back(static_cast<int>(r));
        };
        visit(0, 0, bit(LevelKind::cluster), 0, 0);
        for (std::size_t i = 0; i < record.network_path.size(); ++i) {
            const auto height = static_cast<int>(record.network_path.size() - 1 - i);
            visit(1, record.network_path[i], bit(LevelKind::switch_), height, record.network_path[i]);
        }
        visit(2, record.node_id, bit(LevelKind::node), 0, record.node_id);
        for (const HardwareObject& object : record.hardware_path) {
            visit(3, (std::uint64_t{object.kinds} << 16) | object.index, object.kinds, 0, object.index);
        }
    }
    return objects;
}

std::uint8_t distance_of(const Records& records, int rank, const Election& election) {
    if (!election.nic_local) return unknown_distance;
    return records[static_cast<std::size_t>(rank)].near(election.use).distance;
}

Members renamed(const Members& members, const std::vector<int>& new_rank) {
    Members result;
    for (const int rank : members) result.push_back(new_rank[static_cast<std::size_t>(rank)]);
    std::sort(result.begin(), result.end());
    return result;
}

}  // namespace

Sets sets_of(const Hierarchy& hierarchy) {
    Sets sets;
    for (const Group& group : hierarchy.groups) sets[group.members] = {group.level, group.object};
    EXPECT_EQ(sets.size(), hierarchy.groups.size());
    return sets;
}

Sets expected_sets(const Records& records, const HierarchySpec& spec) {
    const auto wanted = [&](LevelKey key) {
        return !spec.hint ||
               std::any_of(spec.hint->levels.begin(), spec.hint->levels.end(),
                           [&](const HintLevel& level) { return level.items[0].level->matches(key); });
    };
    Sets sets;
    std::map<Members, std::size_t> position_of;
    for (const auto& [path, object] : all_objects(records)) {
        std::vector<LevelKey> keys;
        std::vector<LevelKey> all;
        for (int kind = 0; kind < level_kind_count; ++kind) {
            if (((object.kinds >> kind) & 1) == 0) continue;
            const LevelKey key{static_cast<LevelKind>(kind), static_cast<std::uint8_t>(object.height)};
            all.push_back(key);
            if (wanted(key)) keys.push_back(key);
        }
        const bool top = object.ranks.size() == records.size();
        if (keys.empty() && !top) continue;
        if (keys.empty()) keys = all;
        LevelKey lowest = keys.back();
        const LevelKey core{LevelKind::core, 0};
        if (std::find(keys.begin(), keys.end(), core) != keys.end()) lowest = core;
        std::size_t& position = position_of[object.ranks];
        if (object.position < position) continue;
        position = object.position;
        sets[object.ranks] = {lowest, object.id};
    }
    return sets;
}

void check_nesting(const Hierarchy& hierarchy, std::mt19937& random) {
    constexpr std::size_t most_ranks = 64;
    ASSERT_LE(hierarchy.stop.size(), most_ranks);
    std::vector<std::bitset<most_ranks>> members(hierarchy.groups.size());
    std::vector<int> smallest(hierarchy.stop.size(), -1);
    std::vector<int> stops(hierarchy.stop.size(), 0);
    for (std::size_t g = 0; g < members.size(); ++g) {
        for (const int rank : hierarchy.groups[g].members) {
            members[g].set(static_cast<std::size_t>(rank));
            int& known = smallest[static_cast<std::size_t>(rank)];
            if (known < 0 || hierarchy.groups[g].members.size() < group_of(hierarchy, known).members.size()) {
                known = static_cast<int>(g);
            }
        }
        for (const int rank : hierarchy.groups[g].direct) ++stops[static_cast<std::size_t>(rank)];
    }
    for (std::size_t a = 0; a < members.size(); ++a) {
        for (std::size_t b = 0; b < a; ++b) {
            const auto common = members[a] & members[b];
            ASSERT_TRUE(common.none() || common == members[a] || common == members[b]) << a << " and " << b;
        }
    }
    ASSERT_EQ(hierarchy.stop, smallest);
    ASSERT_TRUE(std::all_of(stops.begin(), stops.end(), [](int count) { return count == 1; }));
    const int count = static_cast<int>(hierarchy.groups.size());
    for (int i = 0; i < 10; ++i) {
        const int group = static_cast<int>(random() % static_cast<unsigned>(count));
        const int a = static_cast<int>(random() % static_cast<unsigned>(hierarchy.ranks()));
        const int b = static_cast<int>(random() % static_cast<unsigned>(hierarchy.ranks()));
        EXPECT_EQ(hierarchy.contains(group, a), holds(group_of(hierarchy, group), a));
        int lowest = 0;
        for (int g = 0; g < count; ++g) {
            if (holds(group_of(hierarchy, g), a) && holds(group_of(hierarchy, g), b)) lowest = g;
        }
        EXPECT_EQ(hierarchy.lowest_common_group(a, b), lowest);
    }
}

void check_leaders(const Hierarchy& hierarchy, const Records& records, const Election& election) {
    for (const Group& group : hierarchy.groups) {
        ASSERT_TRUE(holds(group, group.leader));
        const bool leads_child = std::any_of(group.children.begin(), group.children.end(), [&](int child) {
            return group_of(hierarchy, child).leader == group.leader;
        });
        const bool stops = std::binary_search(group.direct.begin(), group.direct.end(), group.leader);
        ASSERT_TRUE(leads_child || stops) << group.leader;
        // The first of the nearest, as members are ascending.
        const int nearest = *std::min_element(group.members.begin(), group.members.end(), [&](int a, int b) {
            return distance_of(records, a, election) < distance_of(records, b, election);
        });
        const std::uint8_t least = distance_of(records, nearest, election);
        ASSERT_EQ(distance_of(records, group.leader, election), least);
        if (!election.spread || least == unknown_distance) {
            ASSERT_EQ(group.leader, nearest);
        }
    }
}

void check_receivers(const Hierarchy& hierarchy, const Records& records, const Election& election) {
    for (int rank = 0; rank < hierarchy.ranks(); ++rank) {
        int wanted = rank;
        for (const Group& group : hierarchy.groups) {
            if (!holds(group, rank) || is_network(group)) continue;
            const auto node_of = [&](int member) {
                return records[static_cast<std::size_t>(member)].node_id;
            };
            ASSERT_TRUE(std::all_of(group.members.begin(), group.members.end(),
                                    [&](int member) { return node_of(member) == node_of(rank); }));
            const std::uint8_t own = distance_of(records, rank, election);
            if (own != unknown_distance && distance_of(records, group.leader, election) < own) {
                wanted = group.leader;
            }
            break;  // groups are ordered level by level: the first is the widest
        }
        ASSERT_EQ(hierarchy.receiver_of(rank), wanted) << rank;
    }
}

void check_walk(const Hierarchy& hierarchy, const Records& records, const Election& election) {
    ASSERT_EQ(hierarchy.topology_order.size(), records.size());
    std::vector<int> rank_at(records.size(), -1);
    for (std::size_t rank = 0; rank < records.size(); ++rank) {
        rank_at.at(static_cast<std::size_t>(hierarchy.topology_order[rank])) = static_cast<int>(rank);
    }
    std::set<std::uint64_t> nodes;
    const std::vector<int>& begins = hierarchy.topology_order_nodes;
    for (std::size_t i = 0; i < begins.size(); ++i) {
        const auto begin = rank_at.begin() + begins[i];
        const auto end = i + 1 < begins.size() ? rank_at.begin() + begins[i + 1] : rank_at.end();
        const auto node_of = [&](int rank) { return records[static_cast<std::size_t>(rank)].node_id; };
        const auto distance = [&](int rank) { return distance_of(records, rank, election); };
        ASSERT_TRUE(nodes.insert(node_of(*begin)).second) << "a node in two parts";
        ASSERT_TRUE(std::all_of(begin, end, [&](int rank) { return node_of(rank) == node_of(*begin); }));
        if (begins.size() == 1) break;  // no NIC to enter by
        std::uint8_t least = unknown_distance;
        for (auto rank = begin; rank != end; ++rank) least = std::min(least, distance(*rank));
        ASSERT_EQ(distance(*begin), least);
    }
    std::set<std::uint64_t> all_nodes;
    for (const LocalityRecord& record : records) all_nodes.insert(record.node_id);
    ASSERT_EQ(nodes, all_nodes);
    for (const auto& [path, object] : all_objects(records)) {
        const auto places = renamed(object.ranks, hierarchy.topology_order);
        ASSERT_EQ(places.back() - places.front() + 1, static_cast<int>(places.size()))
            << "an object in two parts";
    }
}

void check_purity(const Hierarchy& hierarchy, const Records& records, const HierarchySpec& spec) {
    const Hierarchy other = build_hierarchy(Records(records), HierarchySpec(spec));
    ASSERT_EQ(other.stop, hierarchy.stop);
    ASSERT_EQ(other.topology_order, hierarchy.topology_order);
    ASSERT_EQ(other.topology_order_nodes, hierarchy.topology_order_nodes);
    ASSERT_EQ(other.groups.size(), hierarchy.groups.size());
    for (std::size_t g = 0; g < other.groups.size(); ++g) {
        const auto all = [](const Group& group) {
            return std::tie(group.level, group.object, group.parent, group.depth, group.children,
                            group.members, group.direct, group.leader, group.around);
        };
        ASSERT_EQ(all(other.groups[g]), all(hierarchy.groups[g])) << "group " << g;
    }
}

void check_permutation(const Hierarchy& hierarchy, const Records& records, const HierarchySpec& spec,
                       std::mt19937& random, bool with_objects) {
    std::vector<int> new_rank(records.size());
    std::iota(new_rank.begin(), new_rank.end(), 0);
    std::shuffle(new_rank.begin(), new_rank.end(), random);
    Records shuffled(records.size());
    for (std::size_t i = 0; i < records.size(); ++i) {
        shuffled[static_cast<std::size_t>(new_rank[i])] = records[i];
    }
    const Hierarchy other = build_hierarchy(shuffled, spec);
    std::map<Members, const Group*> moved;
    for (const Group& group : other.groups) moved[group.members] = &group;
    ASSERT_EQ(moved.size(), hierarchy.groups.size());
    for (const Group& group : hierarchy.groups) {
        const auto found = moved.find(renamed(group.members, new_rank));
        ASSERT_NE(found, moved.end()) << "a group is lost";
        ASSERT_EQ(found->second->level, group.level);
        if (with_objects) {
            ASSERT_EQ(found->second->object, group.object);
        }
        const std::uint8_t least = distance_of(records, group.leader, spec.election);
        const auto nearest = std::count_if(group.members.begin(), group.members.end(), [&](int rank) {
            return distance_of(records, rank, spec.election) == least;
        });
        if (nearest > 1) continue;
        ASSERT_EQ(found->second->leader, new_rank[static_cast<std::size_t>(group.leader)]);
    }
    ASSERT_EQ(other.levels(), hierarchy.levels());
}

}  // namespace strata::testing
