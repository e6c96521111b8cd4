#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

#include "strata/algorithms/block_exchange.h"
#include "strata/algorithms/shape.h"
#include "strata/algorithms/tree.h"

namespace strata::algorithms {
namespace {

using topology::Hierarchy;

constexpr int nobody = -1;

/// The tree of tree_links(), all of it. Cost: O(ranks * depth).
class WholeTree {
public:
    struct Edge {
        int peer = nobody;
        int group = -1;
    };

    WholeTree(const Hierarchy& hierarchy, const Plan& plan, int root)
        : parents_(hierarchy.stop.size(), nobody),
          groups_(hierarchy.stop.size(), -1),
          first_(hierarchy.stop.size() + 1, 0) {
        struct Link {
            int parent;
            int child;
            int group;
        };
        std::vector<Link> links;
        links.reserve(parents_.size());
        // Children stand behind their parents: backwards, a rank's edges come up narrow levels first.
        for (int group = static_cast<int>(hierarchy.groups.size()) - 1; group >= 0; --group) {
            const std::vector<int> members = shape_members(hierarchy, plan, group, root);
            const LevelMethod& method = plan.at(hierarchy.groups[group].level).method;
            for (std::size_t position = 1; position < members.size(); ++position) {
                const ShapeLinks shape =
                    shape_links(method, static_cast<int>(position), static_cast<int>(members.size()));
                links.push_back({members[shape.parent], members[position], group});
            }
        }
        for (const Link& link : links) {
            parents_[link.child] = link.parent;
            groups_[link.child] = link.group;
            ++first_[link.parent + 1];
            ++first_[link.child + 1];
        }
        for (std::size_t rank = 1; rank < first_.size(); ++rank) {
            first_[rank] += first_[rank - 1];
        }
        edges_.resize(2 * links.size());
        std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
        for (const Link& link : links) {
            edges_[next[link.parent]++] = {link.child, link.group};
            edges_[next[link.child]++] = {link.parent, link.group};
        }
    }

    int ranks() const { return static_cast<int>(parents_.size()); }
    int parent(int rank) const { return parents_[rank]; }
    /// Narrow levels first, within a level by position in its shape.
    std::span<const Edge> edges(int rank) const {
        return std::span(edges_).subspan(first_[rank], first_[rank + 1] - first_[rank]);
    }
    /// The edge between neighbours, as `rank` sees it.
    Edge edge(int rank, int peer) const {
        const int child = parents_[rank] == peer ? rank : peer;
        return {peer, groups_[child]};
    }

private:
    std::vector<int> parents_;
    std::vector<int> groups_;         ///< rank -> the group whose level its edge to the parent crosses
    std::vector<std::size_t> first_;  ///< rank -> its first edge
    std::vector<Edge> edges_;
};

/// The ranks that can be reached from `start` without its neighbour `barred`: those nearer to it first.
/// `toward`: each one's neighbour on the way back; a tree has only one.
std::vector<int> reach(const WholeTree& tree, int start, int barred, std::vector<int>& toward) {
    toward.assign(static_cast<std::size_t>(tree.ranks()), nobody);
    toward[start] = barred;
    std::vector<int> reached{start};
    for (std::size_t i = 0; i < reached.size(); ++i) {
        const int rank = reached[i];
        for (const WholeTree::Edge& edge : tree.edges(rank)) {
            if (edge.peer != toward[rank]) {
                toward[edge.peer] = rank;
                reached.push_back(edge.peer);
            }
        }
    }
    return reached;
}

/// A list of blocks through a table of successors; a block is in one list at a time.
struct List {
    int head = nobody;
    int last_near = nobody;  ///< what follows comes from outside the group of the edge that brings the list
    int tail = nobody;
};

/// What every rank sends towards one of them, in the order in which it becomes available there: its own
/// block, then the others by the deepest group that they share with it (the wider that group, the slower the
/// links on the way), within a group one block of each edge in turn.
class Arrivals {
public:
    /// Towards `rank`, from everywhere but its neighbour `barred`. The lists are merged from the leaves on.
    /// Where lists meet in turn, the longest is not touched beyond the length of the second longest but
    /// spliced: O(ranks * log(ranks)) in all, and O(ranks) for a chain.
    Arrivals(const WholeTree& tree, int rank, int barred)
        : tree_(tree),
          lists_(static_cast<std::size_t>(tree.ranks())),
          next_(static_cast<std::size_t>(tree.ranks()), nobody) {
        std::vector<int> toward;
        const std::vector<int> reached = reach(tree, rank, barred, toward);
        for (std::size_t i = reached.size() - 1; i > 0; --i) {
            const int sender = reached[i];
            const WholeTree::Edge back = tree.edge(sender, toward[sender]);
            List list{sender, sender, sender};
            merge(sender, back.peer, [&](int group, Part part) {
                next_[list.tail] = part.head;
                next_[part.tail] = nobody;
                list.tail = part.tail;
                if (group >= back.group) {
                    list.last_near = list.tail;
                }
            });
            lists_[sender] = list;
        }
    }

