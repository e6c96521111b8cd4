#include "algorithms/openmpi_cost/forward_cost.h"
#include "algorithms/planning/make_plan.h"
#include "algorithms/report/text_table.h"
#include "component/communicator/communicator_state.h"

namespace strata::component {
namespace {

// Other ranks wait during a listing: 0.1 s for 16 ranks, some seconds for 1024.
constexpr int most_ranks_listed = 512;

}  // namespace

/// Returns the plans of all operations that frequent calls end up with, from rank 0's point of view.
algorithms::PlanListing CommunicatorState::choices() const {
    algorithms::PlanListing listing;
    listing.ranks = hierarchy().ranks();
    listing.communicator = compat::name_of(comm_);
    listing.rules_file = settings_.rules_file;
    listing.network_eager_bytes = settings_.links.network_eager_bytes();
    listing.node_eager_bytes = settings_.links.node_eager_bytes();
    listing.links = algorithms::list_links(hierarchy(), settings_.links, settings_.rules.links);
    if (hierarchy().ranks() > most_ranks_listed) {
        return listing;  // strata-topo --plans --from-dump lists them offline
    }
    const auto plan_of = [&](algorithms::Operation operation) {
        operation = planner().with_root_of_class(operation);
        operation.reproducible = settings_.reproducible;
        operation.on_boards = !boards_given_up_;
        if (settings_.enabled(operation.collective)) {
            return planner().lasting_plan(operation);
        }
        algorithms::Plan forward;
        forward.forward_us = algorithms::forward_cost_us(hierarchy(), settings_.links, operation);
        forward.predicted_us = forward.forward_us;
        forward.reason = "disabled";
        return forward;
    };
    const auto delegator = [&](algorithms::Operation operation, const algorithms::Plan& plan) {
        operation.root = planner().root_class(operation.collective, operation.root);
        return settings_.enabled(operation.collective) ? planner().evaluate_delegation(operation, plan)
                                                       : std::nullopt;
    };
    const auto bounds = [&](Collective op) { return planner().bounds_of(op); };
    listing.plans = algorithms::list_plans(hierarchy(), {algorithms::all_collectives(), 0, {}}, plan_of,
                                           bounds, delegator, {}, lower_bounds());
    return listing;
}

/// Empty before there is a planner.
algorithms::BoundOf CommunicatorState::lower_bounds() const {
    if (!plans_.adopted()) return {};
    return [this](const algorithms::Operation& operation) { return planner().bound_us(operation); };
}

/// Returns the time of the best plan of each engine that can serve an operation: "tree 101 us, levels 148
/// us".
std::string CommunicatorState::engine_times(const algorithms::Operation& operation) const {
    if (hierarchy().ranks() > most_ranks_listed) {
        return {};
    }
    std::string text;
    for (const auto engine :
         {algorithms::Engine::tree, algorithms::Engine::ring, algorithms::Engine::levels}) {
        algorithms::Overrides wanted;
        wanted.engine = engine;
        if (!algorithms::check(wanted, operation.collective).empty()) continue;
        const algorithms::Plan plan = algorithms::make_plan(hierarchy(), settings_.links, wanted, operation);
        if (plan.engine != engine || plan.predicted_us <= 0) continue;
        text += (text.empty() ? "" : ", ") + std::string(algorithms::name_of(engine)) + ' ' +
                algorithms::number_text(plan.predicted_us) + " us";
    }
    return text;
}

}  // namespace strata::component
