#include "algorithms/planning/verdict.h"

#include <algorithm>
#include <utility>

#include "algorithms/cost/links.h"
#include "algorithms/cost/receiver.h"
#include "algorithms/openmpi_cost/forward_cost.h"
#include "algorithms/openmpi_cost/tuned.h"
#include "algorithms/planning/make_plan.h"
#include "algorithms/planning/plan_search.h"

namespace strata::algorithms {
namespace {

using topology::Hierarchy;

constexpr double needed_gain_inside = 0.15;
constexpr double needed_gain_beside_buses = 0.08;

/// Returns why only Bcast is planned inside a node; null: all collectives are. With shared processors, copies
/// compete for them, which the tree model does not include. Measured on 16 ranks of two cores, plan instead
/// of underlying component: Reduce of 64 KiB 460 us instead of 360, Scatter 166 instead of 236, Gather of 1
/// MiB 458 instead of 424, Allreduce 6.9 ms instead of 5.2. Default links are no reason to replace it either.
const char* unknown_inside(const Hierarchy& hierarchy, const LinkTable& links) {
    if (is_network(hierarchy.groups.front())) return nullptr;
    if (hierarchy.oversubscription > 1) return "no gain known inside a node whose ranks share processors";
    return sends_inside(hierarchy, links) ? nullptr : "no gain known inside a node without link parameters";
}

/// Inside a node the plan must win by more than the model's error: the measured 5 % for Bcast. For others it
/// is the difference to simulated machines with buses in most cells: 8 % if the table contains buses, else 15
/// % (bench/simgrid).
double gain_inside(const Hierarchy& hierarchy, const LinkTable& links, Collective collective) {
    const bool buses = std::any_of(
        hierarchy.groups.begin(), hierarchy.groups.end(),
        [&](const topology::Group& group) { return links.at(link_level(group)).bus_bytes_per_us > 0; });
    if (traits_of(collective).inside) return needed_gain;
    return buses ? needed_gain_beside_buses : needed_gain_inside;
}

}  // namespace

bool fixed_order(const Operation& operation) {
    return operation.reproducible && traits_of(operation.collective).combines;
}

std::optional<Verdict> judge_unseen(const Operation& operation, const Hierarchy& hierarchy,
                                    const LinkTable& links) {
    if (fixed_order(operation)) return Verdict{true, "the order must not depend on the size"};
    const char* const left = passed_at_every_size(hierarchy, links, operation.collective);
    return left != nullptr ? std::optional(Verdict{false, left}) : std::nullopt;
}

Verdict judge_inside(const Plan& plan, const Hierarchy& hierarchy, const LinkTable& links,
                     Collective collective) {
    if (plan.predicted_us > plan.forward_us * (1 - gain_inside(hierarchy, links, collective)))
        return {false, no_gain};
    return {true, "predicted faster than the underlying component"};
}

double underlying_us(const Hierarchy& hierarchy, const LinkTable& links, const Operation& operation,
                     FlatRounds& rounds) {
    const double us = forward_cost_us(hierarchy, links, operation, rounds);
    return us > 0 ? us + receiver_cost(hierarchy, links, operation, 0).far_us : us;
}

Plan weigh(Proposal proposal, const Hierarchy& hierarchy, const LinkTable& links, const Overrides& overrides,
           const Operation& operation, RoundCounts& counts) {
    FlatRounds rounds(hierarchy, &counts, true);
    auto& [plan, passed] = proposal;
    plan.forward_us = underlying_us(hierarchy, links, operation, rounds);
    if (plan.engine == Engine::forward) {
        plan.predicted_us = plan.forward_us;
        return std::move(plan);
    }
    if (overrides.engine != Engine::automatic || plan.engine == Engine::levels || fixed_order(operation))
        return std::move(plan);
    const double gain = is_network(hierarchy.groups.front())
                            ? needed_gain
                            : gain_inside(hierarchy, links, operation.collective);
    if (plan.predicted_us <= plan.forward_us * (1 - gain)) return std::move(plan);
    passed.predicted_us = passed.forward_us = plan.forward_us;
    passed.reason = no_gain;
    return std::move(passed);
}

const char* passed_at_every_size(const Hierarchy& hierarchy, const LinkTable& links, Collective collective) {
    if (!traits_of(collective).sized) return "not every rank knows the sizes";
    return traits_of(collective).inside ? nullptr : unknown_inside(hierarchy, links);
}

}  // namespace strata::algorithms