    /// The blocks that `neighbour` brings.
    std::vector<int> from(int neighbour) const {
        std::vector<int> blocks;
        collect({lists_[neighbour].head, lists_[neighbour].tail}, blocks);
        return blocks;
    }

    /// What `rank`, at which all lists end, sends to `neighbour`.
    std::vector<int> onward(int rank, int neighbour) const {
        std::vector<int> blocks{rank};
        merge(rank, neighbour, [&](int /*group*/, Part part) { collect(part, blocks); });
        return blocks;
    }

private:
    /// Part of a list, both ends included.
    struct Part {
        int head;
        int tail;
    };

    void collect(Part part, std::vector<int>& blocks) const {
        for (int block = part.head; block != part.tail; block = next_[block]) {
            blocks.push_back(block);
        }
        blocks.push_back(part.tail);
    }

    /// Hands out what the edges of `rank` bring, apart from the one to `receiver`: `take(group, part)` with
    /// the group whose level the blocks have crossed, or outside_all. It may relink what it is given.
    template <typename Take>
    void merge(int rank, int receiver, Take&& take) const {
        const std::span<const WholeTree::Edge> edges = tree_.edges(rank);
        std::vector<Part> level;
        for (std::size_t i = 0; i < edges.size();) {
            const int group = edges[i].group;
            Part far{nobody, nobody};
            // Only the edge to the parent brings something from outside, and it belongs to the last group.
            for (; i < edges.size() && edges[i].group == group; ++i) {
                if (edges[i].peer != receiver) {
                    const List& list = lists_[edges[i].peer];
                    level.push_back({list.head, list.last_near});
                    if (list.last_near != list.tail) {
                        far = {next_[list.last_near], list.tail};
                    }
                }
            }
            take_in_turn(level, [&](Part part) { take(group, part); });
            if (far.head != nobody) {
                take(outside_all, far);
            }
            level.clear();
        }
    }

    /// One block of each part in turn, and the rest of the last one at once.
    template <typename Take>
    void take_in_turn(std::vector<Part>& parts, Take&& take) const {
        while (parts.size() > 1) {
            std::size_t kept = 0;
            for (Part part : parts) {
                const int block = part.head;
                const bool more = block != part.tail;
                part.head = next_[block];
                take(Part{block, block});
                if (more) {
                    parts[kept++] = part;
                }
            }
            parts.resize(kept);
        }
        if (!parts.empty()) {
            take(parts.front());
        }
    }

    static constexpr int outside_all = -1;

