#include "algorithms/patterns/reduction_links.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/patterns/check_rank.h"
#include "algorithms/patterns/group_part.h"
#include "algorithms/patterns/shape.h"
#include "algorithms/patterns/window.h"

namespace strata::algorithms {
namespace {

using topology::Group;
using topology::Hierarchy;
using Edge = TreeLinks::Edge;

/// Returns the child of `group` that contains `rank`, or -1.
int child_with(const Hierarchy& hierarchy, int group, int rank) {
    int current = hierarchy.stop[static_cast<std::size_t>(rank)];
    while (current >= 0 && hierarchy.groups[current].parent != group) {
        current = hierarchy.groups[current].parent;
    }
    return current;
}

using LowestAndMember = std::pair<int, int>;  // the lowest rank that a member represents, the member

void add_local_roots(const Hierarchy& hierarchy, const Plan& plan, int group, int root,
                     std::vector<LowestAndMember>& result) {
    const Group& self = hierarchy.groups[group];
    const int root_child = child_with(hierarchy, group, root);
    for (const int rank : self.direct) {
        result.emplace_back(rank, rank);
    }
    for (const int child : self.children) {
        const Group& below = hierarchy.groups[child];
        const int lowest = below.members.front();
        if (used_group(hierarchy, child, plan.skipped) != child) {
            add_local_roots(hierarchy, plan, child, root, result);
        } else {
            result.emplace_back(lowest, child == root_child ? root : lowest);
        }
    }
}

/// Returns the members that communicate on a group's level in rank order, ascending by the lowest rank that
/// each represents. The local root of a group without the root is its lowest member.
std::vector<int> local_roots(const Hierarchy& hierarchy, const Plan& plan, int group, int root) {
    std::vector<LowestAndMember> all;
    add_local_roots(hierarchy, plan, group, root, all);
    std::sort(all.begin(), all.end());
    std::vector<int> members(all.size());
    std::transform(all.begin(), all.end(), members.begin(),
                   [](const LowestAndMember& own) { return own.second; });
    return members;
}

/// Returns true for shapes whose every subtree is a run of positions with its root first.
bool keeps_order(const AlgorithmInfo& shape) { return shape.tree_shape && shape.keeps_rank_order; }

/// A position's neighbours among the participants of one group.
struct Neighbours {
    int parent = -1;
    std::vector<int> lower;   ///< children combined before the rank's own contribution
    std::vector<int> higher;  ///< children combined after it, ascending
};

/// Positions from `top` on form a tree rooted there. Those below it form a tree rooted at 0, which is one
/// more child of `top` and is combined first:
///
///   top 3 of 7, binomial:  3 -> [0] 4 5;  0 -> 1 2;  5 -> 6
Neighbours ordered_neighbours(const LevelMethod& wanted, int position, int top, int size) {
    const LevelMethod method =
        keeps_order(info(wanted.algorithm)) ? wanted : LevelMethod{Algorithm::binomial, 0, {}};
    const bool below = position < top;
    const int first = below ? 0 : top;
    const ShapeLinks shape = shape_links(method, position - first, below ? top : size - top);
    Neighbours result;
    if (shape.parent >= 0) {
        result.parent = first + shape.parent;
    } else if (below) {
        result.parent = top;
    }
    if (position == top && top > 0) {
        result.lower.push_back(0);
    }
    for (const int child : shape.children) {
        result.higher.push_back(first + child);
    }
    std::sort(result.higher.begin(), result.higher.end());
    return result;
}

/// Returns `rank`'s edges in the tree that keeps rank order, in the groups from its own up to, but
/// without, `end` (-1: all).
ReductionLinks ordered_links(const Hierarchy& hierarchy, const Plan& plan, int root, int rank, int end) {
    ReductionLinks links;
    std::vector<Edge> lower;  // the widest level last: it holds the lowest ranks
    const auto used = [&](int group) { return used_group(hierarchy, group, plan.skipped); };
    for (int group = used(hierarchy.stop[static_cast<std::size_t>(rank)]);
         group != end && links.parent.peer < 0; group = used(hierarchy.groups[group].parent)) {
        const std::vector<int> members = local_roots(hierarchy, plan, group, root);
        const auto position_of = [&](int member) {
            return static_cast<int>(std::find(members.begin(), members.end(), member) - members.begin());
        };
        const int size = static_cast<int>(members.size());
        const int with_root = position_of(root);
        const Neighbours own = ordered_neighbours(plan.at(hierarchy.groups[group].level).method,
                                                  position_of(rank), with_root < size ? with_root : 0, size);
        const auto edge_to = [&](int position) {
            return Edge{members[static_cast<std::size_t>(position)], group, 0};
        };
        for (const int child : own.lower) {
            lower.push_back(edge_to(child));
        }
        for (const int child : own.higher) {
            links.children.push_back(edge_to(child));
        }
        if (own.parent >= 0) {
            links.parent = edge_to(own.parent);
        }
    }
    links.children.insert(links.children.begin(), lower.rbegin(), lower.rend());
    links.before = static_cast<int>(lower.size());
    return links;
}

/// Returns the plan with a binomial tree in place of every exchange.
Plan tree_plan(const Plan& plan) {
    Plan result = plan;
    for (LevelPlan& level : result.levels) {
        if (is_exchange(level.method)) {
            level.method = {Algorithm::binomial, 0, {}};
        }
    }
    return result;
}

ReductionLinks reversed_links(const Hierarchy& hierarchy, const Plan& plan, int root, int rank,
                              Half half = Half::whole) {
    TreeLinks tree = tree_links(hierarchy, tree_plan(plan), root, rank, Flow::to_root, half);
    ReductionLinks links;
    links.parent = tree.parent;
    links.children.assign(tree.children.rbegin(), tree.children.rend());
    return links;
}

void set_segments(ReductionLinks& links, const Hierarchy& hierarchy, const Plan& plan, int rank) {
    const std::size_t segment_bytes = plan.at(hierarchy.groups.front().level).segment_bytes;
    const auto set = [&](Edge& edge) {
        const bool apart = between_nodes(hierarchy, rank, edge.peer);
        edge.segment_bytes = segment_bytes;
        edge.window = apart ? Window(plan).between_nodes(segment_bytes) : 0;
    };
    if (links.parent.peer >= 0) {
        set(links.parent);
    }
    for (Edge& edge : links.children) {
        set(edge);
    }
}

}  // namespace

bool consecutive_groups(const Hierarchy& hierarchy) {
    return std::all_of(hierarchy.groups.begin(), hierarchy.groups.end(), [](const Group& group) {
        return group.members.back() - group.members.front() + 1 == static_cast<int>(group.members.size());
    });
}

ReductionLinks reduction_links(const Hierarchy& hierarchy, const Plan& plan, int root, int rank,
                               bool rank_order, Half half) {
    check_rank(hierarchy, root, "root");
    check_rank(hierarchy, rank, "rank");
    ReductionLinks links = rank_order ? ordered_links(hierarchy, plan, root, rank, -1)
                                      : reversed_links(hierarchy, plan, root, rank, half);
    set_segments(links, hierarchy, plan, rank);
    return links;
}

std::vector<int> exchange_core(const Hierarchy& hierarchy, const Plan& plan, bool rank_order) {
    const Group& top = hierarchy.groups.front();
    return rank_order ? local_roots(hierarchy, plan, 0, top.members.front())
                      : participants(hierarchy, 0, top.leader, plan.skipped);
}

ExchangeLinks exchange_links(const Hierarchy& hierarchy, const Plan& plan, int rank, bool rank_order) {
    check_rank(hierarchy, rank, "rank");
    constexpr int top = 0;
    const int root = rank_order ? hierarchy.groups[top].members.front() : hierarchy.groups[top].leader;
    ExchangeLinks links;
    if (rank_order) {
        links.below = ordered_links(hierarchy, plan, root, rank, top);
    } else {
        links.below = reversed_links(hierarchy, plan, root, rank);
        std::erase_if(links.below.children, [](const Edge& edge) { return edge.group == top; });
        if (links.below.parent.group == top) {
            links.below.parent = {};
        }
    }
    links.segment_bytes = plan.at(hierarchy.groups[top].level).segment_bytes;
    if (is_network(hierarchy.groups[top])) links.window = Window(plan).between_nodes(links.segment_bytes);
    set_segments(links.below, hierarchy, plan, rank);
    if (links.below.parent.peer < 0) {
        links.core = exchange_core(hierarchy, plan, rank_order);
        links.position =
            static_cast<int>(std::find(links.core.begin(), links.core.end(), rank) - links.core.begin());
    }
    return links;
}

}  // namespace strata::algorithms
