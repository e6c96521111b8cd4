#include "algorithms/cost/symmetry_reduction.h"

#include <algorithm>
#include <map>
#include <utility>

namespace strata::algorithms {
namespace {

using topology::Group;
using topology::Hierarchy;

constexpr int parts = 2;  // of each group between nodes

/// Copies the kept part of a machine.
class Copier {
public:
    Copier(const Hierarchy& whole, std::vector<int> kept) : whole_(whole), rank_of_(whole.stop.size(), -1) {
        std::sort(kept.begin(), kept.end());
        for (std::size_t i = 0; i < kept.size(); ++i) rank_of_[kept[i]] = static_cast<int>(i);
        reduced_.hierarchy.stop.resize(kept.size());
        add(0, -1);
        reduced_.hierarchy.oversubscription =
            std::min(whole_.oversubscription, static_cast<double>(kept.size()));
    }

    /// Returns -1 for a removed rank.
    int rank_of(int rank) const { return rank_of_[rank]; }
    ReducedMachine take(int root) {
        reduced_.root = rank_of_[root];
        return std::move(reduced_);
    }

private:
    int add(int group, int parent);
    std::vector<int> renumbered(const std::vector<int>& ranks) const {
        std::vector<int> kept;
        for (const int rank : ranks) {
            if (rank_of_[rank] >= 0) kept.push_back(rank_of_[rank]);
        }
        return kept;
    }

    const Hierarchy& whole_;
    std::vector<int> rank_of_;  ///< rank -> its new number
    ReducedMachine reduced_;
};

/// Copies a group and what is kept below it; returns its new index, or -1 if nothing is kept.
int Copier::add(int group, int parent) {
    const Group& old = whole_.groups[group];
    std::vector<int> members = renumbered(old.members);
    if (members.empty()) return -1;
    auto& groups = reduced_.hierarchy.groups;
    const int index = static_cast<int>(groups.size());
    Group copy;
    copy.level = old.level;
    copy.object = old.object;
    copy.around = old.around;
    copy.parent = parent;
    copy.depth = parent < 0 ? 0 : groups[parent].depth + 1;
    copy.direct = renumbered(old.direct);
    copy.members = std::move(members);
    for (const int rank : copy.members) reduced_.hierarchy.stop[rank] = index;
    groups.push_back(std::move(copy));
    std::vector<int> children;
    for (const int child : old.children) {
        const int added = add(child, index);
        if (added >= 0) children.push_back(added);
    }
    std::sort(children.begin(), children.end(),
              [&](int a, int b) { return groups[a].members.front() < groups[b].members.front(); });
    Group& self = groups[index];
    self.children = std::move(children);
    const int leader = rank_of_[old.leader];
    self.leader = leader >= 0           ? leader
                  : self.direct.empty() ? groups[self.children.front()].leader
                                        : self.direct.front();
    return index;
}

/// Collects, for each group between nodes, the child with the root and the largest other child.
void collect_parts(const Hierarchy& whole, int root, int group, std::vector<int>& kept) {
    const Group& self = whole.groups[group];
    if (!is_network(self)) {
        kept.insert(kept.end(), self.members.begin(), self.members.end());
        return;
    }
    std::vector<int> children = self.children;
    const auto before = [&](int a, int b) {
        const bool holds_root = whole.contains(a, root);
        if (holds_root != whole.contains(b, root)) return holds_root;
        return whole.groups[a].members.size() > whole.groups[b].members.size();
    };
    std::stable_sort(children.begin(), children.end(), before);
    int left = parts;
    const auto keep = [&](int rank) {
        kept.push_back(rank);
        --left;
    };
    if (whole.stop[root] == group) keep(root);
    for (const int child : children) {
        if (left == 0) return;
        collect_parts(whole, root, child, kept);
        --left;
    }
    for (const int rank : self.direct) {
        if (left == 0) return;
        if (rank != root) keep(rank);
    }
}

/// The ranks that reduce_by_symmetry() keeps.
class SymmetryReduction {
public:
    SymmetryReduction(const Hierarchy& whole, int root, bool switches)
        : whole_(whole), root_(root), switches_(switches), largest_(whole.groups.size(), false) {
        std::map<topology::LevelKey, std::pair<std::size_t, int>> largest;  // size and group
        for (int g = 0; g < static_cast<int>(whole.groups.size()); ++g) {
            const Group& group = whole.groups[g];
            auto& [size, found] = largest.try_emplace(group.level, 0, -1).first->second;
            if (group.children.size() + group.direct.size() <= size) continue;
            size = group.children.size() + group.direct.size();
            found = g;
        }
        for (const auto& [level, own] : largest) {
            for (int g = own.second; g >= 0; g = whole.groups[g].parent) largest_[g] = true;
        }
        keep(0);
    }

