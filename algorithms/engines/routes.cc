#include "algorithms/engines/routes.h"

#include <algorithm>

#include "algorithms/patterns/rail_links.h"

namespace strata::algorithms {
namespace {

using Edge = TreeLinks::Edge;

void add_edges(std::vector<int>& peers, const Edge& parent, const std::vector<Edge>& children) {
    if (parent.peer >= 0) {
        peers.push_back(parent.peer);
    }
    for (const Edge& edge : children) {
        peers.push_back(edge.peer);
    }
}

// Append the ranks to which a rank with these links sends.

void add_peers(std::vector<int>& peers, const TreeLinks& links) { add_edges(peers, {}, links.children); }

void add_peers(std::vector<int>& peers, const ReductionLinks& links) {
    add_edges(peers, links.parent, links.children);
}

void add_peers(std::vector<int>& peers, const ExchangeLinks& links) {
    add_peers(peers, links.below);
    peers.insert(peers.end(), links.core.begin(), links.core.end());
    if (links.partner >= 0) {
        peers.push_back(links.partner);
    }
}

void add_peers(std::vector<int>& peers, const BlockRoutes& links) {
    for (const BlockStream& stream : links.out) {
        peers.push_back(stream.peer);
    }
}

template <class Links>
void add_peers(std::vector<int>& peers, const std::vector<Links>& rails) {
    for (const Links& links : rails) {
        add_peers(peers, links);
    }
}

}  // namespace

std::vector<PeerLevel> Routing::levels_of(const std::vector<int>& peers) const {
    std::vector<PeerLevel> levels;
    for (const int peer : peers) {
        if (peer != rank_) {
            const topology::Group& common = hierarchy_.groups[hierarchy_.lowest_common_group(rank_, peer)];
            levels.push_back({peer, common.level.kind, topology::is_network(common)});
        }
    }
    std::sort(levels.begin(), levels.end(),
              [](const PeerLevel& a, const PeerLevel& b) { return a.peer < b.peer; });
    levels.erase(std::unique(levels.begin(), levels.end()), levels.end());
    return levels;
}

template <class Links, class Make>
const Routes<Links>& Routing::find(RouteCache& kept, int root, Make&& make) const {
    auto& by_root = kept.by_root_;
    if (const auto known = by_root.find(root); known != by_root.end()) {
        return std::get<Routes<Links>>(known->second);
    }
    if (by_root.size() >= RouteCache::most && kept.users <= 1) {
        by_root.erase(by_root.begin());
    }
    Routes<Links> made{make(), {}};
    std::vector<int> peers;
    add_peers(peers, made.links);
    made.levels = levels_of(peers);
    return std::get<Routes<Links>>(by_root.emplace(root, std::move(made)).first->second);
}

const Routes<TreeLinks>& Routing::tree(const Plan& plan, RouteCache& kept, int root) const {
    return find<TreeLinks>(kept, root, [&] { return tree_links(hierarchy_, plan, root, rank_); });
}

const Routes<ReductionLinks>& Routing::reduction(const Plan& plan, RouteCache& kept, int root,
                                                 bool rank_order) const {
    return find<ReductionLinks>(kept, root,
                                [&] { return reduction_links(hierarchy_, plan, root, rank_, rank_order); });
}

const Routes<ExchangeLinks>& Routing::exchange(const Plan& plan, RouteCache& kept, int root,
                                               bool rank_order) const {
    return find<ExchangeLinks>(kept, root, [&] {
        if (halving_on_top(plan)) {
            return halving_links(hierarchy_, plan, rank_);
        }
        if (exchanges_on_top(plan)) {
            return exchange_links(hierarchy_, plan, rank_, rank_order);
        }
        ExchangeLinks links;
        links.below = reduction_links(hierarchy_, plan, root, rank_, rank_order);
        if (rank_ == root) {
            links.core = {root};
            links.position = 0;
        }
        return links;
    });
}

const Routes<ExchangeLinks>& Routing::ring(const Plan& plan, RouteCache& kept, int root) const {
    return find<ExchangeLinks>(kept, root, [&] { return ring_links(hierarchy_, plan, rank_); });
}

const Routes<BlockRoutes>& Routing::blocks(const Plan& plan, RouteCache& kept, int root,
                                           ChunkDirection flow) const {
    return find<BlockRoutes>(kept, root, [&] {
        return plan.rails > 1 ? rail_block_routes(rails_, plan, rank_)
                              : block_routes(hierarchy_, plan, root, rank_, flow);
    });
}

const Routes<std::vector<TreeLinks>>& Routing::double_tree(const Plan& plan, RouteCache& kept,
                                                           int root) const {
    return find<std::vector<TreeLinks>>(kept, root, [&] {
        std::vector<TreeLinks> both;
        for (const Half half : {Half::first, Half::second}) {
            both.push_back(tree_links(hierarchy_, plan, root, rank_, Flow::from_root, half));
        }
        return both;
    });
}

const Routes<std::vector<ReductionLinks>>& Routing::reduction_double_tree(const Plan& plan, RouteCache& kept,
                                                                          int root) const {
    return find<std::vector<ReductionLinks>>(kept, root, [&] {
        std::vector<ReductionLinks> both;
        for (const Half half : {Half::first, Half::second}) {
            both.push_back(reduction_links(hierarchy_, plan, root, rank_, false, half));
        }
        return both;
    });
}

const Routes<std::vector<TreeLinks>>& Routing::rails(const Plan& plan, RouteCache& kept, int root) const {
    return find<std::vector<TreeLinks>>(kept, root, [&] {
        std::vector<TreeLinks> all;
        for (const topology::Hierarchy& tree : rails_.trees) {
            all.push_back(rail_links(tree, plan, root, rank_));
        }
        return all;
    });
}

const Routes<std::vector<ReductionLinks>>& Routing::reduction_rails(const Plan& plan,
                                                                    RouteCache& kept) const {
    constexpr int every_root = -1;  // each rail has its own
    return find<std::vector<ReductionLinks>>(kept, every_root, [&] {
        std::vector<ReductionLinks> all;
        for (const topology::Hierarchy& tree : rails_.trees) {
            all.push_back(reduction_links(tree, plan, tree.groups.front().leader, rank_, false));
        }
        return all;
    });
}

}  // namespace strata::algorithms
