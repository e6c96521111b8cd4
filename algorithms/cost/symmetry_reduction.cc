#include "algorithms/cost/symmetry_reduction.h"

#include <algorithm>
#include <map>
#include <utility>

#include "topology/sub_hierarchy.h"

namespace strata::algorithms {
namespace {

using topology::Group;
using topology::Hierarchy;

constexpr int parts = 2;  // of each group between nodes

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
        std::ranges::sort(kept_, {}, &Kept::rank);
    }

    struct Kept {
        int rank;
        std::size_t represented = 1;
        int modelled_by = -1;
    };
    /// By rank.
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
    std::ranges::sort(kept);
    const auto place = std::ranges::lower_bound(kept, root) - kept.begin();
    return {topology::sub_hierarchy(hierarchy, kept), static_cast<int>(place), {}, {}};
}

std::optional<ReducedMachine> reduce_by_symmetry(const Hierarchy& hierarchy, int root, bool switches) {
    if (hierarchy.ranks() <= most_ranks_in_full) return std::nullopt;
    const SymmetryReduction reduction(hierarchy, root, switches);
    const auto& kept = reduction.kept();
    if (2 * kept.size() > hierarchy.stop.size()) return std::nullopt;
    std::vector<int> ranks;
    for (const auto& own : kept) ranks.push_back(own.rank);
    const auto place_of = [&](int rank) {
        return static_cast<int>(std::ranges::lower_bound(ranks, rank) - ranks.begin());
    };
    ReducedMachine reduced{topology::sub_hierarchy(hierarchy, ranks), place_of(root), {}, {}};
    for (const auto& own : kept) {
        reduced.represented.push_back(static_cast<int>(own.represented));
        reduced.modelled_by.push_back(own.modelled_by < 0 ? -1 : place_of(own.modelled_by));
    }
    return reduced;
}

}  // namespace strata::algorithms
