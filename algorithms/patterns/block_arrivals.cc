#include "algorithms/patterns/block_arrivals.h"

#include <cstddef>

namespace strata::algorithms {
namespace {

constexpr int outside_all = -1;  ///< group number of the blocks that come from outside

}  // namespace

std::vector<int> reach(const WholeTree& tree, int start, int barred, std::vector<int>& toward) {
    toward.assign(static_cast<std::size_t>(tree.ranks()), no_rank);
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

void BlockArrivals::collect(Part part, std::vector<int>& blocks) const {
    for (int block = part.head; block != part.tail; block = next_[block]) {
        blocks.push_back(block);
    }
    blocks.push_back(part.tail);
}

/// Takes one block of each part in turn; takes the rest of the last part in one piece.
template <typename Take>
void BlockArrivals::take_in_turn(std::vector<Part>& parts, Take&& take) const {
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

/// Calls `take(group, part)` for the blocks that the edges of `rank` bring, except the edge to `receiver`.
/// `group` is the group whose level the blocks crossed, or outside_all. `take` may relink the part.
template <typename Take>
void BlockArrivals::merge(int rank, int receiver, Take&& take) const {
    const std::span<const WholeTree::Edge> edges = tree_.edges(rank);
    std::vector<Part> level;
    for (std::size_t i = 0; i < edges.size();) {
        const int group = edges[i].group;
        Part far{no_rank, no_rank};
        // Only the edge to the parent brings blocks from outside, and it belongs to the last group.
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
        if (far.head != no_rank) {
            take(outside_all, far);
        }
        level.clear();
    }
}

BlockArrivals::BlockArrivals(const WholeTree& tree, int rank, int barred)
    : tree_(tree),
      lists_(static_cast<std::size_t>(tree.ranks())),
      next_(static_cast<std::size_t>(tree.ranks()), no_rank) {
    std::vector<int> toward;
    const std::vector<int> reached = reach(tree, rank, barred, toward);
    for (std::size_t i = reached.size() - 1; i > 0; --i) {
        const int sender = reached[i];
        const WholeTree::Edge back = tree.edge(sender, toward[sender]);
        List list{sender, sender, sender};
        merge(sender, back.peer, [&](int group, Part part) {
            next_[list.tail] = part.head;
            next_[part.tail] = no_rank;
            list.tail = part.tail;
            if (group >= back.group) {
                list.last_near = list.tail;
            }
        });
        lists_[sender] = list;
    }
}

std::vector<int> BlockArrivals::from(int neighbour) const {
    std::vector<int> blocks;
    collect({lists_[neighbour].head, lists_[neighbour].tail}, blocks);
    return blocks;
}

std::vector<int> BlockArrivals::onward(int rank, int neighbour) const {
    std::vector<int> blocks{rank};
    merge(rank, neighbour, [&](int /*group*/, Part part) { collect(part, blocks); });
    return blocks;
}

}  // namespace strata::algorithms
