#include "topology/sub_hierarchy.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace strata::topology {
namespace {

class Copier {
public:
    Copier(const Hierarchy& whole, std::span<const int> kept)
        : whole_(whole), rank_of_(whole.stop.size(), -1) {
        for (std::size_t i = 0; i < kept.size(); ++i)
            rank_of_[static_cast<std::size_t>(kept[i])] = static_cast<int>(i);
        copy_.stop.resize(kept.size());
        add(0, -1);
        copy_.oversubscription = std::min(whole.oversubscription, static_cast<double>(kept.size()));
    }

    Hierarchy take() { return std::move(copy_); }

private:
    std::vector<int> children_of(const Group& group) const;
    int add(int group, int parent);
    std::vector<int> renumbered(const std::vector<int>& ranks) const {
        std::vector<int> kept;
        for (const int rank : ranks) {
            const int own = rank_of_[static_cast<std::size_t>(rank)];
            if (own >= 0) kept.push_back(own);
        }
        std::ranges::sort(kept);
        return kept;
    }

    const Hierarchy& whole_;
    std::vector<int> rank_of_;  ///< rank -> its new number; -1: left out
    Hierarchy copy_;
};

/// Returns the children with kept ranks, by their lowest new rank.
std::vector<int> Copier::children_of(const Group& group) const {
    std::vector<std::pair<int, int>> kept;  // lowest rank, child
    for (const int child : group.children) {
        int lowest = copy_.ranks();
        for (const int rank : whole_.groups[static_cast<std::size_t>(child)].members) {
            const int own = rank_of_[static_cast<std::size_t>(rank)];
            if (own >= 0) lowest = std::min(lowest, own);
        }
        if (lowest < copy_.ranks()) kept.emplace_back(lowest, child);
    }
    std::ranges::sort(kept);
    std::vector<int> children;
    for (const auto& [lowest, child] : kept) children.push_back(child);
    return children;
}

/// Copies a group and what is kept below it; returns its new index.
int Copier::add(int group, int parent) {
    const Group& old = whole_.groups[static_cast<std::size_t>(group)];
    std::vector<Group>& groups = copy_.groups;
    const auto place = groups.size();
    const auto index = static_cast<int>(place);
    Group copy;
    copy.level = old.level;
    copy.object = old.object;
    copy.around = old.around;
    copy.parent = parent;
    copy.depth = parent < 0 ? 0 : groups[static_cast<std::size_t>(parent)].depth + 1;
    copy.direct = renumbered(old.direct);
    copy.members = renumbered(old.members);
    for (const int rank : copy.members) copy_.stop[static_cast<std::size_t>(rank)] = index;
    groups.push_back(std::move(copy));
    std::vector<int> children = children_of(old);
    for (int& child : children) child = add(child, index);
    Group& self = groups[place];
    self.children = std::move(children);
    const int leader = rank_of_[static_cast<std::size_t>(old.leader)];
    self.leader = leader >= 0           ? leader
                  : self.direct.empty() ? groups[static_cast<std::size_t>(self.children.front())].leader
                                        : self.direct.front();
    return index;
}

}  // namespace

Hierarchy sub_hierarchy(const Hierarchy& hierarchy, std::span<const int> kept) {
    return Copier(hierarchy, kept).take();
}

}  // namespace strata::topology
