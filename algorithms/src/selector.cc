#include "strata/algorithms/selector.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "cost_direct.h"
#include "cost_links.h"
#include "cost_model.h"
#include "plan_search.h"
#include "receiver.h"

namespace strata::algorithms {
namespace {

using topology::Hierarchy;

// Between nodes the model knows the kinds of the links but not the links, nor how busy processors and network
// are. The composed tree loads both least: one message on every link. The price, where a flat pattern saves a
// hop for short messages (predicted up to 40 %): measured 10 to 17 % at 8 B to 1 KiB over TCP without delay,
// none over a 2 ms link.
constexpr double tolerated_between_nodes = 0.5;

/// Whether the tree is taken, and why.
struct Verdict {
    bool take;
    const char* reason;
};

/// Broadcasts: the previous component's patterns are known. Inside one node the tree must win by more than
/// the model's error. Between nodes it crosses every link above the nodes once, and may lose about one hop
/// for that.
Verdict judge_by_tuned(bool between_nodes, double tree_us, double forward_us) {
    const double worth_us = forward_us * (between_nodes ? 1 + tolerated_between_nodes : 1 - needed_gain);
    if (tree_us > worth_us) return {false, "no gain predicted over the previous component"};
    if (tree_us <= forward_us) return {true, "predicted faster than the previous component"};
    return {true, "predicted close, and spares the links between nodes"};
}

/// Gather and Scatter: the root's own link carries the same bytes in any case.
Verdict judge_by_direct(double tree_us, double direct_us) {
    if (tree_us > direct_us * (1 - needed_gain)) return {false, "no gain predicted over direct messages"};
    return {true, "predicted faster than direct messages"};
}

/// True for reductions whose order must not follow the size: the previous component changes its pattern.
bool fixed_order(const Operation& operation) {
    return operation.reproducible && traits_of(operation.collective).folds;
}

/// The verdict where no prediction can change it.
std::optional<Verdict> judge_unseen(const Operation& operation, bool between_nodes) {
    const CollectiveTraits traits = traits_of(operation.collective);
    if (operation.collective == Collective::bcast) return std::nullopt;
    if (fixed_order(operation)) return Verdict{true, "the order must not depend on the size"};
    if (!traits.sized) return Verdict{false, "the ranks do not know the sizes alike"};
    if (!between_nodes) return Verdict{false, "no gain known inside a node"};
    if (traits.blocks && traits.rooted) return std::nullopt;
    return Verdict{true, "spares the links between nodes"};
}

Verdict judge(const Operation& operation, bool between_nodes, const Plan& plan) {
    if (operation.collective == Collective::bcast) {
        return judge_by_tuned(between_nodes, plan.predicted_us, plan.forward_us);
    }
    return judge_by_direct(plan.predicted_us, plan.forward_us);
}

/// 0: not modelled.
double previous_us(const Hierarchy& hierarchy, const LinkTable& links, const Operation& operation) {
    switch (operation.collective) {
        case Collective::bcast: return forward_cost_us(hierarchy, links, operation);
        case Collective::gather:
            return direct_gather_cost_us(hierarchy, links, operation.bytes, operation.root);
        case Collective::scatter:
            return direct_scatter_cost_us(hierarchy, links, operation.bytes, operation.root);
        default: return 0;
    }
}

std::string passed_over_text(const LevelMethod& method, const Operation& operation) {
    const std::string name(method.algorithm == Algorithm::component ? method.component
                                                                    : info(method.algorithm).name);
    return name + (fixed_order(operation) ? " has no fixed order" : " is for the topmost level");
}

const char* no_ring(const Operation& operation) {
    if (operation.rank_order || fixed_order(operation)) return "; a tree: a ring keeps no order";
    return "; a tree: a ring takes a level of three participants that no rule gave a tree";
}

bool has_ring(const std::vector<LevelPlan>& levels) {
    return std::any_of(levels.begin(), levels.end(),
                       [](const LevelPlan& level) { return level.method.algorithm == Algorithm::ring; });
}

/// Puts rings in place of the trees of `search` where they are predicted to gain more than the model's error.
void try_rings(PlanSearch& search, CostModel& model, const Overrides& overrides, const Operation& operation,
               double& predicted_us) {
    if (!traits_of(operation.collective).by_ring || !search.could_be_ring()) return;
    PlanSearch rings(model, overrides, operation, Rings::allowed);
    const double rings_us = rings.run(traits_of(operation.collective).folds);
    if (rings_us > predicted_us * (1 - needed_gain)) return;
    search = std::move(rings);
    predicted_us = rings_us;
}

/// The user wants lanes: several trees where that is possible, or else one.
void set_lanes(Plan& plan, const Operation& operation) {
    plan.engine = Engine::tree;
    if (operation.lanes < 2) {
        plan.reason += "; one lane: no node has processes near several cards, or there is one node";
    } else if (operation.rank_order || fixed_order(operation)) {
        plan.reason += "; one lane: lanes would not keep the order";
    } else if (exchanges_on_top(plan)) {
        plan.reason += "; one lane: exchanged as a whole";
    } else {
        plan.engine = Engine::lanes;
        plan.lanes = operation.lanes;
    }
}

/// Lets somebody near the card receive for a far root where that is predicted to gain.
void choose_receiver(Plan& plan, const Hierarchy& hierarchy, const LinkTable& links,
                     const Operation& operation, const std::vector<LevelPlan>& levels) {
    if (hierarchy.receiver_of(operation.root) == operation.root) return;
    const auto level = receiver_level(hierarchy, operation.root);
    const auto segment =
        std::find_if(levels.begin(), levels.end(), [&](const LevelPlan& own) { return own.level == level; });
    const ReceiverCost cost = receiver_cost(hierarchy, links, operation, segment->segment_bytes);
    plan.near_card = cost.possible && cost.hop_us < cost.far_us;
    plan.predicted_us += plan.near_card ? cost.hop_us : cost.far_us;
}

void forward(Plan& plan, std::string reason) {
    plan.engine = Engine::forward;
    plan.near_card = false;
    plan.predicted_us = plan.forward_us;
    plan.reason = std::move(reason);
}

}  // namespace

Plan make_plan(const Hierarchy& hierarchy, const LinkTable& links, const Overrides& overrides,
               const Operation& operation) {
    const std::string broken = check(overrides, operation.collective);
    if (!broken.empty()) throw std::invalid_argument(broken);
    Plan plan;
    plan.window = overrides.window;
    plan.forward_us = previous_us(hierarchy, links, operation);
    if (plan.forward_us > 0) plan.forward_us += receiver_cost(hierarchy, links, operation, 0).far_us;
    const auto model = make_cost_model(hierarchy, links, operation);
    PlanSearch search(*model, overrides, operation,
                      overrides.engine == Engine::ring ? Rings::wanted : Rings::none);
    plan.levels = search.plans();
    plan.sources = search.sources();
    if (overrides.engine != Engine::automatic) plan.engine_source = overrides.engine_source;
    if (overrides.engine == Engine::forward) {
        forward(plan, "set by the user");
        return plan;
    }
    const bool fixed = overrides.engine != Engine::automatic;
    if (!fixed && !search.by_levels() && !fixed_order(operation) && hierarchy.groups.size() < 2) {
        forward(plan, "no hierarchy");
        return plan;
    }
    const bool by_levels = search.by_levels();
    const bool between_nodes = is_network(hierarchy.groups.front());
    const bool overruled = overrides.engine == Engine::levels && !by_levels;
    std::optional<Verdict> verdict = fixed && !overruled ? Verdict{true, "set by the user"}
                                     : by_levels         ? Verdict{true, "a level method is no tree shape"}
                                                         : judge_unseen(operation, between_nodes);
    if (!verdict || verdict->take) {
        plan.predicted_us = search.run(by_levels || traits_of(operation.collective).folds);
        if (!by_levels) choose_receiver(plan, hierarchy, links, operation, search.plans());
        if (!verdict) verdict = judge(operation, between_nodes, plan);
    }
    if (!verdict->take) {
        forward(plan, verdict->reason);
        return plan;
    }
    if (!fixed && !by_levels) try_rings(search, *model, overrides, operation, plan.predicted_us);
    plan.levels = search.plans();
    plan.sources = search.sources();
    plan.engine = by_levels ? Engine::levels : has_ring(plan.levels) ? Engine::ring : Engine::tree;
    plan.reason = verdict->reason;
    if (!fixed && plan.engine == Engine::ring) plan.reason += "; a ring loads them less than a tree";
    if (overrides.engine == Engine::ring && plan.engine != Engine::ring) {
        plan.reason += no_ring(operation);
    }
    if (plan.near_card) plan.reason += "; a process near the card receives for the root";
    if (const LevelMethod* method = search.passed_over())
        plan.reason += "; " + passed_over_text(*method, operation);
    if (overrides.engine == Engine::lanes) set_lanes(plan, operation);
    return plan;
}

}  // namespace strata::algorithms
