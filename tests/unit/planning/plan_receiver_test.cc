// make_plan for a root far from its node's NIC.
#include <gtest/gtest.h>

#include "algorithms/openmpi_cost/forward_cost.h"
#include "algorithms/planning/make_plan.h"
#include "plans.h"

namespace plan_receiver_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;

/// Nodes of four ranks in two domains; the third rank leads, and receives for the first two.
Hierarchy far_pairs(int nodes) {
    Hierarchy h = make_hierarchy(
        leaf_switch, {{node_level, blocks(nodes * 4, 4)}, {numa_level, blocks(nodes * 4, 2)}}, nodes * 4);
    for (Group& group : h.groups) {
        if (group.depth < 2) group.leader = group.members.front() + 2;
    }
    for (int rank = 0; rank < h.ranks(); ++rank)
        h.receivers.push_back(rank % 4 < 2 ? rank / 4 * 4 + 2 : rank);
    EXPECT_EQ(strata::topology::validate(h), "");
    return h;
}

Plan planned(const Hierarchy& hierarchy, std::size_t bytes, int root, const Overrides& overrides = {},
             Collective collective = Collective::gather) {
    return make_plan(hierarchy, LinkTable{}, overrides, {collective, bytes, root});
}

TEST(PlanReceiver, FarRootsOfLongGathers) {
    const Hierarchy hierarchy = far_pairs(4);
    for (const std::size_t bytes : {mib, 4 * mib, 16 * mib, 256 * mib}) {
        const Plan far = planned(hierarchy, bytes, 5);
        EXPECT_EQ(far.engine, Engine::tree);
        EXPECT_TRUE(far.nic_local);
        EXPECT_EQ(
            far.reason,
            "predicted faster than the underlying component; a process near the NIC receives for the root");
        // Both alternatives without a receiver end at the far root.
        EXPECT_GT(far.forward_us, forward_cost_us(hierarchy, LinkTable{}, {Collective::gather, bytes, 5}));
        Hierarchy without = hierarchy;
        without.receivers.clear();
        EXPECT_FALSE(planned(without, bytes, 5).nic_local);
        EXPECT_EQ(planned(without, bytes, 5).forward_us,
                  forward_cost_us(without, LinkTable{}, {Collective::gather, bytes, 5}));
        const Plan near = planned(hierarchy, bytes, 6);
        EXPECT_FALSE(near.nic_local);
        EXPECT_TRUE(same(near, planned(without, bytes, 6)));
    }
}

TEST(PlanReceiver, ShortGathersSpareTheHop) {
    // 12 of 16 blocks come from other nodes: the gain needs some 32 KiB, and must exceed the hop's cost.
    for (const std::size_t bytes : {std::size_t{16}, kib, 16 * kib, 40 * kib}) {
        const Plan plan = planned(far_pairs(4), bytes, 5);
        EXPECT_FALSE(plan.nic_local) << bytes;
        const double direct = forward_cost_us(far_pairs(4), LinkTable{}, {Collective::gather, bytes, 5});
        if (bytes < 40 * kib) {
            EXPECT_EQ(plan.forward_us, direct) << "no more than is in flight at once";
        }
        EXPECT_LT(plan.forward_us, 1.01 * direct);
    }
    // Whole messages do not stream through the hop, but wait for all.
    const auto whole = [](const char* sizes) {
        LinkTable links;
        links.set({LevelKind::node, std::nullopt}, {1, 0.3, 3000, 4096});
        return make_plan(far_pairs(4), links, overriding(Engine::tree, "", sizes),
                         {Collective::gather, 16 * mib, 5});
    };
    EXPECT_TRUE(whole("60k").nic_local);
    EXPECT_FALSE(whole("0").nic_local);
}

TEST(PlanReceiver, HowMuchTheSlowPathCostsIsTheLinks) {
    const Operation operation{Collective::gather, mib, 5};
    const auto plan = [&](double far_share) {
        LinkTable links;
        links.set_some({LevelKind::switch_, std::nullopt}, {.far_share = far_share});
        return make_plan(far_pairs(4), links, overriding(Engine::tree), operation);
    };
    EXPECT_FALSE(plan(0).nic_local);
    EXPECT_EQ(plan(0).forward_us, forward_cost_us(far_pairs(4), LinkTable{}, operation));
    EXPECT_TRUE(plan(0.25).nic_local);
    EXPECT_GT(plan(0.5).forward_us, plan(0.25).forward_us);
}

