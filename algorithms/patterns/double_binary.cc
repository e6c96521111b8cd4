#include "algorithms/patterns/double_binary.h"

#include <algorithm>
#include <cstddef>
#include <stdexcept>

#include "algorithms/patterns/deal_out.h"

namespace strata::algorithms {
namespace {

using topology::Group;
using topology::Hierarchy;

/// A participant that needs a parent in another item.
struct Exit {
    int rank;
    bool other_node;  ///< the edge to it leaves the node
};

using Exits = Both<std::vector<Exit>>;

/// The smallest unit of one level: a skipped group, or a participant.
struct Item {
    int group = -1;
    int rank = -1;  ///< the participant; of a group: its first member in topology order
    int place = 0;  ///< position in topology order
};

class Builder {
public:
    /// `wanted`: the rank whose edges are collected; -1: all ranks.
    Builder(const DoubleBinaryGroup& of, int wanted)
        : of_(of),
          hierarchy_(of.hierarchy),
          top_(of.hierarchy.contains(of.group, of.root) ? of.root : of.hierarchy.groups.at(of.group).leader),
          wanted_(wanted) {
        const std::size_t count = wanted < 0 ? hierarchy_.stop.size() : 1;
        links_.fill(std::vector<RankLinks>(count));
    }

    std::vector<RankLinks> run(Half half) {
        if (half == Half::whole) throw std::invalid_argument("a double binary tree carries halves");
        place(of_.group, {});
        return std::move(links_[half == Half::first ? 0 : 1]);
    }

private:
    int order_place(int rank) const {
        return hierarchy_.topology_order.empty() ? rank
                                                 : hierarchy_.topology_order[static_cast<std::size_t>(rank)];
    }
    bool skipped(int group) const {
        return std::find(of_.skipped.begin(), of_.skipped.end(),
                         hierarchy_.groups[static_cast<std::size_t>(group)].level) != of_.skipped.end();
    }

    std::vector<Item> items_of(int group) const;
    int nic_local(int group) const;
    int item_with(const std::vector<Item>& items, int rank) const;
    Both<int> entries(int group, const std::vector<Item>& items) const;
    int entry(const Item& item, std::size_t tree) const;
    Dealt dealt(int group, const std::vector<Item>& items, const Exits& exits) const;
    void place(int group, const Exits& exits);
    bool concerns(const Item& item, const Exits& exits) const;
    void connect(std::size_t tree, int parent, int child);

    const DoubleBinaryGroup& of_;
    const Hierarchy& hierarchy_;
    int top_;  ///< the root of both trees
    int wanted_;
    Both<std::vector<RankLinks>> links_;
};

/// Returns the items of a group in topology order.
std::vector<Item> Builder::items_of(int group) const {
    const Group& self = hierarchy_.groups[static_cast<std::size_t>(group)];
    std::vector<Item> items;
    for (const int child : self.children) {
        const Group& below = hierarchy_.groups[static_cast<std::size_t>(child)];
        if (skipped(child)) {
            const int first =
                *std::min_element(below.members.begin(), below.members.end(),
                                  [&](int a, int b) { return order_place(a) < order_place(b); });
            items.push_back({child, first, order_place(first)});
        } else {
            const int local_root = hierarchy_.contains(child, top_) ? top_ : below.leader;
            items.push_back({-1, local_root, order_place(local_root)});
        }
    }
    for (const int rank : self.direct) items.push_back({-1, rank, order_place(rank)});
    std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.place < b.place; });
    return items;
}

/// Returns the rank nearest to the NIC of the node that contains `group`; -1 if that rank is not a member,
/// or if all ranks are equally near.
int Builder::nic_local(int group) const {
    const Group& self = hierarchy_.groups[static_cast<std::size_t>(group)];
    if (hierarchy_.receivers.empty() || is_network(self)) return -1;
    const int node = hierarchy_.widest_in_node(self.members.front());
    const Group& whole = hierarchy_.groups[static_cast<std::size_t>(node)];
    const bool known = std::any_of(whole.members.begin(), whole.members.end(),
                                   [&](int rank) { return hierarchy_.receiver_of(rank) != rank; });
    return known && hierarchy_.contains(group, whole.leader) ? whole.leader : -1;
}

/// Returns -1 if another rank represents `rank`.
int Builder::item_with(const std::vector<Item>& items, int rank) const {
    const auto found = std::find_if(items.begin(), items.end(), [&](const Item& item) {
        return item.group >= 0 ? hierarchy_.contains(item.group, rank) : item.rank == rank;
    });
    return found == items.end() ? -1 : static_cast<int>(found - items.begin());
}

