// Runs every collective as a caller without Open MPI does: data, edges kept between calls, and the
// announcements to the transport.
#include <gtest/gtest.h>

#include <deque>
#include <stdexcept>
#include <string>

#include "algorithms/engines/perform.h"
#include "bcast_runs.h"
#include "block_runs.h"
#include "double_tree_runs.h"
#include "random_shapes.h"
#include "reduce_runs.h"

namespace perform_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;
using strata::topology::Hierarchy;
using strata::topology::NicRails;

/// Forwards messages to announced peers, and checks that they cross the announced level.
class AnnouncedOnly final : public Transport {
public:
    AnnouncedOnly(Transport& below, const Hierarchy& hierarchy, int rank)
        : below_(below), hierarchy_(hierarchy), rank_(rank) {}

    void begin_call(Collective collective, std::span<const PeerLevel> levels) override {
        collective_ = collective;
        levels_ = levels;
    }
    int begin(int slots) override { return below_.begin(slots); }
    int isend(int slot, const std::byte* data, std::size_t bytes, int peer, int rail,
              Completion completion) override {
        look_up(peer);
        return below_.isend(slot, data, bytes, peer, rail, completion);
    }
    int irecv(int slot, std::byte* data, std::size_t bytes, int peer, int rail) override {
        return below_.irecv(slot, data, bytes, peer, rail);
    }
    int wait_some(std::span<int> done, int& count) override { return below_.wait_some(done, count); }
    int send(const std::byte* data, std::size_t bytes, int peer) override {
        look_up(peer);
        return below_.send(data, bytes, peer);
    }
    int recv(std::byte* data, std::size_t bytes, int peer) override { return below_.recv(data, bytes, peer); }
    void abandon() noexcept override { below_.abandon(); }

    Collective collective() const { return collective_; }

private:
    void look_up(int peer) const {
        const PeerLevel* found = nullptr;
        for (const PeerLevel& level : levels_) {
            found = level.peer == peer ? &level : found;
        }
        const auto& common = hierarchy_.groups[hierarchy_.lowest_common_group(rank_, peer)];
        ASSERT_NE(found, nullptr) << "rank " << rank_ << " sends to " << peer << ", which was not announced";
        EXPECT_EQ(found->kind, common.level.kind);
        EXPECT_EQ(found->network, strata::topology::is_network(common));
    }

    Transport& below_;
    const Hierarchy& hierarchy_;
    int rank_;
    std::span<const PeerLevel> levels_;
    Collective collective_ = Collective::count;
};

/// Plans of one call, and the edges that every rank keeps for them.
class Ranks {
public:
    Ranks(const Hierarchy& hierarchy, const Plan& plan)
        : hierarchy_(hierarchy), plan_(plan), kept_(static_cast<std::size_t>(hierarchy.ranks())) {}

    template <class Call>
    int perform(int rank, Transport& transport, Arena& arena, Collective collective, Call&& call) {
        AnnouncedOnly announced(transport, hierarchy_, rank);
        const Routing routing(hierarchy_, rails_, rank);
        const int code =
            call(Performer{announced, arena, routing, plan_, kept_[static_cast<std::size_t>(rank)]});
        EXPECT_EQ(announced.collective(), collective);
        return code;
    }
    std::size_t kept() const { return kept_.front().size(); }

private:
    const Hierarchy& hierarchy_;
    const Plan& plan_;
    NicRails rails_;
    std::deque<RouteCache> kept_;
};

ReduceRun run(Ranks& ranks, const ReduceCase& reduce, Collective collective, const FabricOptions& options) {
    const bool everywhere = collective == Collective::allreduce;
    Operation operation{collective, reduce.bytes(), reduce.root, reduce.rank_order};
    return run_reduction(
        reduce, options, everywhere,
        [&](int rank, auto& transport, auto buffers, auto& reduction, auto& arena) {
            return ranks.perform(rank, transport, arena, collective, [&](const Performer& performer) {
                return everywhere ? complete(performer.transport,
                                             perform_allreduce(performer, operation, buffers, reduction))
                                  : complete(performer.transport,
                                             perform_reduce(performer, operation, buffers, reduction));
            });
        });
}

