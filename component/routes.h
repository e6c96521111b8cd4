#pragma once
#include <optional>
#include <span>
#include <unordered_map>
#include <variant>
#include <vector>

#include "pml_transport.h"
#include "strata/algorithms/block_exchange.h"
#include "strata/algorithms/delegation.h"
#include "strata/algorithms/plan.h"
#include "strata/algorithms/reduction_links.h"
#include "strata/algorithms/tree.h"

namespace strata::component {

/// One rank's edges for an engine, and the levels that they cross, for the counters.
template <class Links>
struct Routes {
    Links links;
    std::vector<PeerLevel> levels;
};

/// A plan and what was derived from it.
struct Planned {
    algorithms::Plan plan;
    std::optional<algorithms::Delegation> delegation;  ///< what would be faster, if it is used often
    unsigned calls = 0;                                ///< in which this rank took part, while there is one
    using AnyRoutes = std::variant<Routes<algorithms::TreeLinks>, Routes<algorithms::ReductionLinks>,
                                   Routes<algorithms::ExchangeLinks>, Routes<algorithms::BlockRoutes>,
                                   Routes<std::vector<algorithms::TreeLinks>>,
                                   Routes<std::vector<algorithms::ReductionLinks>>>;
    /// By root. All entries of a plan are of one kind: a plan belongs to one collective.
    std::unordered_map<int, AnyRoutes> routes;
};

/// The ranks to which a rank with these links sends.
std::vector<int> peers_of(const algorithms::TreeLinks& links);
std::vector<int> peers_of(const algorithms::ReductionLinks& links);
std::vector<int> peers_of(const algorithms::ExchangeLinks& links);
std::vector<int> peers_of(const algorithms::BlockRoutes& links);
/// Of all lanes.
template <class Links>
std::vector<int> peers_of(const std::vector<Links>& lanes) {
    std::vector<int> peers;
    for (const Links& links : lanes) {
        const std::vector<int> more = peers_of(links);
        peers.insert(peers.end(), more.begin(), more.end());
    }
    return peers;
}

}  // namespace strata::component