TEST(PlanReceiver, WhatPassesThroughMustFit) {
    EXPECT_TRUE(planned(far_pairs(4), 340 * mib, 5, overriding(Engine::tree)).nic_local);
    EXPECT_FALSE(planned(far_pairs(4), 344 * mib, 5, overriding(Engine::tree)).nic_local);
}

TEST(PlanReceiver, TreesTowardsARootUnlessSendersAreSlow) {
    const Hierarchy hierarchy = far_pairs(4);
    EXPECT_TRUE(planned(hierarchy, mib, 5, overriding(Engine::tree)).nic_local);
    EXPECT_FALSE(planned(hierarchy, mib, 5, overriding(Engine::forward)).nic_local);
    EXPECT_FALSE(planned(hierarchy, mib, 5, overriding(Engine::levels)).nic_local);
    EXPECT_FALSE(planned(hierarchy, 0, 5, overriding(Engine::tree), Collective::gatherv).nic_local);
    for (int op = 0; op < collective_count; ++op) {
        const auto collective = static_cast<Collective>(op);
        if (collective == Collective::gather || collective == Collective::reduce) continue;
        Hierarchy without = hierarchy;
        without.receivers.clear();
        EXPECT_TRUE(
            same(planned(hierarchy, mib, 5, {}, collective), planned(without, mib, 5, {}, collective)));
    }
    // One node: no messages from outside.
    Hierarchy node = make_hierarchy(node_level, {{numa_level, blocks(4, 2)}}, 4);
    node.groups.front().leader = 2;
    node.receivers = {2, 2, 2, 3};
    EXPECT_FALSE(planned(node, 16 * mib, 0, overriding(Engine::tree)).nic_local);
}

TEST(PlanReceiver, LongReductionsToAFarRoot) {
    const Hierarchy hierarchy = far_pairs(4);
    const auto nic_local = [&](Operation operation) {
        return make_plan(hierarchy, LinkTable{}, {}, operation).nic_local;
    };
    Operation operation{Collective::reduce, 4 * mib, 5};
    EXPECT_TRUE(nic_local(operation));
    // A vector is never held as a whole.
    EXPECT_TRUE(nic_local({Collective::reduce, 1024 * mib, 5}));
    EXPECT_FALSE(nic_local({Collective::reduce, 4 * mib, 6})) << "a near root";
    EXPECT_FALSE(nic_local({Collective::reduce, 16 * kib, 5})) << "too short";
    EXPECT_GT(make_plan(hierarchy, LinkTable{}, {}, operation).forward_us,
              forward_cost_us(hierarchy, LinkTable{}, operation))
        << "it ends at the far root, too";
    operation.rank_order = true;
    EXPECT_FALSE(nic_local(operation));
    operation = {Collective::reduce, 4 * mib, 5};
    operation.reproducible = true;
    EXPECT_FALSE(nic_local(operation));
}

TEST(PlanReceiver, LongBroadcastsOfARootThatSendsSlowly) {
    const Hierarchy hierarchy = far_pairs(4);
    const auto plan = [&](double send_share, std::size_t bytes, int root) {
        LinkTable links;
        links.set_some({LevelKind::switch_, std::nullopt}, {.far_send_share = send_share});
        return make_plan(hierarchy, links, overriding(Engine::tree), {Collective::bcast, bytes, root});
    };
    EXPECT_FALSE(plan(0, 4 * mib, 5).nic_local) << "senders do not suffer, if nothing else is known";
    const Plan slow = plan(0.6, 4 * mib, 5);
    EXPECT_TRUE(slow.nic_local);
    EXPECT_EQ(slow.reason, "set by the user; a process near the NIC sends for the root");
    EXPECT_GT(slow.forward_us, plan(0, 4 * mib, 5).forward_us);
    EXPECT_LT(slow.predicted_us, 1.05 * plan(0, 4 * mib, 5).predicted_us) << "but for the hop";
    EXPECT_FALSE(plan(0.6, 4 * mib, 6).nic_local) << "a near root";
    EXPECT_FALSE(plan(0.6, 16 * kib, 5).nic_local) << "too short";
}

}  // namespace
}  // namespace plan_receiver_test
