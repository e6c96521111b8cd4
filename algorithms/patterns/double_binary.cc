#include "algorithms/patterns/double_binary.h"

#include <algorithm>
#include <cstddef>
#include <stdexcept>

#include "algorithms/patterns/deal_out.h"

namespace strata::algorithms {
namespace {

using topology::Group;
using topology::Hierarchy;

/// The participants that need a parent in another item.
using Exits = Both<std::vector<int>>;

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
    int item_with(const std::vector<Item>& items, int rank) const;
    Both<int> entries(int group, const std::vector<Item>& items) const;
    int entry(const Item& item, std::size_t tree) const;
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

/// Returns -1 if another rank represents `rank`.
int Builder::item_with(const std::vector<Item>& items, int rank) const {
    const auto found = std::find_if(items.begin(), items.end(), [&](const Item& item) {
        return item.group >= 0 ? hierarchy_.contains(item.group, rank) : item.rank == rank;
    });
    return found == items.end() ? -1 : static_cast<int>(found - items.begin());
}

/// Returns the items by which the trees enter a group: the root's item if the group contains the root, else
/// the first one (of a node, next to the NIC) and the last one, so that a rank that forwards much in one tree
/// forwards little in the other.
Both<int> Builder::entries(int group, const std::vector<Item>& items) const {
    if (!hierarchy_.contains(group, top_)) return {0, static_cast<int>(items.size()) - 1};
    const int root = item_with(items, top_);
    return {root, root};
}

int Builder::entry(const Item& item, std::size_t tree) const {
    if (item.group < 0) return item.rank;
    const std::vector<Item> items = items_of(item.group);
    return entry(items[static_cast<std::size_t>(entries(item.group, items)[tree])], tree);
}

bool Builder::concerns(const Item& item, const Exits& exits) const {
    const auto has_wanted = [&](const std::vector<int>& ranks) {
        return std::find(ranks.begin(), ranks.end(), wanted_) != ranks.end();
    };
    return wanted_ < 0 || hierarchy_.contains(item.group, wanted_) || has_wanted(exits[0]) ||
           has_wanted(exits[1]);
}

/// Finds the parents of the exits and of the group's own participants, except those by which the trees
/// enter the group.
void Builder::place(int group, const Exits& exits) {
    const std::vector<Item> items = items_of(group);
    const DealtOut below = deal_out({static_cast<int>(items.size()),
                                     entries(group, items),
                                     {static_cast<int>(exits[0].size()), static_cast<int>(exits[1].size())}});
    for (std::size_t i = 0; i < items.size(); ++i) {
        Exits children;
        for (const std::size_t tree : {0, 1}) {
            for (const int one : below[i][tree]) {
                children[tree].push_back(one < 0 ? exits[tree][static_cast<std::size_t>(-1 - one)]
                                                 : entry(items[static_cast<std::size_t>(one)], tree));
            }
        }
        if (items[i].group >= 0) {
            if (concerns(items[i], children)) place(items[i].group, children);
            continue;
        }
        for (const std::size_t tree : {0, 1}) {
            for (const int child : children[tree]) connect(tree, items[i].rank, child);
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
