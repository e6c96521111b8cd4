// Simulated ranks send the same messages as the in-process transport.
#include <gtest/gtest.h>
#include <simgrid/s4u.hpp>

#include <string>
#include <vector>

#include "random_shapes.h"
#include "simulated_job.h"
#include "smpi_transport.h"
#include "traced_call.h"

namespace {

using namespace strata;
using namespace strata::testing;
using algorithms::Collective;
using simulation::SentTo;
using simulation::SmpiTransport;

constexpr int shapes = 50;

Streams streams_of(const std::vector<std::vector<SentTo>>& sent) {
    Streams streams;
    for (std::size_t rank = 0; rank < sent.size(); ++rank) {
        for (const SentTo& message : sent[rank]) {
            streams[{static_cast<int>(rank), message.peer, message.rail}].push_back(message.bytes);
        }
    }
    return streams;
}

Streams in_process(const TracedCall& one, std::uint64_t seed) {
    std::string problem;
    Streams streams = in_process_streams(one, seed, problem);
    EXPECT_EQ(problem, "");
    return streams;
}

/// Runs all cases on 64 simulated ranks; the first ones take part.
std::vector<Streams> simulated(const std::vector<TracedCall>& cases) {
    const simulation::Machine machine = simulation::read_machine(STRATA_MACHINES "nuioa8.json");
    simulation::Ranks ranks(machine, {});
    std::vector<std::vector<std::vector<SentTo>>> sent(cases.size());
    simulation::Traffic traffic(ranks.hierarchy());
    for (std::size_t i = 0; i < cases.size(); ++i) {
        sent[i].resize(static_cast<std::size_t>(cases[i].hierarchy.ranks()));
    }
    simgrid::s4u::BarrierPtr together;
    simulation::run_job(
        machine, ranks, "ompi", [&] { together = simgrid::s4u::Barrier::create(64); },
        [&](int rank, MPI_Comm comm) {
            SmpiTransport transport(comm, machine.eager_bytes, traffic);
            for (std::size_t i = 0; i < cases.size(); ++i) {
                if (rank < cases[i].hierarchy.ranks()) {
                    transport.record(&sent[i][static_cast<std::size_t>(rank)]);
                    EXPECT_EQ(perform(cases[i], rank, transport), 0);
                }
                together->wait();
            }
        });
    std::vector<Streams> streams;
    for (const auto& ones : sent) streams.push_back(streams_of(ones));
    return streams;
}

TEST(Traces, OfFiftyShapesAreThoseOfTheInProcessTransport) {
    std::vector<TracedCall> cases;
    for (int shape = 0; shape < shapes; ++shape) {
        for (const Collective collective : traced_collectives) {
            cases.push_back(random_traced_call(static_cast<std::uint64_t>(shape), collective));
        }
    }
    const std::vector<Streams> found = simulated(cases);
    std::size_t messages = 0;
    for (std::size_t i = 0; i < cases.size(); ++i) {
        const Streams expected = in_process(cases[i], i);
        EXPECT_EQ(found[i], expected) << "shape " << i / std::size(traced_collectives) << ", "
                                      << name_of(cases[i].operation.collective);
        for (const auto& [way, sizes] : expected) messages += sizes.size();
    }
    EXPECT_GT(messages, 20000U);
}

/// The comparison detects one message of another size, and another tree.
TEST(Traces, DifferWherePlansDo) {
    TracedCall one = random_traced_call(3, Collective::bcast);
    one.hierarchy = regular_hierarchy({3, 4});
    one.plan = uniform_plan(one.hierarchy, {algorithms::Algorithm::binomial, 0, {}}, 64);
    one.plan.engine = algorithms::Engine::tree;
    one.operation.root = 0;
    TracedCall other_size = one;
    other_size.plan.levels.back().segment_bytes = 72;
    TracedCall other_tree = one;
    other_tree.plan.levels.back().method.algorithm = algorithms::Algorithm::linear;
    const std::vector<Streams> found = simulated({one, other_size, other_tree});
    EXPECT_EQ(found[0], in_process(one, 1));
    EXPECT_NE(found[1], in_process(one, 1));
    EXPECT_NE(found[2], in_process(one, 1));
}

}  // namespace