    const WholeTree& tree_;
    std::vector<List> lists_;  ///< by sender
    std::vector<int> next_;    ///< block -> the next one in its list
};

/// The subtree of `rank` with every rank behind those below it, wide levels first, of one level the largest
/// subtree first: what has the longest way to go comes first. Every subtree is a run that its top ends.
std::vector<int> farthest_first(const WholeTree& tree, int rank, std::vector<int>& subtree_sizes) {
    std::vector<int> toward;
    const std::vector<int> reached = reach(tree, rank, tree.parent(rank), toward);
    subtree_sizes.assign(static_cast<std::size_t>(tree.ranks()), 1);
    for (std::size_t i = reached.size() - 1; i > 0; --i) {
        subtree_sizes[toward[reached[i]]] += subtree_sizes[reached[i]];
    }
    // Backwards it is a walk that visits a rank before those below it, its last child first.
    std::vector<int> order;
    order.reserve(reached.size());
    std::vector<int> waiting{rank};
    std::vector<std::tuple<int, int, std::size_t>> children;
    while (!waiting.empty()) {
        const int top = waiting.back();
        waiting.pop_back();
        order.push_back(top);
        children.clear();
        const std::span<const WholeTree::Edge> edges = tree.edges(top);
        for (std::size_t i = 0; i < edges.size(); ++i) {
            if (edges[i].peer != toward[top]) {
                // On one branch a group's number grows with its depth.
                children.emplace_back(edges[i].group, -subtree_sizes[edges[i].peer], i);
            }
        }
        std::sort(children.begin(), children.end());
        for (const auto& child : children) {
            waiting.push_back(edges[std::get<2>(child)].peer);
        }
    }
    std::reverse(order.begin(), order.end());
    return order;
}

std::vector<BlockRun> runs_of(const std::vector<int>& blocks) {
    std::vector<BlockRun> runs;
    for (const int block : blocks) {
        if (!runs.empty() && runs.back().first + runs.back().count == block) {
            ++runs.back().count;
        } else {
            runs.push_back({block, 1});
        }
    }
    runs.shrink_to_fit();
    return runs;
}

/// All other ranks; `runs` ascends.
std::vector<BlockRun> complement(const std::vector<BlockRun>& runs, int ranks) {
    std::vector<BlockRun> others;
    int end = 0;
    for (const BlockRun& run : runs) {
        if (run.first > end) {
            others.push_back({end, run.first - end});
        }
        end = run.first + run.count;
    }
    if (ranks > end) {
        others.push_back({end, ranks - end});
    }
    return others;
}

BlockStream stream_over(const TreeLinks::Edge& edge, std::vector<int> blocks) {
    if (edge.segment_bytes == 0) {
        std::sort(blocks.begin(), blocks.end());
    }
    return {edge.peer, runs_of(blocks), edge.segment_bytes};
}

BlockRoutes routes_from_root(const WholeTree& tree, const TreeLinks& links, int rank) {
    std::vector<int> sizes;
    const std::vector<int> order = farthest_first(tree, rank, sizes);
    std::vector<std::ptrdiff_t> ends(sizes.size());
    for (std::size_t place = 0; place < order.size(); ++place) {
        ends[order[place]] = static_cast<std::ptrdiff_t>(place) + 1;
    }
    BlockRoutes routes;
    if (links.parent.peer != nobody) {
        routes.in.push_back(stream_over(links.parent, order));
    }
    for (const TreeLinks::Edge& edge : links.children) {
        const auto end = order.begin() + ends[edge.peer];
        routes.out.push_back(stream_over(edge, {end - sizes[edge.peer], end}));
    }
    return routes;
}

BlockRoutes routes_to_root(const WholeTree& tree, const TreeLinks& links, int rank) {
    const int parent = links.parent.peer;
    const Arrivals arrivals(tree, rank, parent);
    BlockRoutes routes;
    for (const TreeLinks::Edge& edge : links.children) {
        routes.in.push_back(stream_over(edge, arrivals.from(edge.peer)));
    }
    if (parent != nobody) {
        routes.out.push_back(stream_over(links.parent, arrivals.onward(rank, parent)));
    }
    return routes;
}

BlockRoutes routes_to_all(const WholeTree& tree, const TreeLinks& links, int rank) {
    const Arrivals arrivals(tree, rank, nobody);
    BlockRoutes routes;
    const auto add = [&](const TreeLinks::Edge& edge) {
        routes.in.push_back(stream_over(edge, arrivals.from(edge.peer)));
        if (edge.segment_bytes == 0) {
            routes.out.push_back({edge.peer, complement(routes.in.back().runs, tree.ranks()), 0});
        } else {
            routes.out.push_back(stream_over(edge, arrivals.onward(rank, edge.peer)));
        }
    };
    if (links.parent.peer != nobody) {
        add(links.parent);
    }
    for (const TreeLinks::Edge& edge : links.children) {
        add(edge);
    }
    return routes;
}

}  // namespace

BlockRoutes block_routes(const Hierarchy& hierarchy, const Plan& plan, int root, int rank, BlockFlow flow) {
    const TreeLinks links = tree_links(hierarchy, plan, root, rank);
    const WholeTree tree(hierarchy, plan, root);
    switch (flow) {
        case BlockFlow::all: return routes_to_all(tree, links, rank);
        case BlockFlow::to_root: return routes_to_root(tree, links, rank);
        case BlockFlow::from_root: return routes_from_root(tree, links, rank);
    }
    throw std::invalid_argument("unknown block flow " + std::to_string(static_cast<int>(flow)));
}

}  // namespace strata::algorithms
