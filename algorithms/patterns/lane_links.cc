#include "algorithms/patterns/lane_links.h"

#include <algorithm>
#include <utility>

#include "algorithms/base/transport.h"

namespace strata::algorithms {
namespace {

using topology::Hierarchy;

static_assert(topology::most_card_lanes <= Transport::most_lanes);

/// Those blocks of a stream that belong to the lane.
std::vector<BlockRun> runs_of_lane(const std::vector<BlockRun>& runs, const std::vector<int>& lane_of,
                                   int lane) {
    std::vector<BlockRun> kept;
    for (const BlockRun& run : runs) {
        for (int rank = run.first; rank < run.first + run.count; ++rank) {
            if (lane_of[static_cast<std::size_t>(rank)] != lane) {
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

void add_lane(std::vector<BlockStream>& all, std::vector<BlockStream>&& streams,
              const std::vector<int>& lane_of, int lane) {
    for (BlockStream& stream : streams) {
        stream.runs = runs_of_lane(stream.runs, lane_of, lane);
        stream.lane = lane;
        all.push_back(std::move(stream));
    }
}

}  // namespace

TreeLinks lane_links(const Hierarchy& lane, const Plan& plan, int root, int rank) {
    const TreeLinks from_root = tree_links(lane, plan, root, rank);
    const int node = lane.widest_in_node(root);
    if (node < 0 || lane.groups[node].leader == root) {
        return from_root;
    }
    TreeLinks links = tree_links(lane, plan, lane.groups[node].leader, rank);
    if (!lane.contains(node, rank)) {
        return links;
    }
    // On one branch a group's number grows with its depth: edges inside the node are the root's, all others
    // the leader's.
    links.parent = from_root.parent;
    std::erase_if(links.children, [node](const TreeLinks::Edge& edge) { return edge.group >= node; });
    std::copy_if(from_root.children.begin(), from_root.children.end(), std::back_inserter(links.children),
                 [node](const TreeLinks::Edge& edge) { return edge.group >= node; });
    return links;
}

BlockRoutes lane_block_routes(const topology::CardLanes& lanes, const Plan& plan, int rank) {
    BlockRoutes routes;
    routes.lanes = lanes.count();
    for (int lane = 0; lane < lanes.count(); ++lane) {
        const Hierarchy& tree = lanes.trees[static_cast<std::size_t>(lane)];
        BlockRoutes own = block_routes(tree, plan, tree.groups.front().leader, rank, BlockFlow::all);
        add_lane(routes.in, std::move(own.in), lanes.of_rank, lane);
        add_lane(routes.out, std::move(own.out), lanes.of_rank, lane);
    }
    return routes;
}

}  // namespace strata::algorithms
