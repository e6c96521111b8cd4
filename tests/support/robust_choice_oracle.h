#pragma once
// The robust choice over link scenarios, written a second time: predicted times of plans, averaged over
// scenarios of the network that differ from the table of links. make_plan() must follow the same rule.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "algorithms/cost/choose_window.h"
#include "algorithms/cost/model.h"
#include "algorithms/cost/receiver.h"
#include "algorithms/openmpi_cost/forward_cost.h"
#include "algorithms/planning/make_plan.h"
#include "plans.h"

namespace strata::testing {

/// Geometric means over the link scenarios, us; 1e30: no such plan.
struct Means {
    double chosen = 1;
    double tree = 1;
    double ring = 1e30;
    double forward = 1;
};

inline std::vector<algorithms::LinkTable> networks_like(const Hierarchy& hierarchy,
                                                        const algorithms::LinkTable& links) {
    using namespace algorithms;
    std::vector<LevelKey> network;
    std::vector<LevelKey> inside;
    for (const LevelKey level : hierarchy.levels())
        (is_network(level.kind) ? network : inside).push_back(level);
    std::vector<LinkTable> all{links};
    // Only differing scenarios count.
    const auto add = [&](const std::vector<LevelKey>& levels, auto&& change) {
        LinkTable other = links;
        bool differs = false;
        for (const LevelKey level : levels) {
            const LinkSetting setting = change(level, links.given(level), links.at(level));
            if (!setting.latency_us && !setting.overhead_us && !setting.bytes_per_us) continue;
            other.set_some({level.kind, level.height}, setting);
            differs = true;
        }
        if (differs) all.push_back(other);
    };
    const auto narrow = [](LevelKey, const LinkSetting& given, const LinkParameters& link) {
        LinkSetting setting;
        if (!given.bytes_per_us) setting.bytes_per_us = link.bytes_per_us / 8;
        return setting;
    };
    add(network, narrow);
    if (network.size() > 1) add({network.front()}, narrow);
    const std::vector<LevelKey> uplinks(network.begin(), network.end() - (network.empty() ? 0 : 1));
    add(uplinks, [&](LevelKey, const LinkSetting& given, const LinkParameters&) {
        LinkSetting setting;
        if (given.bytes_per_us) return setting;
        setting.bytes_per_us = links.at(network.back()).bytes_per_us;
        if (!given.parallel) setting.parallel = hierarchy.ranks();
        return setting;
    });
    add({network.front()}, [](LevelKey, const LinkSetting& given, const LinkParameters& link) {
        LinkSetting setting;
        if (!given.latency_us) setting.latency_us = link.latency_us * 50;
        return setting;
    });
    add(hierarchy.levels(), [](LevelKey, const LinkSetting& given, const LinkParameters& link) {
        LinkSetting setting;
        if (!given.overhead_us) setting.overhead_us = 4 * link.overhead_us;
        return setting;
    });
    return all;
}

/// `plan`: of make_plan() with an automatic engine and `overrides`.
inline Means means(const Hierarchy& hierarchy, const algorithms::LinkTable& links,
                   const algorithms::Operation& operation, const algorithms::Plan& plan,
                   algorithms::Overrides overrides = {}) {
    using namespace algorithms;
    overrides.engine = Engine::tree;
    const Plan tree = make_plan(hierarchy, links, overrides, operation);
    overrides.engine = Engine::ring;
    // The planner sends shorter pieces around a ring only on request.
    const bool rings = traits_of(operation.collective).by_ring &&
                       operation.bytes / static_cast<std::size_t>(hierarchy.ranks()) >= 4096;
    const Plan ring = rings ? make_plan(hierarchy, links, overrides, operation) : Plan{};
    Means product{1, 1, ring.engine == Engine::ring ? 1 : 1e30, 1};
    const auto tables = networks_like(hierarchy, links);
    for (const LinkTable& table : tables) {
        const auto share = [&](double us) { return std::pow(us, 1 / static_cast<double>(tables.size())); };
        const auto us = [&](const Plan& p) {
            return share(
                make_cost_model(hierarchy, table, operation, p.skipped)
                    ->cost_us(p.levels, operation.bytes, choose_window(overrides.window, hierarchy, table)) +
                receiving_us(hierarchy, table, operation, p.levels, p.nic_local));
        };
        const double forward = share(forward_cost_us(hierarchy, table, operation) +
                                     receiver_cost(hierarchy, table, operation, 0).far_us);
        product.tree *= us(tree);
        product.forward *= forward;
        product.chosen *= plan.engine == Engine::forward ? forward : us(plan);
        if (ring.engine == Engine::ring) product.ring *= us(ring);
    }
    return product;
}

/// The chosen plan's mean time is no longer than any other plan's, within the model's error.
inline void expect_least_loss(const Hierarchy& hierarchy, const algorithms::LinkTable& links,
                              const algorithms::Operation& operation, const algorithms::Plan& plan,
                              const algorithms::Overrides& overrides = {}) {
    const Means mean = means(hierarchy, links, operation, plan, overrides);
    const std::string which =
        std::string(name_of(operation.collective)) + ' ' + std::to_string(operation.bytes);
    EXPECT_LE(mean.chosen * 0.9499, std::min(mean.tree, mean.forward)) << which;
    // Without a request only those levels are rings that gain more than the model's error.
    EXPECT_LE(mean.chosen * 0.9499 * 0.95, mean.ring) << which;
    // The plugin's plan must win by more than the model's error.
    if (plan.engine != algorithms::Engine::forward) {
        EXPECT_LT(mean.chosen, 0.9501 * mean.forward) << which;
    } else {
        EXPECT_GT(mean.tree, 0.9499 * mean.forward) << which;
    }
}

}  // namespace strata::testing
