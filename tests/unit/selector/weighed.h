#pragma once
// By how much ways to carry an operation are at worst slower than the best of them, when the network is not
// what the table of links guesses: the rule of make_plan(), written down a second time.
#include <gtest/gtest.h>

#include <algorithm>

#include "../../../algorithms/src/cost_model.h"
#include "../../../algorithms/src/receiver.h"
#include "plans.h"

namespace strata::testing {

struct Worst {
    double chosen = 1;
    double tree = 1;
    double ring = 1e30;  ///< no ring
    double forward = 1;
};

inline std::vector<algorithms::LinkTable> networks_like(const Hierarchy& hierarchy,
                                                        const algorithms::LinkTable& links) {
    using algorithms::LinkTable;
    std::vector<LinkTable> all(4, links);
    LevelKey topmost{};
    int networks = 0;
    for (const LevelKey level : hierarchy.levels()) {
        if (!is_network(level.kind)) continue;
        if (networks++ == 0) topmost = level;
        const algorithms::LinkParameters link = links.at(level);
        const algorithms::LinkSetting given = links.given(level);
        const algorithms::LinkSetting narrow = {.bytes_per_us = link.bytes_per_us / 8};
        if (!given.bytes_per_us) all[1].set_some({level.kind, level.height}, narrow);
        if (level != topmost) continue;
        if (!given.bytes_per_us) all[2].set_some({level.kind, level.height}, narrow);
        if (!given.latency_us)
            all[3].set_some({level.kind, level.height}, {.latency_us = link.latency_us * 50});
    }
    return all;
}

/// `plan`: of make_plan() with an automatic engine and `overrides`.
inline Worst at_worst(const Hierarchy& hierarchy, const algorithms::LinkTable& links,
                      const algorithms::Operation& operation, const algorithms::Plan& plan,
                      algorithms::Overrides overrides = {}) {
    using namespace algorithms;
    overrides.engine = Engine::tree;
    const Plan tree = make_plan(hierarchy, links, overrides, operation);
    overrides.engine = Engine::ring;
    // Shorter pieces are never sent round a ring unasked.
    const bool rings = traits_of(operation.collective).by_ring &&
                       operation.bytes / static_cast<std::size_t>(hierarchy.ranks()) >= 4096;
    const Plan ring = rings ? make_plan(hierarchy, links, overrides, operation) : Plan{};
    Worst worst;
    for (const LinkTable& table : networks_like(hierarchy, links)) {
        const auto model = make_cost_model(hierarchy, table, operation);
        const auto us = [&](const Plan& p) {
            return model->cost_us(p.levels, operation.bytes, p.window) +
                   receiving_us(hierarchy, table, operation, p.levels, p.near_card);
        };
        const double forward = forward_cost_us(hierarchy, table, operation) +
                               receiver_cost(hierarchy, table, operation, 0).far_us;
        const double by_tree = us(tree);
        const double by_ring = ring.engine == Engine::ring ? us(ring) : 1e30;
        const double chosen = plan.engine == Engine::forward ? forward : us(plan);
        const double best = std::min({chosen, by_tree, by_ring, forward});
        worst.chosen = std::max(worst.chosen, chosen / best);
        worst.tree = std::max(worst.tree, by_tree / best);
        if (by_ring < 1e30) worst.ring = std::max(worst.ring == 1e30 ? 1 : worst.ring, by_ring / best);
        worst.forward = std::max(worst.forward, forward / best);
    }
    return worst;
}

/// The choice loses no more at worst than any other way, but for the model's error; twice, since three ways
/// are compared in pairs.
inline void expect_least_loss(const Hierarchy& hierarchy, const algorithms::LinkTable& links,
                              const algorithms::Operation& operation, const algorithms::Plan& plan,
                              const algorithms::Overrides& overrides = {}) {
    const Worst worst = at_worst(hierarchy, links, operation, plan, overrides);
    EXPECT_LE(worst.chosen * 0.95 * 0.95, std::min({worst.tree, worst.ring, worst.forward}))
        << name_of(operation.collective) << ' ' << operation.bytes;
    // Of two alike ours, which spares links; a Gather or Scatter spares none.
    const auto traits = traits_of(operation.collective);
    const bool spares = !(traits.blocks && traits.rooted);
    const bool forward = plan.engine == algorithms::Engine::forward;
    const std::string which =
        std::string(name_of(operation.collective)) + ' ' + std::to_string(operation.bytes);
    if (forward && spares) {
        EXPECT_LT(worst.forward, 0.95 * worst.tree) << which;
    }
    if (!forward && !spares) {
        EXPECT_LT(worst.chosen, 0.95 * worst.forward) << which;
    }
}

}  // namespace strata::testing
