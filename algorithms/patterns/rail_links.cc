#include "algorithms/patterns/rail_links.h"

#include <algorithm>
#include <utility>

#include "algorithms/base/transport.h"

namespace strata::algorithms {
namespace {

using topology::Hierarchy;

static_assert(topology::most_nic_rails <= Transport::most_rails);

/// Returns the blocks of a stream that belong to the rail.
std::vector<BlockRun> runs_of_rail(const std::vector<BlockRun>& runs, const std::vector<int>& rail_of,
                                   int rail) {
    std::vector<BlockRun> kept;
    for (const BlockRun& run : runs) {
        for (int rank = run.first; rank < run.first + run.count; ++rank) {
            if (rail_of[static_cast<std::size_t>(rank)] != rail) {
                continue;
            }
            if (!kept.empty() && rank > run.first && kept.back().first + kept.back().count == rank) {
                ++kept.back().count;
            } else {
                kept.push_back({rank, 1});
            }
        }
    }
    return kept;
}

void add_rail(std::vector<BlockStream>& all, std::vector<BlockStream>&& streams,
              const std::vector<int>& rail_of, int rail) {
    for (BlockStream& stream : streams) {
        stream.runs = runs_of_rail(stream.runs, rail_of, rail);
        stream.rail = rail;
        all.push_back(std::move(stream));
    }
}

}  // namespace

TreeLinks rail_links(const Hierarchy& rail, const Plan& plan, int root, int rank) {
    const TreeLinks from_root = tree_links(rail, plan, root, rank);
    const int node = rail.widest_in_node(root);
    if (node < 0 || rail.groups[node].leader == root) {
        return from_root;
    }
    TreeLinks links = tree_links(rail, plan, rail.groups[node].leader, rank);
    if (!rail.contains(node, rank)) {
        return links;
    }
    // On one branch deeper groups have higher numbers: edges inside the node are those of the root's tree,
    // all others those of the leader's.
    links.parent = from_root.parent;
    std::erase_if(links.children, [node](const TreeLinks::Edge& edge) { return edge.group >= node; });
    std::copy_if(from_root.children.begin(), from_root.children.end(), std::back_inserter(links.children),
                 [node](const TreeLinks::Edge& edge) { return edge.group >= node; });
    return links;
}

BlockRoutes rail_block_routes(const topology::NicRails& rails, const Plan& plan, int rank) {
    BlockRoutes routes;
    routes.rails = rails.count();
    for (int rail = 0; rail < rails.count(); ++rail) {
        const Hierarchy& tree = rails.trees[static_cast<std::size_t>(rail)];
        BlockRoutes own = block_routes(tree, plan, tree.groups.front().leader, rank, ChunkDirection::all);
        add_rail(routes.in, std::move(own.in), rails.of_rank, rail);
        add_rail(routes.out, std::move(own.out), rails.of_rank, rail);
    }
    return routes;
}

}  // namespace strata::algorithms
