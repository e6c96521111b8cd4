#include "algorithms/report/hierarchy_dump.h"

#include <algorithm>
#include <initializer_list>
#include <numeric>
#include <utility>

#include "algorithms/report/dump_reader.h"
#include "topology/text.h"

namespace strata::algorithms {
namespace {

using topology::Group;

constexpr double most_ranks = 4000000;

class Reader : DumpReader {
public:
    using DumpReader::DumpReader;

    DumpedJob read(const JsonValue& document) {
        DumpedJob job;
        topology::Hierarchy& hierarchy = job.hierarchy;
        ranks_ = number(needed(document, "ranks", Kind::number), 1, most_ranks);
        for (const JsonValue& level : needed(document, "levels", Kind::array).items) {
            const topology::LevelKey key = level_of(needed(level, "kind", Kind::string));
            for (const JsonValue& group : needed(level, "groups", Kind::array).items) {
                hierarchy.groups.push_back(group_of(group, key));
            }
        }
        nest(hierarchy, document);
        // The second names are those of dumps before topology order and oversubscription had these names.
        hierarchy.topology_order = optional_list(document, {"topology_order", "walk"});
        hierarchy.topology_order_nodes = optional_list(document, {"topology_order_nodes", "walk_nodes"});
        hierarchy.receivers = optional_list(document, {"receivers"});
        for (const char* const name : {"oversubscription", "crowding"}) {
            if (member(document, name) == nullptr) continue;
            hierarchy.oversubscription = needed(document, name, Kind::number).number;
            break;
        }
        if (const std::string broken = topology::validate(hierarchy); !broken.empty()) fail(document, broken);
        if (const JsonValue* limits = member(document, "eager_bytes")) {
            constexpr double most = 1e15;
            job.network_eager_bytes =
                static_cast<std::size_t>(number(needed(*limits, "network", Kind::number), 0, most));
            job.node_eager_bytes =
                static_cast<std::size_t>(number(needed(*limits, "node", Kind::number), 0, most));
        }
        return job;
    }

private:
    std::vector<int> list(const JsonValue& array) const {
        std::vector<int> values;
        for (const JsonValue& item : array.items) {
            values.push_back(static_cast<int>(number(item, 0, static_cast<double>(ranks_ - 1))));
        }
        return values;
    }
    /// Returns the list of the first name that the document has; empty without any.
    std::vector<int> optional_list(const JsonValue& document,
                                   std::initializer_list<std::string_view> names) const {
        for (const std::string_view name : names) {
            if (member(document, name) != nullptr) return list(needed(document, name, Kind::array));
        }
        return {};
    }
    topology::LevelKey level_of(const JsonValue& name) const {
        const auto pattern = topology::parse_level(name.text);
        if (!pattern) fail(name, "unknown level " + topology::quoted_text(name.text));
        return {pattern->kind, pattern->height.value_or(0)};
    }
    Group group_of(const JsonValue& value, topology::LevelKey level) const {
        Group group;
        group.level = level;
        group.leader = static_cast<int>(
            number(needed(value, "leader", Kind::number), 0, static_cast<double>(ranks_ - 1)));
        group.members = list(needed(value, "members", Kind::array));
        if (group.members.empty()) fail(value, "a group has no members");
        if (level.kind == topology::LevelKind::custom)
            group.around = level_of(needed(value, "around", Kind::string));
        return group;
    }

    /// Sorts the groups, parents first. A dump lists them by level, and two levels may nest one way on one
    /// machine and the other way on another one.
    static void put_parents_first(topology::Hierarchy& hierarchy) {
        std::vector<Group> groups = std::move(hierarchy.groups);
        std::vector<std::size_t> order(groups.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(),
                         [&](std::size_t a, std::size_t b) { return groups[a].depth < groups[b].depth; });
        std::vector<int> place(groups.size());
        hierarchy.groups.clear();
        for (const std::size_t index : order) {
            place[index] = static_cast<int>(hierarchy.groups.size());
            hierarchy.groups.push_back(std::move(groups[index]));
        }
        const auto move = [&](int& group) {
            if (group >= 0) group = place[static_cast<std::size_t>(group)];
        };
        for (Group& group : hierarchy.groups) move(group.parent);
        for (int& stop : hierarchy.stop) move(stop);
    }

    /// Finds the parent of every group and rank: the smallest group around it.
    void nest(topology::Hierarchy& hierarchy, const JsonValue& document) const {
        std::vector<std::size_t> by_size(hierarchy.groups.size());
        std::iota(by_size.begin(), by_size.end(), std::size_t{0});
        std::stable_sort(by_size.begin(), by_size.end(), [&](std::size_t a, std::size_t b) {
            return hierarchy.groups[a].members.size() > hierarchy.groups[b].members.size();
        });
        hierarchy.stop.assign(static_cast<std::size_t>(ranks_), -1);
        for (const std::size_t index : by_size) {
            Group& group = hierarchy.groups[index];
            group.parent = hierarchy.stop[static_cast<std::size_t>(group.members.front())];
            if (group.parent >= 0) {
                group.depth = hierarchy.groups[static_cast<std::size_t>(group.parent)].depth + 1;
            }
            for (const int rank : group.members) {
                int& stop = hierarchy.stop[static_cast<std::size_t>(rank)];
                if (stop != group.parent) fail(document, "groups overlap");
                stop = static_cast<int>(index);
            }
        }
        put_parents_first(hierarchy);
        for (std::size_t index = 0; index < hierarchy.groups.size(); ++index) {
            const int parent = hierarchy.groups[index].parent;
            if (parent < 0) continue;
            hierarchy.groups[static_cast<std::size_t>(parent)].children.push_back(static_cast<int>(index));
        }
        for (std::size_t index = 0; index < hierarchy.groups.size(); ++index) {
            std::sort(hierarchy.groups[index].children.begin(), hierarchy.groups[index].children.end(),
                      [&](int a, int b) {
                          return hierarchy.groups[static_cast<std::size_t>(a)].members.front() <
                                 hierarchy.groups[static_cast<std::size_t>(b)].members.front();
                      });
            hierarchy.groups[index].object = index;  // only known to differ
        }
        for (int rank = 0; rank < hierarchy.ranks(); ++rank) {
            const int stop = hierarchy.stop[static_cast<std::size_t>(rank)];
            if (stop < 0) fail(document, "rank " + std::to_string(rank) + " is in no group");
            hierarchy.groups[static_cast<std::size_t>(stop)].direct.push_back(rank);
        }
    }

    long ranks_ = 0;
};

}  // namespace

DumpedJob parse_hierarchy_dump(std::string_view text, std::string_view file) {
    return Reader(file).read(parse_json(text, file, most_dumped_values));
}

}  // namespace strata::algorithms
