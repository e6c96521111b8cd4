#include "topology/hierarchy.h"

#include <algorithm>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include "topology/custom_groups.h"
#include "topology/kinds.h"
#include "topology/leaders.h"
#include "topology/place_table.h"
#include "topology/place_tree.h"

namespace strata::topology {
namespace {

/// The kinds of objects that the specification lets split.
class Filter {
public:
    explicit Filter(const std::optional<HierarchyHint>& hint) : all_(!hint) {
        if (all_) hardware_ = hardware_kinds;
        if (!hint) return;
        for (const HintLevel& level : hint->levels) {
            if (!level.plain()) continue;
            patterns_.push_back(*level.items.front().level);
            hardware_ |= static_cast<std::uint16_t>(bit_of(patterns_.back().kind) & hardware_kinds);
        }
    }
    bool keeps(LevelKey key) const {
        return all_ || std::any_of(patterns_.begin(), patterns_.end(),
                                   [&](const LevelPattern& pattern) { return pattern.matches(key); });
    }
    /// Returns the subset of `kinds` that may split.
    std::uint16_t kept(std::uint16_t kinds) const { return kinds & hardware_; }

private:
    bool all_;
    std::vector<LevelPattern> patterns_;
    std::uint16_t hardware_ = 0;
};

class Builder {
public:
    Builder(std::span<const LocalityRecord> records, const HierarchySpec& spec)
        : records_(records), spec_(spec), filter_(spec.hint) {
        tree_.of.resize(records.size());
    }

    Hierarchy build() {
        tree_.add(place_of(-1, LevelKind::cluster, 0));
        add_nodes();
        add_hardware();
        count_ranks();
        set_heights();
        make_topology_order();  // before custom groups: the order follows the hardware
        if (spec_.hint && has_custom_levels(*spec_.hint)) {
            tree_ = with_custom_groups(tree_, *spec_.hint);
            count_ranks();
        }
        form_groups();
        sort_groups();
        fill_groups();
        return std::move(result_);
    }

private:
    void add_nodes();
    void add_hardware();
    void count_ranks();
    void set_heights();
    std::map<int, int> nearest_to_nics() const;
    void make_topology_order();
    void form_groups();
    void sort_groups();
    void fill_groups();
    int node_of(int rank) const {
        int place = tree_.of[static_cast<std::size_t>(rank)];
        while (tree_.at(place).level.kind != LevelKind::node) place = tree_.at(place).parent;
        return place;
    }
    static Place place_of(int parent, LevelKind kind, std::uint64_t object) {
        Place place;
        place.parent = parent;
        place.level.kind = kind;
        place.kinds = bit_of(kind);
        place.object = object;
        return place;
    }