/// Returns the items by which the trees enter a group: the root's item if the group contains the root; the
/// item nearest to the NIC; towards the root, the items beside that one; otherwise the first and the last
/// item, so that a rank that forwards much in one tree forwards little in the other.
Both<int> Builder::entries(int group, const std::vector<Item>& items) const {
    const auto count = static_cast<int>(items.size());
    if (hierarchy_.contains(group, top_)) {
        const int root = item_with(items, top_);
        return {root, root};
    }
    const int near = nic_local(group);
    if (near < 0) return {0, count - 1};
    const int item = item_with(items, near);
    const bool a_rank = items[static_cast<std::size_t>(item)].group < 0;
    if (of_.flow == Flow::to_root) {
        if (a_rank) return {0, count - 1};
        return {(item + 1) % count, (item + count - 1) % count};
    }
    // Adjacent ranks are equally near.
    return {item, a_rank ? (item + count - 1) % count : item};
}

int Builder::entry(const Item& item, std::size_t tree) const {
    if (item.group < 0) return item.rank;
    const std::vector<Item> items = items_of(item.group);
    return entry(items[static_cast<std::size_t>(entries(item.group, items)[tree])], tree);
}

bool Builder::concerns(const Item& item, const Exits& exits) const {
    const auto wanted = [&](const Exit& one) { return one.rank == wanted_; };
    return wanted_ < 0 || hierarchy_.contains(item.group, wanted_) || std::ranges::any_of(exits[0], wanted) ||
           std::ranges::any_of(exits[1], wanted);
}

/// Towards the root, data from other nodes enters a node at the item nearest to its NIC, the gate.
Dealt Builder::dealt(int group, const std::vector<Item>& items, const Exits& exits) const {
    Dealt all{static_cast<int>(items.size()), entries(group, items), {}, {}, -1};
    for (const std::size_t tree : {0, 1}) all.outside[tree] = static_cast<int>(exits[tree].size());
    const int near = of_.flow == Flow::to_root ? nic_local(group) : -1;
    const int item = near < 0 ? -1 : item_with(items, near);
    if (item < 0 || items[static_cast<std::size_t>(item)].group < 0) return all;
    all.gate = item;
    for (const std::size_t tree : {0, 1}) {
        for (int one = 0; one < all.outside[tree]; ++one) {
            if (exits[tree][static_cast<std::size_t>(one)].other_node) all.fixed[tree].push_back(one);
        }
    }
    return all;
}

/// Finds the parents of the exits and of the group's own participants, except those by which the trees
/// enter the group.
void Builder::place(int group, const Exits& exits) {
    const std::vector<Item> items = items_of(group);
    const DealtOut below = deal_out(dealt(group, items, exits));
    const bool nodes = is_network(hierarchy_.groups[static_cast<std::size_t>(group)]);
    for (std::size_t i = 0; i < items.size(); ++i) {
        Exits children;
        for (const std::size_t tree : {0, 1}) {
            for (const int one : below[i][tree]) {
                children[tree].push_back(
                    one < 0 ? exits[tree][static_cast<std::size_t>(-1 - one)]
                            : Exit{entry(items[static_cast<std::size_t>(one)], tree), nodes});
            }
        }
        if (items[i].group >= 0) {
            if (concerns(items[i], children)) place(items[i].group, children);
            continue;
        }
        for (const std::size_t tree : {0, 1}) {
            for (const Exit& child : children[tree]) connect(tree, items[i].rank, child.rank);
        }
    }
}

void Builder::connect(std::size_t tree, int parent, int child) {
    const auto links_of = [&](int rank) -> RankLinks& {
        return links_[tree][wanted_ < 0 ? static_cast<std::size_t>(rank) : 0];
    };
    if (wanted_ < 0 || parent == wanted_) links_of(parent).children.push_back(child);
    if (wanted_ < 0 || child == wanted_) links_of(child).parent = parent;
}

}  // namespace

RankLinks double_binary_links(const DoubleBinaryGroup& of, int rank, Half half) {
    return std::move(Builder(of, rank).run(half).front());
}

std::vector<RankLinks> double_binary_tree(const DoubleBinaryGroup& of, Half half) {
    return Builder(of, -1).run(half);
}

}  // namespace strata::algorithms
