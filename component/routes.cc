#include "routes.h"

namespace strata::component {
namespace {

void add_edges(std::vector<int>& peers, const algorithms::TreeLinks::Edge& parent,
               const std::vector<algorithms::TreeLinks::Edge>& children) {
    if (parent.peer >= 0) {
        peers.push_back(parent.peer);
    }
    for (const auto& edge : children) {
        peers.push_back(edge.peer);
    }
}

}  // namespace

std::vector<int> peers_of(const algorithms::TreeLinks& links) {
    std::vector<int> peers;
    add_edges(peers, {}, links.children);
    return peers;
}

std::vector<int> peers_of(const algorithms::ReductionLinks& links) {
    std::vector<int> peers;
    add_edges(peers, links.parent, links.children);
    return peers;
}

std::vector<int> peers_of(const algorithms::ExchangeLinks& links) {
    std::vector<int> peers = peers_of(links.below);
    peers.insert(peers.end(), links.core.begin(), links.core.end());
    if (links.partner >= 0) {
        peers.push_back(links.partner);
    }
    return peers;
}

std::vector<int> peers_of(const algorithms::BlockRoutes& links) {
    std::vector<int> peers;
    for (const auto& stream : links.out) {
        peers.push_back(stream.peer);
    }
    return peers;
}

}  // namespace strata::component