    struct Kept {
        int rank;
        std::size_t represented = 1;
        int modelled_by = -1;
    };
    const std::vector<Kept>& kept() const { return kept_; }

private:
    void keep(int group) {
        const Group& self = whole_.groups[group];
        if (!is_network(self)) {
            for (const int rank : self.members) kept_.push_back({rank});
            return;
        }
        for (const int rank : self.direct) kept_.push_back({rank});
        const int first = child_with_local_root(group);
        const int next = first_of_the_largest(self, first);
        for (int i = 0; i < static_cast<int>(self.children.size()); ++i) {
            const int child = self.children[i];
            const bool inner = !switches_ && is_network(whole_.groups[child]);
            if (i == first || i == next || largest_[child] || inner) {
                keep(child);
            } else {
                const Group& own = whole_.groups[child];
                kept_.push_back({own.leader, own.members.size(), whole_.groups[self.children[next]].leader});
            }
        }
    }

    /// Returns the index of the child with the local root; 0 if no child contains it.
    int child_with_local_root(int group) const {
        const int local_root = whole_.contains(group, root_) ? root_ : whole_.groups[group].leader;
        const auto& children = whole_.groups[group].children;
        int below = whole_.stop[local_root];
        while (below > group && whole_.groups[below].parent != group) below = whole_.groups[below].parent;
        const auto found = std::find(children.begin(), children.end(), below);
        return found == children.end() ? 0 : static_cast<int>(found - children.begin());
    }

    int first_of_the_largest(const Group& group, int first) const {
        const auto count = static_cast<int>(group.children.size());
        int best = first;
        for (int turn = 1; turn < count; ++turn) {
            const int place = (first + turn) % count;
            const auto members = [&](int i) { return whole_.groups[group.children[i]].members.size(); };
            if (best == first || members(place) > members(best)) best = place;
        }
        return best;
    }

    const Hierarchy& whole_;
    int root_;
    bool switches_;
    std::vector<bool> largest_;  ///< by group: it or a group below is the largest of a level
    std::vector<Kept> kept_;
};

}  // namespace

ReducedMachine reduce_to_few_nodes(const Hierarchy& hierarchy, int root) {
    std::vector<int> kept;
    collect_parts(hierarchy, root, 0, kept);
    return Copier(hierarchy, std::move(kept)).take(root);
}

std::optional<ReducedMachine> reduce_by_symmetry(const Hierarchy& hierarchy, int root, bool switches) {
    if (hierarchy.ranks() <= most_ranks_in_full) return std::nullopt;
    const SymmetryReduction reduction(hierarchy, root, switches);
    if (2 * reduction.kept().size() > hierarchy.stop.size()) return std::nullopt;
    std::vector<int> kept;
    for (const auto& own : reduction.kept()) kept.push_back(own.rank);
    Copier copier(hierarchy, std::move(kept));
    ReducedMachine reduced = copier.take(root);
    reduced.represented.resize(reduction.kept().size());
    reduced.modelled_by.resize(reduction.kept().size());
    for (const auto& own : reduction.kept()) {
        const int rank = copier.rank_of(own.rank);
        reduced.represented[rank] = static_cast<int>(own.represented);
        reduced.modelled_by[rank] = own.modelled_by < 0 ? -1 : copier.rank_of(own.modelled_by);
    }
    return reduced;
}

}  // namespace strata::algorithms
