#include <algorithm>
#include <memory>
#include <utility>

#include "topology/node_notes.h"

namespace strata::topology {
namespace {

using Ranks = std::vector<int>;

/// Returns the ranks of every node; nodes are ordered by lowest rank.
std::vector<std::pair<std::uint64_t, Ranks>> ranks_by_node(std::span<const LocalityRecord> records) {
    std::vector<std::pair<std::uint64_t, Ranks>> nodes;
    std::map<std::uint64_t, std::size_t> place;
    for (std::size_t rank = 0; rank < records.size(); ++rank) {
        const auto [known, isnew] = place.try_emplace(records[rank].node_id, nodes.size());
        if (isnew) nodes.emplace_back(records[rank].node_id, Ranks{});
        nodes[known->second].second.push_back(static_cast<int>(rank));
    }
    return nodes;
}

/// Returns the deepest group that contains all of `ranks`.
int group_around(const Hierarchy& hierarchy, const Ranks& ranks) {
    int group = hierarchy.stop[static_cast<std::size_t>(ranks.front())];
    for (const int rank : ranks) {
        int other = hierarchy.stop[static_cast<std::size_t>(rank)];
        while (group != other) {
            int& lower = group > other ? group : other;  // parents precede their children
            lower = hierarchy.groups[static_cast<std::size_t>(lower)].parent;
        }
    }
    return group;
}

bool is_object(const Group& group, const HardwareObject& object) {
    return object.has(group.level.kind) && group.object == object.index;
}

/// Sets the group in which `mark` is drawn.
void place(NicMark& mark, const NicNote& nic, const Hierarchy& hierarchy,
           std::span<const LocalityRecord> records, const Ranks& node) {
    for (std::size_t i = nic.near_path.size(); i-- > 0;) {
        Ranks inside;
        for (const int rank : node) {
            const auto& path = records[static_cast<std::size_t>(rank)].hardware_path;
            if (std::find(path.begin(), path.end(), nic.near_path[i]) != path.end()) inside.push_back(rank);
        }
        if (inside.empty()) continue;
        mark.group = group_around(hierarchy, inside);
        const Group& group = hierarchy.groups[static_cast<std::size_t>(mark.group)];
        const bool own_object = i + 1 == nic.near_path.size();
        mark.exact = own_object && group.members.size() == inside.size();
        // For an object around the NIC's own only the group of exactly that object is correct: any other
        // may lie beside the NIC.
        if (own_object || is_object(group, nic.near_path[i])) return;
    }
    mark.group = group_around(hierarchy, node);
    mark.exact = !mark.local;
}

/// Looks up the names of switches and nodes.
class Names {
public:
    Names(const Hierarchy& hierarchy, std::span<const LocalityRecord> records, const NotesByNode& nodes)
        : hierarchy_(hierarchy), records_(records) {
        for (const LocalityRecord& record : records) {
            const auto notes = nodes.find(record.node_id);
            if (notes == nodes.end() || !nodes_.try_emplace(record.node_id, notes->second.node).second)
                continue;
            const std::vector<std::string>& switches = notes->second.switches;
            if (switches.size() != record.network_path.size()) continue;
            for (std::size_t i = 0; i < switches.size(); ++i) switches_[record.network_path[i]] = switches[i];
        }
    }

    std::string of(const Group& group) const {
        if (group.level.kind == LevelKind::switch_) {
            const auto known = switches_.find(static_cast<std::uint32_t>(group.object));
            return known == switches_.end() ? "" : known->second;
        }
        if (!on_one_node(group)) return "";
        const auto known = nodes_.find(record_of(group.members.front()).node_id);
        const std::string node = known == nodes_.end() ? "" : known->second;
        if (group.level.kind == LevelKind::node || node.empty()) return node;
        const bool topmost =
            group.parent < 0 || !on_one_node(hierarchy_.groups[static_cast<std::size_t>(group.parent)]);
        return topmost ? std::to_string(group.object) + " of " + node : "";
    }

private:
    const LocalityRecord& record_of(int rank) const { return records_[static_cast<std::size_t>(rank)]; }
    bool on_one_node(const Group& group) const {
        const std::uint64_t node = record_of(group.members.front()).node_id;
        return std::all_of(group.members.begin(), group.members.end(),
                           [&](int rank) { return record_of(rank).node_id == node; });
    }

    const Hierarchy& hierarchy_;
    std::span<const LocalityRecord> records_;
    std::map<std::uint64_t, std::string> nodes_;
    std::map<std::uint32_t, std::string> switches_;
};

}  // namespace

std::vector<NicMark> mark_nics(const Hierarchy& hierarchy, std::span<const LocalityRecord> records,
                               const NotesByNode& nodes, NicUse use) {
    std::vector<NicMark> marks;
    for (const auto& [id, ranks] : ranks_by_node(records)) {
        const auto notes = nodes.find(id);
        if (notes == nodes.end()) continue;
        for (const NicNote& nic : notes->second.nics) {
            if (!nic.used[static_cast<std::size_t>(use)]) continue;
            marks.push_back({nic.name, notes->second.node, nic.near, !nic.near_path.empty(), 0, true});
            place(marks.back(), nic, hierarchy, records, ranks);
        }
    }
    return marks;
}

PictureNotes picture_notes(const Hierarchy& hierarchy, std::span<const LocalityRecord> records,
                           const NotesByNode& nodes, NicUse use) {
    const auto names = std::make_shared<Names>(hierarchy, records, nodes);
    return {[names](const Group& group) { return names->of(group); },
            mark_nics(hierarchy, records, nodes, use)};
}

}  // namespace strata::topology
