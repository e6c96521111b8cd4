#include "algorithms/planning/delegation.h"

#include <algorithm>
#include <limits>

#include "algorithms/cost/links.h"
#include "algorithms/openmpi_cost/forward_cost.h"
#include "algorithms/openmpi_cost/level_methods.h"
#include "algorithms/openmpi_cost/levels.h"

namespace strata::algorithms {
namespace {

using topology::Hierarchy;

/// The model of the levels engine and those of the other engines are apart by up to this share: of Gathers
/// and Scatters of 128 B to 4 KiB, 4 x 4 ranks, the levels engine is predicted to be 5 to 9 % faster, and
/// takes as long (emulated cluster).
constexpr double needed_gain_over_another_model = 0.1;

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

/// Returns true if no group around the root has another leader.
bool leads_its_groups(const Hierarchy& hierarchy, int root) {
    for (int group = hierarchy.stop[static_cast<std::size_t>(root)]; group >= 0;) {
        const topology::Group& around = hierarchy.groups[static_cast<std::size_t>(group)];
        if (around.leader != root) return false;
        group = around.parent;
    }
    return true;
}

std::optional<Plan> fastest_by_components(const Hierarchy& hierarchy, const LinkTable& links,
                                          const Operation& operation, const Plan& chosen) {
    const std::size_t eager = links.at(link_level(hierarchy.groups.front())).eager_bytes;
    std::vector<std::size_t> segments{0};
    if (eager > 0 && largest_eager_segment(eager) < operation.bytes)
        segments.push_back(largest_eager_segment(eager));
    std::optional<Plan> best;
    for (const char* topmost : modelled_components) {
        for (const char* below : modelled_components) {
            for (const std::size_t segment : segments) {
                Plan plan = by_components(hierarchy, chosen, topmost, below, segment);
                const auto us = levels_cost_us(hierarchy, links, plan, operation);
                if (!us || *us <= 0 || (best && *us >= best->predicted_us)) continue;
                plan.predicted_us = *us;
                best = std::move(plan);
            }
        }
    }
    return best;
}

}  // namespace

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

Delegated evaluate_delegation(const Hierarchy& hierarchy, const LinkTable& links, const Overrides& overrides,
                              const Operation& operation, const Plan& chosen) {
    Delegated found;
    const CollectiveTraits traits = traits_of(operation.collective);
    const bool open = overrides.engine == Engine::automatic && overrides.methods.empty();
    if (!traits.sized || hierarchy.groups.size() < 2) return found;
    found.fastest = fastest_by_components(hierarchy, links, operation, chosen);
    const topology::LevelKey top = link_level(hierarchy.groups.front());
    const bool one_set =
        !traits.rooted || (operation.other_roots.empty() && leads_its_groups(hierarchy, operation.root));
    if (!open || !found.fastest || !one_set || traits.combines || !is_network(top.kind) ||
        !is_given(links, top) || chosen.engine == Engine::levels || chosen.predicted_us <= 0)
        return found;
    const double least =
        chosen.forward_us > 0 ? std::min(chosen.predicted_us, chosen.forward_us) : chosen.predicted_us;
    if (found.fastest->predicted_us >= least * (1 - needed_gain_over_another_model)) return found;
    const double gain_us = chosen.predicted_us - found.fastest->predicted_us;
    found.later = Delegation{*found.fastest, gain_us, delegation_setup_us(hierarchy, links)};
    return found;
}

}  // namespace strata::algorithms
