#include "algorithms/planning/make_plan.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>

#include "algorithms/base/collective.h"
#include "algorithms/config/excluded_levels.h"
#include "algorithms/cost/choose_window.h"
#include "algorithms/cost/links.h"
#include "algorithms/cost/receiver.h"
#include "algorithms/openmpi_cost/forward_cost.h"
#include "algorithms/openmpi_cost/levels.h"
#include "algorithms/openmpi_cost/tuned.h"
#include "algorithms/patterns/window.h"
#include "algorithms/planning/level_search.h"
#include "algorithms/planning/models.h"
#include "algorithms/planning/plan_search.h"
#include "algorithms/planning/node_choice.h"
#include "algorithms/planning/planning_facts.h"
#include "algorithms/planning/robust_choice.h"
#include "algorithms/planning/verdict.h"

namespace strata::algorithms {
namespace {

using topology::Hierarchy;

std::string ignored_method_text(const LevelMethod& method, const Operation& operation) {
    const std::string name(method.algorithm == Algorithm::component ? method.component
                                                                    : info(method.algorithm).name);
    if (fixed_order(operation)) return name + " has no fixed order";
    const bool reduce_scatter = method.algorithm == Algorithm::rabenseifner;
    return name + (reduce_scatter && operation.rank_order ? " keeps no order" : " is for the topmost level");
}

const char* no_ring(const Operation& operation) {
    if (operation.rank_order || fixed_order(operation)) return "; a tree: a ring keeps no order";
    return "; a tree: a ring needs three participants on a level without a rule for a tree";
}

bool has_ring(const std::vector<LevelPlan>& levels) {
    return std::any_of(levels.begin(), levels.end(),
                       [](const LevelPlan& level) { return level.method.algorithm == Algorithm::ring; });
}

/// Returns true if levels may be skipped: no order depends on them, and the engine does not need all levels.
bool may_skip_levels(const Overrides& overrides, const Operation& operation) {
    return !keeps_order(operation) &&
           (overrides.engine == Engine::automatic || overrides.engine == Engine::tree);
}

/// Selects the rails engine if several trees are possible, else one tree.
void set_rails(Plan& plan, const Operation& operation) {
    plan.engine = Engine::tree;
    if (operation.rails < 2) {
        plan.reason += "; one rail: no node has processes near several NICs, or there is one node";
    } else if (operation.rank_order || fixed_order(operation)) {
        plan.reason += "; one rail: rails would not keep the order";
    } else if (exchanges_on_top(plan)) {
        plan.reason += "; one rail: whole vectors are exchanged";
    } else {
        plan.engine = Engine::rails;
        plan.rails = operation.rails;
    }
}

/// Returns why the node engine cannot serve an operation; null: it can.
const char* no_boards(const Hierarchy& hierarchy, const Operation& operation) {
    if (is_network(hierarchy.groups.front()))
        return "; not by the node engine: the ranks are on several nodes";
    if (!operation.on_boards)
        return "; not by the node engine: the ranks share no memory, or an element is larger than a board";
    return nullptr;
}

/// Returns true if a process near the NIC should receive, or send, for a far root.
bool nic_local_pays(const Hierarchy& hierarchy, const LinkTable& links, const Operation& operation,
                    const std::vector<LevelPlan>& levels) {
    const ReceiverCost cost = receiver_cost(hierarchy, links, operation, levels);
    return cost.possible && cost.hop_us < cost.far_us;
}

void choose_receiver(Plan& plan, const Hierarchy& hierarchy, const LinkTable& links,
                     const Operation& operation, const std::vector<LevelPlan>& levels) {
    plan.nic_local = nic_local_pays(hierarchy, links, operation, levels);
    plan.predicted_us += receiving_us(hierarchy, links, operation, levels, plan.nic_local);
}

/// The common inputs of all searches for one plan.
struct Searches {
    const Hierarchy& hierarchy;
    const Overrides& overrides;
    const Operation& operation;
    Effort effort;
    PlanningFacts& facts;
    ExcludedLevels excluded = find_excluded_levels(hierarchy, overrides, operation);
    Models models{hierarchy, operation, facts.machines};
    LevelSearch levels{hierarchy, overrides, operation, models, effort};
    FlatRounds rounds{hierarchy, &facts.rounds, effort == Effort::closed_form};

