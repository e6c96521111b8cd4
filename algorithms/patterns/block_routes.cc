#include "algorithms/patterns/block_routes.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "algorithms/patterns/backwards.h"
#include "algorithms/patterns/block_arrivals.h"
#include "algorithms/patterns/doubling_blocks.h"
#include "algorithms/patterns/group_part.h"
#include "algorithms/patterns/whole_tree.h"

namespace strata::algorithms {
namespace {

using topology::Hierarchy;

/// Returns the subtree of `rank`, every rank after its own subtree. Blocks with the longest way come
/// first: wide levels before narrow ones, within a level the largest subtree first. Every subtree is
/// contiguous and ends with its top rank.
std::vector<int> farthest_first(const WholeTree& tree, int rank, std::vector<int>& subtree_sizes) {
    std::vector<int> toward;
    const std::vector<int> reached = reach(tree, rank, tree.parent(rank), toward);
    subtree_sizes.assign(static_cast<std::size_t>(tree.ranks()), 1);
    for (std::size_t i = reached.size() - 1; i > 0; --i) {
        subtree_sizes[toward[reached[i]]] += subtree_sizes[reached[i]];
    }
    // Reversed, the order is a pre-order traversal that takes the last child first.
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
                // On one branch deeper groups have higher numbers.
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

/// Appends the blocks as runs and starts a new run.
void add_runs(std::vector<BlockRun>& runs, std::span<const int> blocks) {
    const std::size_t before = runs.size();
    for (const int block : blocks) {
        if (runs.size() > before && runs.back().first + runs.back().count == block) {
            ++runs.back().count;
        } else {
            runs.push_back({block, 1});
        }
    }
}

std::vector<BlockRun> runs_of(const std::vector<int>& blocks) {
    std::vector<BlockRun> runs;
    add_runs(runs, blocks);
    runs.shrink_to_fit();
    return runs;
}

/// Returns all ranks outside `runs`, which ascend.
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
    return {edge.peer, runs_of(blocks), edge.segment_bytes, {}, 0, edge.window};
}

BlockRoutes routes_from_root(const WholeTree& tree, const TreeLinks& links, int rank) {
    std::vector<int> sizes;
    const std::vector<int> order = farthest_first(tree, rank, sizes);
    std::vector<std::ptrdiff_t> ends(sizes.size());
    for (std::size_t place = 0; place < order.size(); ++place) {
        ends[order[place]] = static_cast<std::ptrdiff_t>(place) + 1;
    }
    BlockRoutes routes;
    if (links.parent.peer != no_rank) {
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
    const BlockArrivals arrivals(tree, rank, parent);
    BlockRoutes routes;
    for (const TreeLinks::Edge& edge : links.children) {
        routes.in.push_back(stream_over(edge, arrivals.from(edge.peer)));
    }
    if (parent != no_rank) {
        routes.out.push_back(stream_over(links.parent, arrivals.onward(rank, parent)));
    }
    return routes;
}

/// One rank's streams of an Allgather, edge by edge.
class RoutesToAll {
public:
    RoutesToAll(const Hierarchy& hierarchy, const Plan& plan, const WholeTree& tree, int rank)
        : hierarchy_(hierarchy), plan_(plan), rank_(rank), tree_(tree), arrivals_(tree, rank, no_rank) {}

    void add_neighbour(const TreeLinks::Edge& edge) {
        routes_.in.push_back(stream_over(edge, in_order(arrivals_.from(edge.peer))));
        if (edge.segment_bytes == 0) {
            routes_.out.push_back({edge.peer, complement(routes_.in.back().runs, tree_.ranks()), 0, {}});
        } else {
            routes_.out.push_back(stream_over(edge, in_order(arrivals_.onward(rank_, edge.peer))));
        }
    }

    /// Makes the blocks from outside the rank's top_member() come in this order, by recursive doubling.
    /// Call it before adding edges. No deadlock: a round waits for earlier rounds and for blocks from
    /// deeper levels, which wait for no round. Messages that go down wait for these only.
    void set_outside(std::vector<int> blocks) {
        outside_ = std::move(blocks);
        is_outside_.assign(static_cast<std::size_t>(tree_.ranks()), false);
        for (const int block : outside_) is_outside_[block] = true;
    }

    void add_exchange(TreeLinks::Edge edge, DoublingBlocks::Exchange exchange) {
        edge.peer = exchange.peer;
        routes_.in.push_back(stream_over(edge, std::move(exchange.in)));
        routes_.out.push_back(stream_over(edge, std::move(exchange.out)));
    }

    void take_part() { routes_.doubles = true; }

    /// Adds the edges of a ring. The predecessor sends everything except the blocks behind this rank, and
    /// the successor gets everything except the blocks behind it. An edge leaves out the blocks from
    /// outside the group if its receiver is the group's local root, which gets them from outside.
    ///
    /// No deadlock, although the edges form a cycle. Receives are always posted, so a message waits only
    /// for earlier messages of its edge and for the messages that bring its blocks. The messages can go in
    /// the order of depth, piece, number:
    /// - The group's own blocks: message p of piece j carries what message p of piece j - 1 brought over
    /// the previous edge, because all pieces are cut alike. Piece 0 comes from deeper groups, which send
    /// their own blocks up before any block from outside, on rings and on trees.
    /// - The blocks from outside: down the levels and along each ring, whose last edge carries none.
    /// - A message that spanned two pieces could wait for itself, once round the ring.
    void add_ring(const GroupPart& part) {
        const int before = (part.position + part.size() - 1) % part.size();
        const int after = (part.position + 1) % part.size();
        routes_.in_ring = true;
        routes_.in.push_back(cut_stream(part, before, in_order(arrivals_.from(part.members[before]))));
        // The ring's path to this rank starts at the successor, so its blocks are the last of the group's
        // own.
        std::vector<int> blocks = in_order(arrivals_.onward(rank_, no_rank));
        const auto inside =
            blocks.begin() + static_cast<std::ptrdiff_t>(hierarchy_.groups[part.group].members.size());
        blocks.erase(inside - behind(part, after), after == 0 ? blocks.end() : inside);
        routes_.out.push_back(cut_stream(part, part.position, std::move(blocks)));
        routes_.out.back().peer = part.members[after];
    }

    BlockRoutes take() { return std::move(routes_); }

private:
    /// Blocks that come by recursive doubling are the last of every list. Puts them into the order of the
    /// rounds.
    std::vector<int> in_order(std::vector<int> blocks) const {
        if (!outside_.empty() && is_outside_[blocks.back()]) {
            std::copy(outside_.begin(), outside_.end(), blocks.end() - std::ssize(outside_));
        }
        return blocks;
    }

    /// Returns the number of ranks behind a participant: those of its child group, or 1.
    int behind(const GroupPart& part, int position) const {
        const auto used = [&](int group) { return used_group(hierarchy_, group, plan_.skipped); };
        int ranks = 1;
        for (int below = used(hierarchy_.stop[part.members[position]]); below != part.group;
             below = used(hierarchy_.groups[below].parent)) {
            ranks = static_cast<int>(hierarchy_.groups[below].members.size());
        }
        return ranks;
    }

    /// Returns what the participant at `sender` sends along the ring: one piece per participant, its own
    /// first and then against the ring's direction, and one piece for all blocks from outside.
    BlockStream cut_stream(const GroupPart& part, int sender, std::vector<int> blocks) const {
        BlockStream stream{part.members[sender], {}, part.level->segment_bytes, {}, 0, part.window};
        auto left = std::span(blocks);
        for (int i = 0; i < part.size() && !left.empty(); ++i) {
            const bool outside = i == part.size() - 1;
            const auto length =
                outside ? left.size()
                        : static_cast<std::size_t>(behind(part, (sender + part.size() - i) % part.size()));
            const auto piece = left.first(length);
            if (stream.segment_bytes == 0) {
                std::sort(piece.begin(), piece.end());
            }
            if (i > 0) {
                stream.cuts.push_back(stream.runs.size());
            }
            add_runs(stream.runs, piece);
            left = left.subspan(length);
        }
        stream.runs.shrink_to_fit();
        return stream;
    }

    const Hierarchy& hierarchy_;
    const Plan& plan_;
    int rank_;
    const WholeTree& tree_;
    BlockArrivals arrivals_;
    std::vector<int> outside_;  ///< blocks that reach the rank's top_member() by recursive doubling, in order
    std::vector<bool> is_outside_;
    BlockRoutes routes_;
};

/// Returns the member of the topmost group that represents `rank`.
int top_member(const Hierarchy& hierarchy, const Plan& plan, int rank) {
    constexpr int top = 0;
    const auto used = [&](int group) { return used_group(hierarchy, group, plan.skipped); };
    int member = rank;
    for (int group = used(hierarchy.stop.at(static_cast<std::size_t>(rank))); group != top;
         group = used(hierarchy.groups[group].parent)) {
        member = hierarchy.groups[group].leader;
    }
    return member;
}

/// Adds all edges except those of recursive doubling.
void add_edges(RoutesToAll& routes, const Hierarchy& hierarchy, std::span<const GroupPart> parts) {
    for (const GroupPart& part : backwards(parts)) {
        if (makes_ring(part.level->method, part.size())) {
            routes.add_ring(part);
            continue;
        }
        const ShapeLinks shape = part.shape();
        if (shape.parent >= 0) {
            routes.add_neighbour(part.edge_to(hierarchy, shape.parent));
        }
        for (const int child : shape.children) {
            routes.add_neighbour(part.edge_to(hierarchy, child));
        }
    }
}

BlockRoutes routes_to_all(const Hierarchy& hierarchy, const Plan& plan, int root, int rank) {
    const std::vector<GroupPart> parts =
        group_parts(hierarchy, plan, root, rank);  // rejects a rank out of range
    const WholeTree tree(hierarchy, plan, root, rank);
    RoutesToAll routes(hierarchy, plan, tree, rank);
    add_edges(routes, hierarchy, parts);
    return routes.take();
}

/// Returns the blocks behind each member of the core, by rank, in the order of their arrival. `star` must
/// be seen from `member`, to which all lists lead.
std::vector<std::vector<int>> blocks_behind(const WholeTree& star, std::span<const int> core, int member) {
    const BlockArrivals arrivals(star, member, no_rank);
    std::vector<std::vector<int>> behind(static_cast<std::size_t>(star.ranks()));
    std::size_t others = 0;
    for (const int other : core) {
        if (other == member) continue;
        behind[other] = arrivals.from(other);
        others += behind[other].size();
    }
    behind[member] = arrivals.onward(member, no_rank);
    behind[member].resize(behind[member].size() - others);
    return behind;
}

/// Ignores the root: each rank uses the tree rooted at its own top_member().
BlockRoutes routes_by_doubling(const Hierarchy& hierarchy, const Plan& plan, int rank) {
    Plan star = plan;
    star.nic_local = false;
    star.levels.front().method = {Algorithm::linear, 0, {}};
    const int leader = hierarchy.groups.front().leader;
    const std::vector<GroupPart> parts =
        group_parts(hierarchy, star, leader, rank);  // rejects a rank out of range
    const int member = top_member(hierarchy, plan, rank);
    const GroupPart top = group_parts(hierarchy, star, member, member).back();
    const DoublingBlocks doubling(
        halving_places(hierarchy, plan),
        blocks_behind(WholeTree(hierarchy, star, member, member), top.members, member));
    const WholeTree tree(hierarchy, star, member, rank);
    RoutesToAll routes(hierarchy, star, tree, rank);
    routes.set_outside(doubling.outside(member));
    if (rank != member) {
        add_edges(routes, hierarchy, parts);
        return routes.take();
    }
    if (doubling.has_place(member)) routes.take_part();
    const TreeLinks::Edge edge{member, top.group, top.level->segment_bytes, top.window};
    for (DoublingBlocks::Exchange& exchange : doubling.exchanges(member))
        routes.add_exchange(edge, std::move(exchange));
    add_edges(routes, hierarchy, std::span(parts).first(parts.size() - 1));
    return routes.take();
}

}  // namespace

BlockRoutes block_routes(const Hierarchy& hierarchy, const Plan& plan, int root, int rank,
                         ChunkDirection flow) {
    if (flow == ChunkDirection::all && exchanges_on_top(plan)) {
        return routes_by_doubling(hierarchy, plan, rank);
    }
    if (flow == ChunkDirection::all) {
        return routes_to_all(hierarchy, plan, root, rank);
    }
    const TreeLinks links = tree_links(hierarchy, plan, root, rank);  // rejects rings and ranks out of range
    const WholeTree tree(hierarchy, plan, root, rank);
    switch (flow) {
        case ChunkDirection::to_root: return routes_to_root(tree, links, rank);
        case ChunkDirection::from_root: return routes_from_root(tree, links, rank);
        case ChunkDirection::all: break;
    }
    throw std::invalid_argument("unknown block flow " + std::to_string(static_cast<int>(flow)));
}

}  // namespace strata::algorithms
