#include "sample_nodes.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace strata::algorithms {
namespace {

using topology::Group;
using topology::Hierarchy;

constexpr int parts = 2;  // of everything between nodes

class Sampler {
public:
    Sampler(const Hierarchy& whole, int root) : whole_(whole), root_(root), rank_of_(whole.stop.size(), -1) {}

    Sample take() {
        std::vector<int> kept;
        collect(0, kept);
        std::sort(kept.begin(), kept.end());
        for (std::size_t i = 0; i < kept.size(); ++i) rank_of_[kept[i]] = static_cast<int>(i);
        sample_.hierarchy.stop.resize(kept.size());
        add(0, -1);
        sample_.root = rank_of_[root_];
        sample_.hierarchy.crowding = std::min(whole_.crowding, static_cast<double>(kept.size()));
        return std::move(sample_);
    }

private:
    void collect(int group, std::vector<int>& kept) const;
    int add(int group, int parent);
    std::vector<int> renumbered(const std::vector<int>& ranks) const {
        std::vector<int> kept;
        for (const int rank : ranks) {
            if (rank_of_[rank] >= 0) kept.push_back(rank_of_[rank]);
        }
        return kept;
    }

    const Hierarchy& whole_;
    int root_;
    std::vector<int> rank_of_;  ///< rank -> its new number; -1: left out
    Sample sample_;
};

void Sampler::collect(int group, std::vector<int>& kept) const {
    const Group& self = whole_.groups[group];
    if (!is_network(self)) {
        kept.insert(kept.end(), self.members.begin(), self.members.end());
        return;
    }
    std::vector<int> children = self.children;
    const auto before = [&](int a, int b) {
        const bool holds_root = whole_.contains(a, root_);
        if (holds_root != whole_.contains(b, root_)) return holds_root;
        return whole_.groups[a].members.size() > whole_.groups[b].members.size();
    };
    std::stable_sort(children.begin(), children.end(), before);
    int left = parts;
    const auto keep = [&](int rank) {
        kept.push_back(rank);
        --left;
    };
    if (whole_.stop[root_] == group) keep(root_);
    for (const int child : children) {
        if (left == 0) return;
        collect(child, kept);
        --left;
    }
    for (const int rank : self.direct) {
        if (left == 0) return;
        if (rank != root_) keep(rank);
    }
}

/// Copies a group and what is left of those below it; returns its new index, -1: nothing is left.
int Sampler::add(int group, int parent) {
    const Group& old = whole_.groups[group];
    std::vector<int> members = renumbered(old.members);
    if (members.empty()) return -1;
    auto& groups = sample_.hierarchy.groups;
    const int index = static_cast<int>(groups.size());
    Group copy;
    copy.level = old.level;
    copy.object = old.object;
    copy.around = old.around;
    copy.parent = parent;
    copy.depth = parent < 0 ? 0 : groups[parent].depth + 1;
    copy.direct = renumbered(old.direct);
    copy.members = std::move(members);
    for (const int rank : copy.members) sample_.hierarchy.stop[rank] = index;
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

}  // namespace

Sample sample_nodes(const Hierarchy& hierarchy, int root) { return Sampler(hierarchy, root).take(); }

}  // namespace strata::algorithms