    /// Returns the best plan under `links` without the skipped levels.
    Searched without(std::vector<topology::LevelKey> skipped, const LinkTable& links, Rings rings,
                     Exchanges exchanges = Exchanges::all) {
        PlanSearch search(models.at(links, skipped), overrides, operation, rings, effort);
        search.allow(exchanges);
        const double us = search.run(traits_of(operation.collective).combines);
        return Searched{std::move(search), us, std::move(skipped)};
    }
    /// Returns the best plan with one algorithm over all ranks.
    Searched all_by(Algorithm algorithm, std::vector<topology::LevelKey> skipped, const LinkTable& links) {
        Overrides all = overrides;
        all.methods.insert(all.methods.begin(), {std::nullopt, {algorithm, 0, {}}, {}});
        PlanSearch search(models.at(links, skipped), all, operation, Rings::none, effort);
        const double us = search.run(traits_of(operation.collective).combines);
        return Searched{std::move(search), us, std::move(skipped)};
    }
    /// Returns the best plan under `links`, with useful levels inside nodes only.
    Searched under(const LinkTable& links, Rings rings) {
        Searched found = without(excluded.levels, links, rings);
        if (may_skip_levels(overrides, operation)) levels.skip_levels(found, links, rings);
        return found;
    }
};

/// Adds plans in which all nodes communicate on the topmost level, without switches' leaders. Adds none if
/// there is no other level between nodes, or if it must be kept. Exchanges of parts are added separately. A
/// third plan is searched under wide uplinks, which make a second message costly for its sender only.
void add_nodes_alone(std::vector<Searched>& ways, const LinkTable& links, const RobustChoice& robust_choice,
                     Searches& searches) {
    std::vector<topology::LevelKey> skipped = skippable_network(searches.hierarchy, searches.overrides);
    if (skipped.empty() || !may_skip_levels(searches.overrides, searches.operation)) return;
    const std::vector<topology::LevelKey>& others = ways.front().skipped;
    skipped.insert(skipped.end(), others.begin(), others.end());
    const auto add = [&](const LinkTable& table, Exchanges exchanges) {
        ways.push_back(searches.without(skipped, table, Rings::none, exchanges));
    };
    add(links, Exchanges::whole_vectors);
    // Blocks to or from a root do not become fewer on their way: a switch's leader only delays them.
    const CollectiveTraits traits = traits_of(searches.operation.collective);
    if (traits.blocks && traits.rooted) {
        std::rotate(ways.begin(), ways.end() - 1, ways.end());
        return;
    }
    if (ways.back().search.could_exchange_parts()) add(links, Exchanges::parts);
    // Block exchanges go before the trees for other links: a NIC carries less than a tree's busiest one.
    if (traits.blocks && ways.back().search.exchanges_parts()) {
        std::rotate(ways.begin() + 1, ways.end() - 1, ways.end());
    }
    if (robust_choice.wide()) add(robust_choice.tables()[*robust_choice.wide()], Exchanges::whole_vectors);
}

/// Adds patterns over all ranks, in which no rank combines or forwards more than others: reduce-scatter +
/// allgather, a ring, a chain, a double binary tree. Requires link parameters inside nodes and processors of
/// their own, for the reasons in unknown_inside().
void add_among_all(std::vector<Searched>& ways, const LinkTable& links, Searches& searches) {
    const Hierarchy& hierarchy = searches.hierarchy;
    if (searches.overrides.engine != Engine::automatic || !searches.excluded.levels.empty()) return;
    if (!can_all_take_part(hierarchy) || !sends_inside(hierarchy, links)) return;
    const std::vector<topology::LevelKey> skipped = all_below_the_top(hierarchy, searches.overrides);
    if (skipped.empty()) return;
    const PlanSearch open(searches.models.at(links, skipped), searches.overrides, searches.operation,
                          Rings::none);
    if (may_be_among_all(Algorithm::rabenseifner, searches.operation) && open.could_exchange_parts())
        ways.push_back(searches.without(skipped, links, Rings::none, Exchanges::parts));
    // Within the model's error the earlier plan wins. Between nodes two trees take the longest beyond their
    // prediction, inside nodes rings.
    const bool trees_last = is_network(hierarchy.groups.front());
    const auto add_two_trees = [&] {
        if (may_be_among_all(Algorithm::double_binary, searches.operation) && open.could_be_double_tree())
            ways.push_back(searches.all_by(Algorithm::double_binary, skipped, links));
    };
    if (!trees_last) add_two_trees();
    if (may_be_among_all(Algorithm::ring, searches.operation)) {
        Searched ring = searches.without(skipped, links, Rings::wanted);
        if (has_ring(ring.search.plans())) ways.push_back(std::move(ring));
    }
    if (may_be_among_all(Algorithm::pipeline, searches.operation) && open.could_be_long_chain())
        ways.push_back(searches.all_by(Algorithm::pipeline, skipped, links));
    if (trees_last) add_two_trees();
}

/// Inside a node: replaces the plan by one over all ranks that is faster by more than the model's error.
void try_among_all(Searched& searched, const LinkTable& links, Searches& searches) {
    std::vector<Searched> ways;
    add_among_all(ways, links, searches);
    for (Searched& way : ways) {
        if (way.us < searched.us * (1 - needed_gain)) searched = std::move(way);
    }
}

/// Between nodes: the robust choice among trees for each link scenario, plans with fewer levels, rings, and
/// the underlying component.
Verdict choose_robustly(Searched& searched, const LinkTable& links, Searches& searches, Plan& plan) {
    const Hierarchy& hierarchy = searches.hierarchy;
    const Overrides& overrides = searches.overrides;
    const Operation& operation = searches.operation;
    RobustChoice robust_choice(hierarchy, links, operation,
                               overrides.network_window_bytes > 0 ? 0 : overrides.window, plan.forward_us,
                               searches.rounds, searches.effort);
    std::vector<Searched> ways;
    ways.push_back(std::move(searched));
    for (std::size_t t = 1; t < robust_choice.tables().size(); ++t) {
        if (t != robust_choice.wide()) ways.push_back(searches.under(robust_choice.tables()[t], Rings::none));
    }
    add_nodes_alone(ways, links, robust_choice, searches);
    if (ways.front().search.could_exchange_parts()) {
        const bool parts = ways.front().search.exchanges_parts();
        ways.push_back(searches.without(ways.front().skipped, links, Rings::none,
                                        parts ? Exchanges::whole_vectors : Exchanges::parts));
    }
    if (traits_of(operation.collective).by_ring && ways.front().search.could_be_ring()) {
        ways.push_back(searches.under(links, Rings::allowed));
    }
    add_among_all(ways, links, searches);
    std::vector<bool> nic_local;
    for (const Searched& way : ways) {
        nic_local.push_back(nic_local_pays(hierarchy, links, operation, way.search.plans()));
        robust_choice.add(way.search.plans(), nic_local.back(), way.skipped, way.known_us(searches.effort));
    }
    const RobustChoice::Choice choice = robust_choice.choose(searches.models);
    searched = std::move(ways[choice.way.value_or(0)]);
    if (!choice.way) {
        const bool faster = plan.predicted_us < plan.forward_us;
        return {false, faster ? "the underlying component is safer for uncertain link speeds" : no_gain};
    }
    plan.nic_local = nic_local[*choice.way];
    plan.predicted_us = choice.us;
    if (plan.predicted_us <= plan.forward_us) return {true, "predicted faster than the underlying component"};
    return {true, "safer than the underlying component for uncertain link speeds"};
}

/// Searches if that can change anything; returns whether the plan found is used.
Verdict judge(Searched& searched, const LinkTable& links, Searches& searches, Plan& plan) {
    const Hierarchy& hierarchy = searches.hierarchy;
    const Overrides& overrides = searches.overrides;
    const Operation& operation = searches.operation;
    PlanSearch& search = searched.search;
    const bool by_levels = search.by_levels();
    const bool between_nodes = is_network(hierarchy.groups.front());
    const bool overruled = overrides.engine == Engine::levels && !by_levels;
    std::optional<Verdict> verdict;
    if (overrides.engine != Engine::automatic && !overruled) {
        verdict = {true, "set by the user"};
    } else if (by_levels) {
        verdict = {true, "a level algorithm needs the levels engine"};
    } else {
        verdict = judge_unseen(operation, hierarchy, links);
    }
    if (verdict && !verdict->take) return *verdict;
    searched.us = search.run(by_levels || traits_of(operation.collective).combines);
    if (!by_levels && may_skip_levels(overrides, operation)) {
        searches.levels.skip_levels(searched, links, Rings::none);
        if (!verdict && !between_nodes) try_among_all(searched, links, searches);
    }
    plan.predicted_us = searched.us;
    if (!by_levels) choose_receiver(plan, hierarchy, links, operation, search.plans());
    if (!verdict)
        verdict = between_nodes ? choose_robustly(searched, links, searches, plan)
                                : judge_inside(plan, hierarchy, links, operation.collective);
    if (verdict->take && searches.effort == Effort::closed_form && traits_of(operation.collective).combines) {
        searches.models.at(links, searched.skipped);  // back to these levels and links
        const double before_us = searched.us;
        searched.us = searched.search.refine_shapes();
        plan.predicted_us += searched.us - before_us;
    }
    set_skipped(plan, hierarchy, searched.skipped, searches.excluded);
    return *verdict;
}

/// Returns the levels engine's own prediction for the plan found by the tree model; 0: not modelled.
double by_levels_us(const Plan& plan, const Hierarchy& hierarchy, const LinkTable& links,
                    const Operation& operation) {
    const auto us = levels_cost_us(hierarchy, links, plan, operation);
    return us ? *us + receiver_cost(hierarchy, links, operation, 0).far_us : 0;
}

/// Returns the parts of the reason that follow the verdict's.
std::string what_else(const Plan& plan, const Overrides& overrides, const Operation& operation,
                      const PlanSearch& search) {
    std::string text;
    if (overrides.engine == Engine::automatic && plan.engine == Engine::ring)
        text += "; a ring loads the links less than a tree";
    if (overrides.engine == Engine::ring && plan.engine != Engine::ring) text += no_ring(operation);
    if (plan.nic_local)
        text += std::string("; a process near the NIC ") +
                (traits_of(operation.collective).up ? "receives" : "sends") + " for the root";
    if (const LevelMethod* method = search.ignored_method())
        text += "; " + ignored_method_text(*method, operation);
    return text;
}

enum class Underlying { predicted, unknown };

/// Returns make_plan()'s plan. If the underlying component's time is unknown, it counts as endless.
Proposal propose(const Hierarchy& hierarchy, const LinkTable& links, const Overrides& wanted,
                 const Operation& operation, Effort effort, Underlying underlying, PlanningFacts& facts) {
    const std::string broken = check(wanted, operation.collective);
    if (!broken.empty()) throw std::invalid_argument(broken);
    const Window window = choose_window(wanted.window, hierarchy, links);
    Overrides overrides = wanted;
    overrides.window = window.messages;
    overrides.network_window_bytes = window.network_bytes;
    const bool wants_node = overrides.engine == Engine::node;
    const char* const refused = wants_node ? no_boards(hierarchy, operation) : nullptr;
    if (refused != nullptr) {
        overrides.engine = Engine::automatic;
        overrides.engine_source = {};
    }
    Plan plan;
    plan.window = window.messages;
    plan.network_window_bytes = window.network_bytes;
    Searches searches{hierarchy, overrides, operation, effort, facts};
    plan.forward_us = underlying == Underlying::predicted
                          ? underlying_us(hierarchy, links, operation, searches.rounds)
                          : std::numeric_limits<double>::infinity();
    const ExcludedLevels& excluded = searches.excluded;
    PlanSearch all_levels(searches.models.at(links, excluded.levels), overrides, operation,
                          overrides.engine == Engine::ring ? Rings::wanted : Rings::none, effort);
    Searched searched{std::move(all_levels), 0, excluded.levels};
    PlanSearch& search = searched.search;
    plan.levels = search.plans();
    plan.sources = search.sources();
    if (overrides.engine != Engine::automatic) plan.engine_source = overrides.engine_source;
    plan.predicted_us = plan.forward_us;
    const Plan passed = plan;
    const auto pass = [&](const std::string& reason) {
        plan = passed;
        plan.reason = refused != nullptr ? reason + refused : reason;
        return Proposal{plan, plan};
    };
    const bool chosen_node = chooses_node(hierarchy, overrides, operation);
    if (chosen_node || overrides.engine == Engine::node) {
        plan.engine = Engine::node;
        plan.levels.clear();
        plan.sources.clear();
        plan.predicted_us = 0;
        plan.reason =
            chosen_node ? "boards were measured faster than tuned inside a node" : "set by the user";
        return {std::move(plan), passed};
    }
    if (overrides.engine == Engine::forward) return pass("set by the user");
    const bool fixed = overrides.engine != Engine::automatic;
    const bool by_levels = search.by_levels();
    if (!fixed && !by_levels && !fixed_order(operation) && hierarchy.groups.size() < 2)
        return pass("no hierarchy");
    const Verdict verdict = judge(searched, links, searches, plan);
    if (!verdict.take) return pass(verdict.reason);
    plan.levels = search.plans();
    plan.sources = search.sources();
    plan.engine = by_levels ? Engine::levels : has_ring(plan.levels) ? Engine::ring : Engine::tree;
    if (by_levels) plan.predicted_us = by_levels_us(plan, hierarchy, links, operation);
    plan.reason = verdict.reason + what_else(plan, overrides, operation, search) + excluded.ignored_rules;
    if (refused != nullptr) plan.reason += refused;
    if (overrides.engine == Engine::rails) set_rails(plan, operation);
    return {std::move(plan), passed};
}

}  // namespace

Proposal propose_by_formulas(const Hierarchy& hierarchy, const LinkTable& links, const Overrides& overrides,
                             const Operation& operation, PlanningFacts& facts) {
    return propose(hierarchy, links, overrides, operation, Effort::closed_form, Underlying::unknown, facts);
}

Plan make_plan(const Hierarchy& hierarchy, const LinkTable& links, const Overrides& overrides,
               const Operation& operation, Effort effort, PlanningFacts* facts) {
    std::optional<PlanningFacts> own;
    PlanningFacts& all = facts != nullptr ? *facts : own.emplace(hierarchy);
    return propose(hierarchy, links, overrides, operation, effort, Underlying::predicted, all).plan;
}

}  // namespace strata::algorithms