TEST(Perform, BroadcastsAsTheTreeEngineDoes) {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        Random random(seed);
        BcastCase bcast;
        bcast.hierarchy = random_hierarchy(random, {24, 4});
        bcast.bytes = 1 + random.below(3000);
        bcast.plan = random_tree_plan(random, bcast.hierarchy, bcast.bytes);
        bcast.plan.engine = strata::algorithms::Engine::tree;
        Ranks ranks(bcast.hierarchy, bcast.plan);
        bcast.root = random.between(0, bcast.hierarchy.ranks() - 1);
        for (int call = 0; call < 2; ++call) {
            const RunReport direct = run_tree(bcast, options_for(seed));
            const RunReport report = run_engine(
                bcast, options_for(seed), [&](int rank, Transport& transport, PackedBuffer& buffer) {
                    Arena arena;
                    return ranks.perform(rank, transport, arena, Collective::bcast,
                                         [&](const Performer& performer) {
                                             return complete(performer.transport,
                                                             perform_bcast(performer, bcast.root, buffer));
                                         });
                });
            EXPECT_EQ(report.text(), "") << describe(bcast);
            EXPECT_EQ(report.messages, direct.messages) << describe(bcast);
            EXPECT_EQ(ranks.kept(), 1U);
        }
    }
}

TEST(Perform, ReducesAsTheTreeEngineDoes) {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        Random random(seed);
        ReduceCase reduce = random_reduction(random, 24, 200);
        reduce.plan.engine = strata::algorithms::Engine::tree;
        Ranks ranks(reduce.hierarchy, reduce.plan);
        for (const Collective collective : {Collective::reduce, Collective::allreduce}) {
            Ranks fresh(reduce.hierarchy, reduce.plan);
            const ReduceRun direct = collective == Collective::reduce
                                         ? run_reduce(reduce, options_for(seed))
                                         : run_allreduce(reduce, options_for(seed));
            for (int call = 0; call < 2; ++call) {
                const ReduceRun performed = run(fresh, reduce, collective, options_for(seed));
                EXPECT_EQ(faults_of(reduce, performed), "") << describe(reduce);
                EXPECT_EQ(performed.report.messages, direct.report.messages) << describe(reduce);
            }
        }
    }
}

/// The engine announces both trees' neighbours; it keeps the edges between calls.
TEST(Perform, RunsDoubleTrees) {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        Random random(seed);
        const BcastCase bcast = random_bcast_with_double_tree(random, 24, 3000);
        Ranks ranks(bcast.hierarchy, bcast.plan);
        ReduceCase reduce = random_reduction_with_double_tree(random, 24, 200);
        Ranks up(reduce.hierarchy, reduce.plan);
        Ranks both(reduce.hierarchy, reduce.plan);
        for (int call = 0; call < 2; ++call) {
            const RunReport report = run_engine(
                bcast, options_for(seed), [&](int rank, Transport& transport, PackedBuffer& buffer) {
                    Arena arena;
                    return ranks.perform(rank, transport, arena, Collective::bcast,
                                         [&](const Performer& performer) {
                                             return complete(performer.transport,
                                                             perform_bcast(performer, bcast.root, buffer));
                                         });
                });
            EXPECT_EQ(report.text(), "") << describe(bcast);
            EXPECT_EQ(double_tree_faults(bcast, report.messages), "") << describe(bcast);
            EXPECT_EQ(ranks.kept(), 1U);
            for (const Collective collective : {Collective::reduce, Collective::allreduce}) {
                const bool everywhere = collective == Collective::allreduce;
                const ReduceRun performed =
                    run(everywhere ? both : up, reduce, collective, options_for(seed));
                EXPECT_EQ(faults_of(reduce, performed), "");
                EXPECT_EQ(double_tree_faults(reduce, everywhere, performed.report.messages), "")
                    << describe(reduce);
            }
        }
    }
}

TEST(Perform, PicksTheEngineOfAnAllreduceByItsPlan) {
    const Hierarchy hierarchy = regular_hierarchy({4, 3});
    for (const Algorithm top : {Algorithm::ring, Algorithm::recursive_doubling, Algorithm::rabenseifner}) {
        ReduceCase reduce;
        reduce.hierarchy = hierarchy;
        reduce.plan = uniform_plan(hierarchy, {Algorithm::binomial, 0, {}}, 64);
        reduce.plan.levels.front().method = {top, 0, {}};
        reduce.plan.engine =
            top == Algorithm::ring ? strata::algorithms::Engine::ring : strata::algorithms::Engine::tree;
        reduce.elements = 100;
        Ranks ranks(hierarchy, reduce.plan);
        const ReduceRun direct = top == Algorithm::ring                 ? run_ring(reduce, options_for(3))
                                 : top == Algorithm::recursive_doubling ? run_exchange(reduce, options_for(3))
                                                                        : run_halving(reduce, options_for(3));
        const ReduceRun performed = run(ranks, reduce, Collective::allreduce, options_for(3));
        EXPECT_EQ(faults_of(reduce, performed), "") << info(top).name;
        EXPECT_EQ(performed.report.messages, direct.report.messages) << info(top).name;
    }
}

