#pragma once
#include <optional>
#include <unordered_map>
#include <variant>
#include <vector>

#include "algorithms/base/plan.h"
#include "algorithms/base/transport.h"
#include "algorithms/patterns/block_routes.h"
#include "algorithms/patterns/reduction_links.h"
#include "algorithms/patterns/tree.h"
#include "topology/nic_rails.h"
#include "topology/hierarchy.h"

namespace strata::algorithms {

/// One rank's edges for an engine, and the levels between it and the ranks to which it sends, ascending by
/// peer (Transport::begin_call()).
template <class Links>
struct Routes {
    Links links;
    std::vector<PeerLevel> levels;
};

/// The edges of one plan by root, which Routing keeps for the next call.
class RouteCache {
public:
    std::size_t size() const { return by_root_.size(); }
    void clear() {
        by_root_.clear();
        double_tree_.reset();
    }
    /// Returns has_double_tree() of the plan, computed once.
    bool has_double_tree(const Plan& plan) {
        if (!double_tree_) double_tree_ = algorithms::has_double_tree(plan);
        return *double_tree_;
    }

    int users = 0;  ///< calls under way; with more than one no edges are dropped

private:
    friend class Routing;
    static constexpr std::size_t most = 64;  ///< roots with kept edges
    using AnyRoutes =
        std::variant<Routes<TreeLinks>, Routes<ReductionLinks>, Routes<ExchangeLinks>, Routes<BlockRoutes>,
                     Routes<std::vector<TreeLinks>>, Routes<std::vector<ReductionLinks>>>;
    /// All of one kind: a plan belongs to one collective.
    std::unordered_map<int, AnyRoutes> by_root_;
    std::optional<bool> double_tree_;
};

/// Looks up one rank's edges for any engine in the `kept` ones of `plan`, or computes them. The result is
/// valid until the next call with the same `kept`, and while that has another user.
class Routing {
public:
    /// Both must outlive this object; only plans with several rails need `rails`.
    Routing(const topology::Hierarchy& hierarchy, const topology::NicRails& rails, int rank)
        : hierarchy_(hierarchy), rails_(rails), rank_(rank) {}

    const Routes<TreeLinks>& tree(const Plan& plan, RouteCache& kept, int root) const;
    const Routes<ReductionLinks>& reduction(const Plan& plan, RouteCache& kept, int root,
                                            bool rank_order) const;
    /// For every method of the topmost level; with a tree there, its root is the only member of the core.
    const Routes<ExchangeLinks>& exchange(const Plan& plan, RouteCache& kept, int root,
                                          bool rank_order) const;
    const Routes<ExchangeLinks>& ring(const Plan& plan, RouteCache& kept, int root) const;
    const Routes<BlockRoutes>& blocks(const Plan& plan, RouteCache& kept, int root,
                                      ChunkDirection flow) const;
    // One entry per half, for plans with has_double_tree().
    const Routes<std::vector<TreeLinks>>& double_tree(const Plan& plan, RouteCache& kept, int root) const;
    const Routes<std::vector<ReductionLinks>>& reduction_double_tree(const Plan& plan, RouteCache& kept,
                                                                     int root) const;
    // One entry per rail, for plans with several rails.
    const Routes<std::vector<TreeLinks>>& rails(const Plan& plan, RouteCache& kept, int root) const;
    const Routes<std::vector<ReductionLinks>>& reduction_rails(const Plan& plan, RouteCache& kept) const;

    int rank() const { return rank_; }

private:
    template <class Links, class Make>
    const Routes<Links>& find(RouteCache& kept, int root, Make&& make) const;
    std::vector<PeerLevel> levels_of(const std::vector<int>& peers) const;

    const topology::Hierarchy& hierarchy_;
    const topology::NicRails& rails_;
    int rank_;
};

}  // namespace strata::algorithms
