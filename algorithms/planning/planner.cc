#include "algorithms/planning/planner.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "algorithms/cost/bound.h"
#include "algorithms/planning/plan_search.h"
#include "algorithms/planning/node_choice.h"
#include "algorithms/planning/planning_facts.h"
#include "algorithms/planning/structural_planner.h"
#include "algorithms/planning/verdict.h"
#include "topology/equal_groups.h"
#include "topology/fact_hash.h"
#include "topology/heap_bytes.h"

namespace strata::algorithms {
namespace {

/// Replaces what requests the levels engine by `engine`.
Overrides without_delegation(Overrides overrides, Collective op, Engine engine) {
    if (overrides.engine != Engine::automatic && overrides.engine != Engine::levels) {
        return overrides;  // check() has rejected such methods
    }
    const CollectiveTraits traits = traits_of(op);
    overrides.engine = engine;
    overrides.engine_source = {};
    std::erase_if(overrides.methods,
                  [&](const LevelMethodRule& rule) { return delegates(rule.method, traits); });
    return overrides;
}

/// Returns heap bytes.
std::size_t bytes_of(const Rule& rule) {
    using topology::heap_bytes;
    std::size_t bytes = heap_bytes(rule.hierarchy) + heap_bytes(rule.levels);
    for (const LevelRule& level : rule.levels) {
        bytes += level.method ? heap_bytes(level.method->component) : 0;
    }
    return bytes;
}

}  // namespace

Planner::Planner(const topology::Hierarchy& hierarchy, const PlanSettings& settings, bool keep_levels,
                 int rails, std::shared_ptr<StructuralPlans> shared)
    : hierarchy_(hierarchy),
      settings_(settings),
      keep_levels_(keep_levels),
      rails_(rails),
      facts_(std::make_shared<PlanningFacts>(hierarchy)),
      structure_(std::make_shared<StructuralPlanner>(hierarchy, settings.links, std::move(shared))) {
    for (std::size_t op = 0; op < rules_.size(); ++op) {
        rules_[op] = rules_for(settings.rules, static_cast<Collective>(op), hierarchy.ranks());
        byte_bounds_[op] = byte_bounds(rules_[op]);
    }
    far_senders_ = !hierarchy.receivers.empty() &&
                   std::any_of(hierarchy.groups.begin(), hierarchy.groups.end(), [&](const auto& group) {
                       return is_network(group) && settings.links.at(link_level(group)).far_send_share > 0;
                   });
    classify_roots();
}

/// Returns the group below the topmost one that contains a rank, or the topmost one.
int Planner::part_of(int rank) const {
    int group = hierarchy_.stop[static_cast<std::size_t>(rank)];
    while (hierarchy_.groups[group].depth > 1) {
        group = hierarchy_.groups[group].parent;
    }
    return group;
}

/// Returns by group the number of the place of its roots: equal for equal groups in equal places, but the
/// part of rank 0 has its own, because flat patterns in rank order begin there.
std::vector<int> Planner::root_places() const {
    const std::vector<int> equal = topology::equal_groups(hierarchy_);
    const bool by_part = hierarchy_.ranks() > most_places_apart;
    const int first_part = part_of(0);
    std::vector<int> places(hierarchy_.groups.size());
    std::map<std::pair<int, int>, int> known;  // place of the parent, class of the group
    for (int g = 1; g < static_cast<int>(places.size()); ++g) {
        const topology::Group& group = hierarchy_.groups[static_cast<std::size_t>(g)];
        int& place = places[static_cast<std::size_t>(g)];
        const int around = places[static_cast<std::size_t>(group.parent)];
        const int own = g == first_part ? -1 : equal[static_cast<std::size_t>(g)];
        const auto next = static_cast<int>(known.size()) + 1;
        place = by_part && group.depth > 1 ? around : known.try_emplace({around, own}, next).first->second;
    }
    return places;
}

void Planner::classify_roots() {
    const auto ranks = static_cast<std::size_t>(hierarchy_.ranks());
    for (RootClasses* const classes : {&root_classes_, &receiving_classes_}) {
        classes->of_rank.resize(ranks);
        std::iota(classes->of_rank.begin(), classes->of_rank.end(), 0);
    }
    if (hierarchy_.ranks() <= most_roots_apart) return;
    const std::vector<int> places = root_places();
    // Representatives of roots without and with a receiver. Rank 0 represents itself only.
    struct Pair {
        int near = -1;
        int far = -1;
        bool leads = false;  ///< `near` is a leader
    };
    std::vector<Pair> pairs(places.size());  // by place
    const auto pair_of = [&](int rank) -> Pair& {
        const auto stop = static_cast<std::size_t>(hierarchy_.stop[static_cast<std::size_t>(rank)]);
        return pairs[static_cast<std::size_t>(places[stop])];
    };
    const auto is_near = [&](int rank) { return hierarchy_.receiver_of(rank) == rank; };
    for (int rank = 1; rank < hierarchy_.ranks(); ++rank) {
        Pair& pair = pair_of(rank);
        if (!is_near(rank)) {
            pair.far = pair.far < 0 ? rank : pair.far;
            continue;
        }
        const bool leads = hierarchy_.groups[static_cast<std::size_t>(part_of(rank))].leader == rank;
        if (pair.near < 0 || (leads && !pair.leads)) pair = {rank, pair.far, leads};
    }
    for (int rank = 1; rank < hierarchy_.ranks(); ++rank) {
        const Pair& pair = pair_of(rank);
        root_classes_.of_rank[static_cast<std::size_t>(rank)] = pair.near >= 0 ? pair.near : pair.far;
        receiving_classes_.of_rank[static_cast<std::size_t>(rank)] = is_near(rank) ? pair.near : pair.far;
    }
    root_classes_.find_others();
    receiving_classes_.find_others();
}

void Planner::RootClasses::find_others() {
    constexpr std::size_t most = 3;
    for (std::size_t rank = 0; rank < of_rank.size(); ++rank) {
        if (of_rank[rank] != static_cast<int>(rank)) {
            others[of_rank[rank]].push_back(static_cast<int>(rank));
        }
    }
    for (auto& [root, all] : others) {
        std::vector<int> some;
        const std::size_t count = std::min(most, all.size());
        for (std::size_t i = 1; i <= count; ++i) {
            some.push_back(all[all.size() * i / count - 1]);  // the last one, and others at equal distances
        }
        all = std::move(some);
    }
}

std::span<const int> Planner::others_of(Collective op, int root_class) const {
    const auto& others = classes_for(op).others;
    const auto found = others.find(root_class);
    return found == others.end() ? std::span<const int>{} : std::span<const int>{found->second};
}

std::size_t Planner::memory() const {
    using topology::heap_bytes;
    std::size_t bytes = 0;
    for (const auto& rules : rules_) {
        bytes += heap_bytes(rules);
        for (const Rule& rule : rules) bytes += bytes_of(rule);
    }
    for (const auto& bounds : byte_bounds_) bytes += heap_bytes(bounds);
    for (const RootClasses* classes : {&root_classes_, &receiving_classes_}) {
        bytes += heap_bytes(classes->of_rank) + topology::table_bytes(classes->others);
        for (const auto& [root, others] : classes->others) bytes += heap_bytes(others);
    }
    return bytes;
}

bool PlanSettings::speak_of(Collective op) const {
    return of(op).engine != Engine::automatic || !of(op).methods.empty() || !of(op).segments.empty() ||
           std::any_of(rules.rules.begin(), rules.rules.end(),
                       [op](const Rule& rule) { return rule.concerns(op); });
}

bool PlanSettings::may_want(Engine engine, int ranks) const {
    return std::any_of(overrides.begin(), overrides.end(),
                       [&](const Overrides& wish) { return wish.engine == engine; }) ||
           std::any_of(rules.rules.begin(), rules.rules.end(), [&](const Rule& rule) {
               return rule.engine == engine && rule.ranks.has(static_cast<std::size_t>(ranks));
           });
}

bool PlanSettings::may_want_components(int ranks) const {
    const auto delegated = [](const LevelMethod& method, std::size_t op) {
        return delegates(method, traits_of(static_cast<Collective>(op)));
    };
    bool wanted = may_want(Engine::levels, ranks);
    for (std::size_t op = 0; op < overrides.size(); ++op) {
        for (const LevelMethodRule& rule : overrides[op].methods) wanted |= delegated(rule.method, op);
        for (const Rule& rule : rules_for(rules, static_cast<Collective>(op), ranks)) {
            for (const LevelRule& level : rule.levels) wanted |= level.method && delegated(*level.method, op);
        }
    }
    return wanted;
}

bool Planner::is_open(Collective op) const {
    const Overrides& overrides = settings_.of(op);
    return overrides.engine == Engine::automatic && overrides.methods.empty() && rules_of(op).empty();
}

const char* Planner::passed_at_every_size(Collective op) const {
    return algorithms::passed_at_every_size(hierarchy_, settings_.links, op);
}

int Planner::root_class(Collective op, int root) const {
    return traits_of(op).rooted ? classes_for(op).of_rank[static_cast<std::size_t>(root)] : root;
}

Operation Planner::with_root_of_class(Operation operation) const {
    operation.root = root_class(operation.collective, operation.root);
    operation.other_roots = others_of(operation.collective, operation.root);
    return operation;
}

PlanClass Planner::class_of(const Operation& operation, ByLevels by_levels) const {
    const SizeClass size = size_class(operation.bytes);
    const int root = root_class(operation.collective, operation.root);
    const auto op = static_cast<unsigned>(operation.collective);
    const std::vector<std::size_t>& bounds = byte_bounds_[op];
    const auto bound = std::upper_bound(bounds.begin(), bounds.end(), operation.bytes);
    static_assert(2 * most_rules < 1U << 14);
    PlanClass found;
    found.key = static_cast<std::uint64_t>(by_levels) << 62 |
                static_cast<std::uint64_t>(bound - bounds.begin()) << 48 |
                static_cast<std::uint64_t>(root) << 16 | op << 10 | (operation.rank_order ? 1U << 9 : 0U) |
                (operation.on_boards ? 1U << 8 : 0U) | size.index;
    found.representative = with_root_of_class(operation);
    found.representative.bytes =
        bound == bounds.begin() ? size.smallest : std::max(size.smallest, *std::prev(bound));
    return found;
}

bool Planner::is_whole(Collective op, const SizeClass& sizes) const {
    const std::vector<std::size_t>& bounds = bounds_of(op);
    const auto first = std::upper_bound(bounds.begin(), bounds.end(), sizes.smallest);
    return first == bounds.end() || *first > sizes.largest;
}

/// Returns the parameters and rules for an operation, without those that cannot be used now.
Overrides Planner::wishes(const Operation& operation, ByLevels by_levels,
                          std::vector<std::string>& ignored_values) const {
    const Collective op = operation.collective;
    auto [overrides, unusable] = resolve(settings_.of(op), rules_of(op), hierarchy_, operation);
    ignored_values = std::move(unusable);
    overrides.keep_levels = keep_levels_;
    switch (by_levels) {
        case ByLevels::maybe: return overrides;
        case ByLevels::never: return without_delegation(std::move(overrides), op, Engine::tree);
        case ByLevels::given_up: break;
    }
    return without_delegation(std::move(overrides), op, Engine::automatic);
}

Plan Planner::make_plan(Operation operation, ByLevels by_levels) const {
    operation.rails = rails_;
    std::vector<std::string> ignored_values;
    const Overrides overrides = wishes(operation, by_levels, ignored_values);
    Plan made =
        algorithms::make_plan(hierarchy_, settings_.links, overrides, operation, Effort::full, facts_.get());
    for (const std::string& why : ignored_values) {
        made.reason += "; ignored " + settings_.rules_file + ":" + why;
    }
    return made;
}

FirstPlan Planner::plan_by_formulas(Operation operation, ByLevels by_levels) const {
    operation.rails = rails_;
    std::vector<std::string> none;
    const Overrides overrides = wishes(operation, by_levels, none);
    // An order of ranks depends on their numbering.
    if (operation.rank_order || hierarchy_.ranks() > StructuralPlans::most_ranks) {
        return {algorithms::make_plan(hierarchy_, settings_.links, overrides, operation, Effort::closed_form,
                                      facts_.get())};
    }
    topology::FactHash inputs;
    inputs.add(static_cast<int>(operation.collective)).add(operation.bytes).add(static_cast<int>(by_levels));
    inputs.add(rails_).add(keep_levels_).add(operation.on_boards);
    const auto [proposal, found] = structure_->propose(overrides, operation, inputs.value());
    return {weigh(*proposal, hierarchy_, settings_.links, overrides, operation, facts_->rounds), no_search,
            found};
}

bool Planner::formulas_may_choose(const Operation& operation) const {
    const Collective op = operation.collective;
    return !settings_.search_at_once && is_open(op) && settings_.of(op).segments.empty() &&
           !operation.reproducible && hierarchy_.groups.size() > 1 &&
           !chooses_node(hierarchy_, settings_.of(op), operation) && passed_at_every_size(op) == nullptr;
}

FirstPlan Planner::first_plan(const Operation& operation, ByLevels by_levels) const {
    if (!formulas_may_choose(operation)) return {make_plan(operation, by_levels), 0};
    FirstPlan first = plan_by_formulas(operation, by_levels);
    first.search_after = calls_before_search(operation, hierarchy_.ranks(), first.plan.predicted_us);
    if (first.search_after == 0) return {make_plan(operation, by_levels), 0};
    first.plan.reason += "; chosen by formulas";
    if (first.search_after != no_search)
        first.plan.reason += ", searched for after " + std::to_string(first.search_after) + " calls";
    return first;
}

Plan Planner::lasting_plan(const Operation& operation) const {
    FirstPlan first = first_plan(operation);
    const bool lasts = first.search_after == 0 || first.search_after == no_search;
    return lasts ? std::move(first.plan) : make_plan(operation);
}

double Planner::bound_us(const Operation& operation) const {
    return least_us(hierarchy_, settings_.links, operation);
}

std::size_t Planner::shared_memory() const { return facts_->memory() + structure_->memory(); }

std::optional<Delegation> Planner::evaluate_delegation(const Operation& operation, const Plan& plan) const {
    std::vector<std::string> ignored_values;  // make_plan() reports them
    return algorithms::evaluate_delegation(
        hierarchy_, settings_.links, wishes(operation, ByLevels::maybe, ignored_values), operation, plan);
}

}  // namespace strata::algorithms