TEST(Perform, MovesBlocksAsTheirExchangeDoes) {
    constexpr Collective collectives[] = {Collective::allgatherv, Collective::gatherv, Collective::scatterv};
    constexpr ChunkDirection flows[] = {ChunkDirection::all, ChunkDirection::to_root,
                                        ChunkDirection::from_root};
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        Random random(seed);
        BlockCase blocks;
        blocks.hierarchy = random_hierarchy(random, {20, 4});
        blocks.bytes = random_block_bytes(random, blocks.hierarchy.ranks(), 200);
        blocks.plan = random_tree_plan(random, blocks.hierarchy, blocks.total() + 1);
        blocks.plan.engine = strata::algorithms::Engine::tree;
        blocks.root = random.between(0, blocks.hierarchy.ranks() - 1);
        blocks.flow = flows[seed % 3];
        const Collective collective = collectives[seed % 3];
        Ranks ranks(blocks.hierarchy, blocks.plan);
        const RunReport direct = run_blocks(blocks, options_for(seed));
        const RunReport report =
            run_ranks(blocks.hierarchy.ranks(), options_for(seed), [&](int rank, Transport& transport) {
                BlockMemory memory(blocks, rank, planned_routes(blocks)(rank));
                Arena arena;
                const int code =
                    ranks.perform(rank, transport, arena, collective, [&](const Performer& performer) {
                        return complete(performer.transport,
                                        perform_blocks(performer, {collective, blocks.total(), blocks.root},
                                                       blocks.flow, memory.blocks()));
                    });
                EXPECT_EQ(memory.verdict(), "") << describe(blocks);
                return code;
            });
        EXPECT_EQ(report.text(), "") << describe(blocks);
        EXPECT_EQ(report.messages, direct.messages) << describe(blocks);
    }
}

TEST(Perform, NoRankLeavesABarrierEarly) {
    const Hierarchy hierarchy = regular_hierarchy({3, 2, 2});
    for (const Algorithm top : {Algorithm::binomial, Algorithm::recursive_doubling}) {
        Plan plan = uniform_plan(hierarchy, {Algorithm::binomial, 0, {}}, 0);
        plan.levels.front().method = {top, 0, {}};
        plan.engine = strata::algorithms::Engine::tree;
        Ranks ranks(hierarchy, plan);
        int arrived = 0;  // sequential schedule: no two ranks run at the same time
        const RunReport report = run_ranks(12, options_for(7), [&](int rank, Transport& transport) {
            Arena arena;
            ++arrived;
            const int code =
                ranks.perform(rank, transport, arena, Collective::barrier, [&](const Performer& performer) {
                    return complete(performer.transport, perform_barrier(performer, 0));
                });
            EXPECT_EQ(arrived, 12);
            return code;
        });
        EXPECT_EQ(report.text(), "");
    }
}

TEST(Perform, RefusesPlansThatComponentsPerform) {
    const Hierarchy hierarchy = regular_hierarchy({2, 2});
    for (const strata::algorithms::Engine engine :
         {strata::algorithms::Engine::forward, strata::algorithms::Engine::levels}) {
        Plan plan = uniform_plan(hierarchy, {Algorithm::binomial, 0, {}}, 0);
        plan.engine = engine;
        Ranks ranks(hierarchy, plan);
        const RunReport report = run_ranks(4, options_for(1), [&](int rank, Transport& transport) {
            Arena arena;
            const NicRails rails;
            const Routing routing(hierarchy, rails, rank);
            RouteCache kept;
            EXPECT_THROW(complete(transport, perform_barrier({transport, arena, routing, plan, kept}, 0)),
                         std::invalid_argument);
            return 0;
        });
        EXPECT_EQ(report.text(), "");
    }
}

TEST(Perform, KeepsTheEdgesOfSixtyFourRootsAtMost) {
    const Hierarchy hierarchy = regular_hierarchy({10, 10});
    Plan plan = uniform_plan(hierarchy, {Algorithm::binomial, 0, {}}, 0);
    plan.engine = strata::algorithms::Engine::tree;
    const NicRails rails;
    const Routing routing(hierarchy, rails, 5);
    RouteCache kept;
    for (int root = 0; root < 100; ++root) {
        const TreeLinks& links = routing.tree(plan, kept, root).links;
        EXPECT_EQ(links.parent.peer, tree_links(hierarchy, plan, root, 5).parent.peer);
        EXPECT_EQ(kept.size(), static_cast<std::size_t>(std::min(root + 1, 64)));
    }
}

}  // namespace
}  // namespace perform_test
