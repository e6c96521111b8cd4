#include "topology/canonical_order.h"

#include <algorithm>
#include <numeric>

#include "topology/fact_hash.h"
#include "topology/sub_hierarchy.h"

namespace strata::topology {
namespace {

/// Returns true if the leader matters in a group with the root: it receives for ranks of its node. Elsewhere
/// the root takes its place, or it is the local root.
bool keeps_leader(const Hierarchy& hierarchy, const Group& group) {
    return !hierarchy.receivers.empty() && !is_network(group);
}

class Walk {
public:
    Walk(const Hierarchy& hierarchy, int root) : hierarchy_(hierarchy), root_(root) {
        ranks_.reserve(hierarchy.stop.size());
    }

    CanonicalOrder take() {
        const std::uint64_t groups = visit(0, true);
        return {FactHash{}.add(groups).add(hierarchy_.oversubscription).value(), std::move(ranks_)};
    }

private:
    /// A child, or a direct rank.
    struct Part {
        int lowest;  ///< rank
        int child;   ///< -1: a direct rank
    };

    std::vector<Part> parts_of(const Group& group) const;
    bool holds(const Part& part, int rank) const {
        return part.child < 0 ? part.lowest == rank : hierarchy_.contains(part.child, rank);
    }
    std::uint64_t visit(int group, bool holds_root);

    const Hierarchy& hierarchy_;
    int root_;
    std::vector<int> ranks_;
};

std::vector<Walk::Part> Walk::parts_of(const Group& group) const {
    std::vector<Part> parts;
    parts.reserve(group.children.size() + group.direct.size());
    auto direct = group.direct.begin();
    for (const int child : group.children) {
        const int lowest = hierarchy_.groups[static_cast<std::size_t>(child)].members.front();
        for (; direct != group.direct.end() && *direct < lowest; ++direct) parts.push_back({*direct, -1});
        parts.push_back({lowest, child});
    }
    for (; direct != group.direct.end(); ++direct) parts.push_back({*direct, -1});
    return parts;
}

/// Appends the ranks of a group and returns the hash of its structure. Equal consecutive parts count once.
std::uint64_t Walk::visit(int group, bool holds_root) {
    const Group& self = hierarchy_.groups[static_cast<std::size_t>(group)];
    std::vector<Part> parts = parts_of(self);
    const auto place_of = [&](int rank) {
        return std::ranges::find_if(parts, [&](const Part& part) { return holds(part, rank); });
    };
    std::ranges::rotate(parts, place_of(holds_root ? root_ : self.leader));
    FactHash hash;
    hash.add(self.level).add(self.around).add(holds_root).add(parts.size());
    if (keeps_leader(hierarchy_, self)) hash.add(place_of(self.leader) - parts.begin());
    std::uint64_t last = 0;
    std::size_t count = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const Part& part = parts[i];
        std::uint64_t own = hierarchy_.receiver_of(part.lowest) == part.lowest ? 1 : 2;
        if (part.child < 0) {
            ranks_.push_back(part.lowest);
        } else {
            own = visit(part.child, holds_root && i == 0);
        }
        if (i > 0 && own != last) {
            hash.add(last).add(count);
            count = 0;
        }
        last = own;
        ++count;
    }
    return hash.add(last).add(count).value();
}

}  // namespace

CanonicalOrder canonical_order(const Hierarchy& hierarchy, int root) { return Walk(hierarchy, root).take(); }

Hierarchy renumbered(const Hierarchy& hierarchy, const CanonicalOrder& order) {
    Hierarchy copy = sub_hierarchy(hierarchy, order.ranks);
    const std::size_t ranks = order.ranks.size();
    if (!hierarchy.receivers.empty()) {
        std::vector<int> number(ranks);
        for (std::size_t i = 0; i < ranks; ++i)
            number[static_cast<std::size_t>(order.ranks[i])] = static_cast<int>(i);
        for (const int rank : order.ranks)
            copy.receivers.push_back(number[static_cast<std::size_t>(hierarchy.receiver_of(rank))]);
    }
    // Groups with the root, rank 0, are the first ones of their parents.
    for (auto group = copy.groups.rbegin(); group != copy.groups.rend(); ++group) {
        if (group->members.front() != 0 || keeps_leader(copy, *group)) continue;
        const bool stops = !group->direct.empty() && group->direct.front() == 0;
        group->leader = stops ? 0 : copy.groups[static_cast<std::size_t>(group->children.front())].leader;
    }
    copy.topology_order.resize(ranks);
    std::iota(copy.topology_order.begin(), copy.topology_order.end(), 0);
    for (int rank = 0; rank < copy.ranks(); ++rank) {
        const int node = copy.widest_in_node(rank);
        if (node < 0 || copy.groups[static_cast<std::size_t>(node)].members.front() == rank)
            copy.topology_order_nodes.push_back(rank);
    }
    return copy;
}

}  // namespace strata::topology
