#include "double_binary_checks.h"

#include <algorithm>

namespace strata::testing {

using namespace algorithms;
using topology::Group;

namespace {

std::string number(int value) { return std::to_string(value); }

/// Edges of a tree from outside a group into it, or out of it.
int crossing(const TwoTrees& made, std::size_t half, int group, bool inwards) {
    int count = 0;
    for (int rank = 0; rank < made.hierarchy.ranks(); ++rank) {
        for (const int child : made.links[half][static_cast<std::size_t>(rank)].children) {
            const bool from = made.hierarchy.contains(group, rank);
            const bool to = made.hierarchy.contains(group, child);
            count += (inwards ? !from && to : from && !to) ? 1 : 0;
        }
    }
    return count;
}

}  // namespace

void TwoTrees::grow() {
    links = {double_binary_tree(group_of(), Half::first), double_binary_tree(group_of(), Half::second)};
}

std::vector<int> TwoTrees::participants() const {
    return algorithms::participants(hierarchy, group, root, skipped);
}

bool TwoTrees::skips(int one) const {
    return std::find(skipped.begin(), skipped.end(), hierarchy.groups[static_cast<std::size_t>(one)].level) !=
           skipped.end();
}

std::vector<int> TwoTrees::skipped_groups() const {
    std::vector<int> all;
    for (int one = 0; one < static_cast<int>(hierarchy.groups.size()); ++one) {
        if (skips(one) && used_group(hierarchy, one, skipped) == group) all.push_back(one);
    }
    return all;
}

std::string TwoTrees::words() const {
    std::string text = "group " + number(group) + " of " + number(hierarchy.ranks()) + " ranks, root " +
                       number(root) + ", without";
    for (const int one : skipped_groups()) {
        text += " {";
        for (const int rank : hierarchy.groups[static_cast<std::size_t>(one)].members) {
            text += " " + number(rank);
        }
        text += " }";
    }
    return text + "\n" + drawing(links[0]) + "\n" + drawing(links[1]);
}

std::string drawing(const std::vector<RankLinks>& tree) {
    std::string text;
    for (std::size_t rank = 0; rank < tree.size(); ++rank) {
        if (tree[rank].children.empty()) continue;
        text += (text.empty() ? "" : ";  ") + std::to_string(rank) + " ->";
        for (const int child : tree[rank].children) text += " " + number(child);
    }
    return text;
}

std::string spanning_faults(const TwoTrees& made) {
    const std::vector<int> members = made.participants();
    for (const auto& tree : made.links) {
        if (tree.size() != made.hierarchy.stop.size()) return "not every rank has links";
        std::vector<int> parent(tree.size(), -1);
        for (std::size_t rank = 0; rank < tree.size(); ++rank) {
            for (const int child : tree[rank].children) {
                if (parent[static_cast<std::size_t>(child)] >= 0) return number(child) + " has two parents";
                parent[static_cast<std::size_t>(child)] = static_cast<int>(rank);
            }
        }
        for (int rank = 0; rank < made.hierarchy.ranks(); ++rank) {
            const RankLinks& own = tree[static_cast<std::size_t>(rank)];
            if (own.parent != parent[static_cast<std::size_t>(rank)]) {
                return "parent and child disagree at " + number(rank);
            }
            if (std::find(members.begin(), members.end(), rank) == members.end()) {
                if (own.parent >= 0 || !own.children.empty()) return number(rank) + " takes part";
                continue;
            }
            std::size_t steps = 0;
            for (int walk = rank; walk != members.front();
                 walk = tree[static_cast<std::size_t>(walk)].parent) {
                if (tree[static_cast<std::size_t>(walk)].parent < 0 || ++steps > tree.size()) {
                    return "no way from the root to " + number(rank);
                }
            }
        }
    }
    return {};
}

std::string entering_faults(const TwoTrees& made) {
    const int top = made.participants().front();
    for (const int group : made.skipped_groups()) {
        const int expected = made.hierarchy.contains(group, top) ? 0 : 1;
        for (const std::size_t half : {0, 1}) {
            const int found = crossing(made, half, group, true);
            if (found != expected) {
                return "half " + std::to_string(half) + " enters group " + number(group) + " " +
                       number(found) + " times";
            }
        }
    }
    return {};
}

std::string own_place_faults(const TwoTrees& made) {
    for (const std::size_t half : {0, 1}) {
        for (int rank = 0; rank < made.hierarchy.ranks(); ++rank) {
            const RankLinks& known = made.links[half][static_cast<std::size_t>(rank)];
            const RankLinks own =
                double_binary_links(made.group_of(), rank, half == 0 ? Half::first : Half::second);
            if (own.parent != known.parent || own.children != known.children) {
                return "rank " + number(rank) + " finds another place";
            }
        }
    }
    return {};
}

std::string leaving_faults(const TwoTrees& made) {
    for (const int rank : made.participants()) {
        const auto own = static_cast<std::size_t>(rank);
        const std::size_t found = made.links[0][own].children.size() + made.links[1][own].children.size();
        if (found > 2) return "rank " + number(rank) + " passes on " + std::to_string(found) + " halves";
    }
    for (const int group : made.skipped_groups()) {
        const int found = crossing(made, 0, group, false) + crossing(made, 1, group, false);
        if (found > 2) return "group " + number(group) + " passes on " + number(found) + " halves";
    }
    return {};
}

int depth_of(const std::vector<RankLinks>& tree) {
    int deepest = 0;
    for (std::size_t rank = 0; rank < tree.size(); ++rank) {
        int steps = 0;
        for (int walk = tree[rank].parent; walk >= 0; walk = tree[static_cast<std::size_t>(walk)].parent) {
            ++steps;
        }
        deepest = std::max(deepest, steps);
    }
    return deepest;
}

}  // namespace strata::testing