    std::span<const LocalityRecord> records_;
    const HierarchySpec& spec_;
    Filter filter_;
    PlaceTree tree_;
    PlaceTable table_;
    Hierarchy result_;
};

/// Adds switches and nodes, and maps every rank to the place of its node.
void Builder::add_nodes() {
    struct Node {
        std::uint64_t id;
        const std::vector<std::uint32_t>* path;
        int ranks = 0;
        int processors = 0;  // 0: unknown
    };
    std::vector<Node> nodes;
    for (std::size_t rank = 0; rank < records_.size(); ++rank) {
        const LocalityRecord& record = records_[rank];
        int& node = table_.find_or_add(-1, record.node_id);
        if (node < 0) {
            node = static_cast<int>(nodes.size());
            nodes.push_back({record.node_id, &record.network_path, 0, 0});
        }
        // Processes of one node may disagree about its switches. The node must stay whole, and the
        // result must not depend on their order: the greatest path counts (any path beats none).
        Node& known = nodes[static_cast<std::size_t>(node)];
        if (*known.path < record.network_path) known.path = &record.network_path;
        ++known.ranks;
        known.processors = std::max(known.processors, record.processors.count());
        tree_.of[rank] = node;
    }
    for (const Node& node : nodes) {
        if (node.processors == 0) continue;
        result_.oversubscription =
            std::max(result_.oversubscription, static_cast<double>(node.ranks) / node.processors);
    }
    std::vector<int> place_of_node;
    for (const Node& node : nodes) {
        int parent = 0;
        for (const std::uint32_t id : *node.path) {
            int& place = table_.find_or_add(parent, id);
            if (place < 0) place = tree_.add(place_of(parent, LevelKind::switch_, id));
            parent = place;
        }
        place_of_node.push_back(tree_.add(place_of(parent, LevelKind::node, node.id)));
        tree_.places.back().may_split = filter_.keeps(tree_.places.back().level);
    }
    for (int& place : tree_.of) place = place_of_node[static_cast<std::size_t>(place)];
}

/// Adds hardware objects. The parent is part of a place's key, so objects of different nodes never
/// merge.
void Builder::add_hardware() {
    for (std::size_t rank = 0; rank < records_.size(); ++rank) {
        int parent = tree_.of[rank];
        for (const HardwareObject& object : records_[rank].hardware_path) {
            const std::uint16_t kinds = object.kinds & hardware_kinds;
            if (kinds == 0) continue;
            int& place = table_.find_or_add(parent, (std::uint64_t{kinds} << 16) | object.index);
            if (place < 0) {
                const std::uint16_t kept = filter_.kept(kinds);
                place = tree_.add(place_of(parent, lowest_kind(kept != 0 ? kept : kinds), object.index));
                tree_.places.back().kinds = kinds;
                tree_.places.back().may_split = kept != 0;
            }
            parent = place;
        }
        tree_.of[rank] = parent;
    }
}

/// Counts the ranks in and below every place.
void Builder::count_ranks() {
    for (Place& place : tree_.places) place.ranks = 0;
    for (const int place : tree_.of) ++tree_.at(place).ranks;
    for (std::size_t i = tree_.places.size() - 1; i > 0; --i) {
        tree_.at(tree_.places[i].parent).ranks += tree_.places[i].ranks;
    }
}

/// Sets switch heights; runs once all switches are known.
void Builder::set_heights() {
    for (std::size_t i = tree_.places.size() - 1; i > 0; --i) {
        Place& place = tree_.places[i];
        if (place.level.kind != LevelKind::switch_) continue;
        place.may_split = filter_.keeps(place.level);
        Place& parent = tree_.at(place.parent);
        if (parent.level.kind == LevelKind::switch_ && place.level.height < 255) {
            parent.level.height =
                std::max(parent.level.height, static_cast<std::uint8_t>(place.level.height + 1));
        }
    }
}

/// Returns for each node's place the rank nearest to the NIC. Empty on a single node, and without
/// `nic_local`; omits nodes without known distances.
std::map<int, int> Builder::nearest_to_nics() const {
    std::map<int, int> nearest;
    if (!spec_.election.nic_local) return nearest;
    const auto distance = [&](int rank) {
        return records_[static_cast<std::size_t>(rank)].near(spec_.election.use).distance;
    };
    std::set<int> nodes;
    for (int rank = 0; rank < static_cast<int>(records_.size()); ++rank) {
        const int node = node_of(rank);
        nodes.insert(node);
        if (distance(rank) == unknown_distance) continue;
        int& found = nearest.try_emplace(node, rank).first->second;
        if (distance(rank) < distance(found)) found = rank;
    }
    return nodes.size() < 2 ? std::map<int, int>{} : nearest;
}

/// Computes the topology order. Every place takes as many consecutive positions as it has ranks. Places
/// follow in the order of their lowest ranks, but those of the process nearest to the NIC come first in
/// its node.
void Builder::make_topology_order() {
    std::vector<int> next(tree_.places.size(), -1);  // place -> the next free position of its block
    next[0] = 0;
    const auto open_block = [&](auto&& self, int place) -> void {
        int& own = next[static_cast<std::size_t>(place)];
        if (own >= 0) return;
        const Place& entry = tree_.at(place);
        self(self, entry.parent);
        int& outer = next[static_cast<std::size_t>(entry.parent)];
        own = outer;
        outer += entry.ranks;
        if (entry.level.kind == LevelKind::node) result_.topology_order_nodes.push_back(own);
    };
    result_.topology_order.assign(records_.size(), -1);
    const auto visit = [&](int rank) {
        int& place = result_.topology_order[static_cast<std::size_t>(rank)];
        if (place >= 0) return;
        open_block(open_block, tree_.of[static_cast<std::size_t>(rank)]);
        place = next[static_cast<std::size_t>(tree_.of[static_cast<std::size_t>(rank)])]++;
    };
    const std::map<int, int> entries = nearest_to_nics();
    for (int rank = 0; rank < static_cast<int>(records_.size()); ++rank) {
        if (const auto entry = entries.find(node_of(rank)); entry != entries.end()) visit(entry->second);
        visit(rank);
    }
    std::sort(result_.topology_order_nodes.begin(), result_.topology_order_nodes.end());
}

/// Turns places into groups. A place with fewer ranks than the group around it is a new group. A place
/// with equally many is the same group and renames it (rule B1: the lowest of the levels that split
/// alike); pieces of a hint do not rename, so that hardware keeps its name.
void Builder::form_groups() {
    std::vector<Group>& groups = result_.groups;
    std::vector<int> ranks_in;
    for (std::size_t i = 0; i < tree_.places.size(); ++i) {
        Place& place = tree_.places[i];
        const int around = place.parent < 0 ? -1 : tree_.at(place.parent).group;
        place.group = around;
        const bool same = around >= 0 && place.ranks == ranks_in[static_cast<std::size_t>(around)];
        if (same && place.level.kind == LevelKind::custom) continue;
        // The top splits nothing: the object that all ranks share names it, even if the specification
        // omits its level.
        if (around >= 0 && !place.may_split && !(same && around == 0)) continue;
        if (!same) {
            place.group = static_cast<int>(groups.size());
            groups.emplace_back();
            groups.back().parent = around;
            ranks_in.push_back(place.ranks);
        }
        Group& group = groups[static_cast<std::size_t>(place.group)];
        group.level = place.level;
        group.object = place.object;
        group.around = place.around;
    }
    result_.stop.resize(records_.size());
    for (std::size_t rank = 0; rank < records_.size(); ++rank) {
        result_.stop[rank] = tree_.at(tree_.of[rank]).group;
    }
}

/// Sorts groups level by level, siblings by lowest member, independent of the order of discovery.
void Builder::sort_groups() {
    std::vector<Group>& groups = result_.groups;
    std::vector<int> lowest(groups.size(), -1);
    for (int rank = 0; rank < result_.ranks(); ++rank) {
        int group = result_.stop[static_cast<std::size_t>(rank)];
        while (group >= 0 && lowest[static_cast<std::size_t>(group)] < 0) {
            lowest[static_cast<std::size_t>(group)] = rank;
            group = groups[static_cast<std::size_t>(group)].parent;
        }
    }
    for (std::size_t i = 1; i < groups.size(); ++i) {
        groups[static_cast<std::size_t>(groups[i].parent)].children.push_back(static_cast<int>(i));
    }
    std::vector<int> order{0};
    std::vector<int> new_index(groups.size(), 0);
    order.reserve(groups.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        std::vector<int>& children = groups[static_cast<std::size_t>(order[i])].children;
        std::sort(children.begin(), children.end(), [&](int a, int b) {
            return lowest[static_cast<std::size_t>(a)] < lowest[static_cast<std::size_t>(b)];
        });
        for (int& child : children) {
            new_index[static_cast<std::size_t>(child)] = static_cast<int>(order.size());
            order.push_back(child);
            child = new_index[static_cast<std::size_t>(child)];
        }
    }
    std::vector<Group> sorted;
    sorted.reserve(groups.size());
    for (const int old : order) {
        Group& group = groups[static_cast<std::size_t>(old)];
        if (group.parent >= 0) {
            group.parent = new_index[static_cast<std::size_t>(group.parent)];
            group.depth = sorted[static_cast<std::size_t>(group.parent)].depth + 1;
        }
        sorted.push_back(std::move(group));
    }
    groups = std::move(sorted);
    for (int& group : result_.stop) group = new_index[static_cast<std::size_t>(group)];
}

void Builder::fill_groups() {
    std::vector<Group>& groups = result_.groups;
    std::vector<int> ranks_in(groups.size(), 0);
    for (const int group : result_.stop) ++ranks_in[static_cast<std::size_t>(group)];
    for (std::size_t i = groups.size(); i-- > 0;) {
        if (i > 0) ranks_in[static_cast<std::size_t>(groups[i].parent)] += ranks_in[i];
        groups[i].members.reserve(static_cast<std::size_t>(ranks_in[i]));
    }
    for (int rank = 0; rank < result_.ranks(); ++rank) {
        const int stop = result_.stop[static_cast<std::size_t>(rank)];
        groups[static_cast<std::size_t>(stop)].direct.push_back(rank);
        for (int at = stop; at >= 0; at = groups[static_cast<std::size_t>(at)].parent) {
            groups[static_cast<std::size_t>(at)].members.push_back(rank);
        }
    }
}

}  // namespace

Hierarchy build_hierarchy(std::span<const LocalityRecord> records, const HierarchySpec& spec) {
    if (records.empty()) throw std::invalid_argument("a hierarchy needs at least one locality record");
    Hierarchy hierarchy = Builder(records, spec).build();
    elect_leaders(hierarchy, records, spec.election);
    return hierarchy;
}

}  // namespace strata::topology
