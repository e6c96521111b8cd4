#include "algorithms/planning/delegation.h"

#include <algorithm>
#include <limits>

#include "algorithms/cost/links.h"
#include "algorithms/cost/receiver.h"
#include "algorithms/openmpi_cost/forward_cost.h"
#include "algorithms/openmpi_cost/level_methods.h"
#include "algorithms/openmpi_cost/levels.h"
#include "algorithms/planning/plan_search.h"

namespace strata::algorithms {
namespace {

using topology::Hierarchy;

Plan by_components(const Hierarchy& hierarchy, const Plan& chosen, const char* topmost, const char* below,
                   std::size_t segment) {
    Plan plan;
    plan.engine = Engine::levels;
    plan.window = chosen.window;
    plan.network_window_bytes = chosen.network_window_bytes;
    plan.forward_us = chosen.forward_us;
    plan.reason = "predicted faster than all other plans, by enough to pay for its communicators";
    for (const topology::LevelKey level : hierarchy.levels()) {
        const char* word = plan.levels.empty() ? topmost : below;
        plan.levels.push_back({level, {Algorithm::component, 0, word}, segment});
    }
    plan.sources.resize(plan.levels.size());
    return plan;
}

/// Returns true if latency and bandwidth were given. They decide about hops.
bool is_given(const LinkTable& links, topology::LevelKey level) {
    const LinkSetting given = links.given(level);
    return given.latency_us && given.bytes_per_us;
}

}  // namespace

std::optional<Plan> fastest_by_components(const Hierarchy& hierarchy, const LinkTable& links,
                                          const Operation& operation, const Plan& chosen) {
    if (!traits_of(operation.collective).sized || hierarchy.groups.size() < 2) return std::nullopt;
    const std::size_t eager = links.at(link_level(hierarchy.groups.front())).eager_bytes;
    std::vector<std::size_t> segments{0};
    if (eager > 0 && largest_eager_segment(eager) < operation.bytes)
        segments.push_back(largest_eager_segment(eager));
    const double far_us = receiver_cost(hierarchy, links, operation, 0).far_us;
    std::optional<Plan> best;
    for (const char* topmost : modelled_components) {
        for (const char* below : modelled_components) {
            for (const std::size_t segment : segments) {
                Plan plan = by_components(hierarchy, chosen, topmost, below, segment);
                const auto us = levels_cost_us(hierarchy, links, plan, operation);
                if (!us || (best && *us + far_us >= best->predicted_us)) continue;
                plan.predicted_us = *us + far_us;
                best = std::move(plan);
            }
        }
    }
    return best;
}

double delegation_setup_us(const Hierarchy& hierarchy, const LinkTable& links) {
    const auto ranks = static_cast<std::size_t>(hierarchy.ranks());
    const double colours =
        forward_cost_us(hierarchy, links, {Collective::allgather, 2 * sizeof(int) * ranks});
    const double number = forward_cost_us(hierarchy, links, {Collective::allreduce, sizeof(int)});
    return hierarchy.depth() * (colours + 3 * number) + 2 * number;
}

unsigned Delegation::fewest_calls(double gain_us, double setup_us) {
    if (setup_us <= 0) return 0;
    if (gain_us <= 0) return std::numeric_limits<unsigned>::max();
    auto calls = static_cast<unsigned>(std::min(setup_us / gain_us, 1e9));
    while (static_cast<double>(calls) * gain_us < setup_us) {
        ++calls;
    }
    return calls;
}

std::optional<Delegation> evaluate_delegation(const Hierarchy& hierarchy, const LinkTable& links,
                                              const Overrides& overrides, const Operation& operation,
                                              const Plan& chosen) {
    const CollectiveTraits traits = traits_of(operation.collective);
    const bool open = overrides.engine == Engine::automatic && overrides.methods.empty();
    const topology::LevelKey top = link_level(hierarchy.groups.front());
    if (!open || traits.rooted || traits.combines || !is_network(top.kind) || !is_given(links, top) ||
        hierarchy.groups.size() < 2 || chosen.engine == Engine::levels || chosen.predicted_us <= 0) {
        return std::nullopt;
    }
    std::optional<Plan> best = fastest_by_components(hierarchy, links, operation, chosen);
    const double least =
        chosen.forward_us > 0 ? std::min(chosen.predicted_us, chosen.forward_us) : chosen.predicted_us;
    if (!best || best->predicted_us >= least * (1 - needed_gain)) return std::nullopt;
    const double gain_us = chosen.predicted_us - best->predicted_us;
    return Delegation{std::move(*best), gain_us, delegation_setup_us(hierarchy, links)};
}

}  // namespace strata::algorithms
