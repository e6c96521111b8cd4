#include "algorithms/engines/rails.h"
#include "algorithms/patterns/rail_links.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "rail_oracle.h"
#include "rail_runs.h"
#include "random_shapes.h"
#include "windows.h"

namespace rails_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;
using strata::topology::Hierarchy;
using strata::topology::NicRails;

constexpr std::size_t eager_sizes[] = {0, 64, 1U << 30};

/// Sequential; with everything, nothing or some messages buffered.
FabricOptions any_options(std::uint64_t seed) {
    FabricOptions options;
    options.seed = seed;
    options.eager_bytes = eager_sizes[seed % 3];
    return options;
}

std::string joined(const std::vector<std::string>& faults) {
    std::string all;
    for (const std::string& fault : faults) {
        all += fault + "\n";
    }
    return all;
}

/// Returns the errors of a run that had to succeed; "" for none.
template <class Case>
std::string faults_of(const Case& done, const RunReport& run) {
    std::string faults = run.text();
    for (std::size_t rank = 0; rank < run.codes.size(); ++rank) {
        if (run.codes[rank] != 0 || run.abandons[rank] != 0) {
            faults += "rank " + std::to_string(rank) + " returned " + std::to_string(run.codes[rank]) + "\n";
        }
    }
    return faults + window_faults(done.hierarchy, done.plan, Cut::by_level, run);
}

BcastCase bcast_over(Random& random, const Hierarchy& hierarchy, std::size_t bytes) {
    return {hierarchy, random_tree_plan(random, hierarchy, bytes), random.between(0, hierarchy.ranks() - 1),
            bytes};
}

ReduceCase reduce_over(Random& random, const Hierarchy& hierarchy, std::size_t elements) {
    ReduceCase reduce;
    do {
        reduce.op = all_operators[random.below(std::size(all_operators))];
    } while (!commutes(reduce.op));
    reduce.hierarchy = hierarchy;
    reduce.placement = static_cast<Placement>(random.below(3));
    reduce.elements = elements;
    reduce.plan = random_tree_plan(random, hierarchy, reduce.bytes());
    return reduce;
}

BlockCase blocks_over(Random& random, const Hierarchy& hierarchy, std::size_t most) {
    BlockCase run;
    run.hierarchy = hierarchy;
    run.bytes = random_block_bytes(random, hierarchy.ranks(), most);
    run.plan = random_tree_plan(random, hierarchy, std::max<std::size_t>(1, run.total()));
    run.placement = static_cast<BlockPlacement>(random.below(3));
    return run;
}

/// Every sixth vector has fewer elements than there may be rails.
std::size_t random_length(Random& random, std::size_t most) {
    return random.below(6) == 0 ? 1 + random.below(4) : 1 + random.below(most);
}

TEST(BcastRails, ByteOracleOverRandomTrees) {
    for (std::uint64_t seed = 1; seed <= 160; ++seed) {
        Random random(seed);
        const Hierarchy hierarchy = random_hierarchy(random, {32, 5});
        const BcastCase bcast = bcast_over(random, hierarchy, random_length(random, 2000));
        const NicRails rails = random_rails(random, hierarchy, random.between(1, Transport::most_rails));
        const RunReport run = run_rails(bcast, rails, any_options(seed));
        ASSERT_EQ(faults_of(bcast, run), "") << seed << ": " << describe(bcast);
        ASSERT_EQ(joined(check_rail_bytes(bcast, rails, run.messages)), "")
            << seed << ": " << describe(bcast);
    }
}

/// The tree's bytes in all, one rail's share over every rail's NIC.
TEST(BcastRails, EveryNicCarriesItsShare) {
    for (std::uint64_t seed = 1; seed <= 80; ++seed) {
        Random random(seed);
        const NicJob job = random_nic_job(random);
        ASSERT_GT(job.rails.count(), 1);
        const BcastCase bcast = bcast_over(random, job.hierarchy, 1000 + random.below(500));
        const RunReport run = run_rails(bcast, job.rails, any_options(seed));
        ASSERT_EQ(faults_of(bcast, run), "") << seed;
        ASSERT_EQ(joined(check_rail_bytes(bcast, job.rails, run.messages)), "") << seed;
        const std::vector<int> nodes = nodes_of(job.records);
        std::vector<std::vector<std::size_t>> entering(
            static_cast<std::size_t>(*std::max_element(nodes.begin(), nodes.end())) + 1,
            share_bytes(bcast.bytes, 1, job.rails.count()));
        std::fill(entering[static_cast<std::size_t>(nodes[static_cast<std::size_t>(bcast.root)])].begin(),
                  entering[static_cast<std::size_t>(nodes[static_cast<std::size_t>(bcast.root)])].end(), 0);
        ASSERT_EQ(joined(check_nics(job.records, entering, run.messages)), "") << seed;
        const auto bytes = [](const RunReport& report) {
            return std::accumulate(
                report.messages.begin(), report.messages.end(), std::size_t{0},
                [](std::size_t sum, const SentMessage& message) { return sum + message.bytes; });
        };
        EXPECT_EQ(bytes(run), bytes(run_tree(bcast, any_options(seed))));
    }
}

/// Two nodes with two NICs, two processes near each: the drawing in rails.h.
TEST(RailLinks, TheRootsNode) {
    NicJob job = nic_job({{2, 2}, {2, 2}});
    ASSERT_EQ(job.rails.count(), 2);
    const Hierarchy& second = job.rails.trees[1];
    Plan plan = uniform_plan(second, {Algorithm::linear, 0, {}}, 0);
    const auto peers = [&](int rank) {
        std::vector<int> result{rail_links(second, plan, 0, rank).parent.peer};
        for (const TreeLinks::Edge& edge : rail_links(second, plan, 0, rank).children) {
            result.push_back(edge.peer);
        }
        return result;
    };
    EXPECT_EQ(peers(0), (std::vector<int>{-1, 2, 1}));
    EXPECT_EQ(peers(1), (std::vector<int>{0}));
    EXPECT_EQ(peers(2), (std::vector<int>{0, 6, 3}));
    EXPECT_EQ(peers(3), (std::vector<int>{2}));
    EXPECT_EQ(peers(4), (std::vector<int>{6, 5}));
    EXPECT_EQ(peers(5), (std::vector<int>{4}));
    EXPECT_EQ(peers(6), (std::vector<int>{2, 4, 7}));
    EXPECT_EQ(peers(7), (std::vector<int>{6}));
}

TEST(AllreduceRails, ByteOracleOverRandomTrees) {
    for (std::uint64_t seed = 1; seed <= 160; ++seed) {
        Random random(seed);
        const Hierarchy hierarchy = random_hierarchy(random, {24, 5});
        const ReduceCase reduce = reduce_over(random, hierarchy, random_length(random, 300));
        const NicRails rails = random_rails(random, hierarchy, random.between(1, Transport::most_rails));
        const ReduceRun run = run_rails(reduce, rails, any_options(seed));
        ASSERT_EQ(faults_of(reduce, run), "") << seed;
        for (const auto& result : run.results) {
            ASSERT_EQ(result, run.results.front()) << "different bits, seed " << seed;
        }
        if (hierarchy.ranks() > 1) {
            ASSERT_EQ(joined(check_rail_bytes(reduce, rails, run.report.messages)), "")
                << seed << ": " << describe(reduce);
        }
    }
}

/// In place over all rails: each segment is overwritten only after its last read.
TEST(AllreduceRails, EveryPlacementUnderManySchedules) {
    const NicJob job = nic_job({{2, 1}, {1, 2}, {1, 1}}, 1);
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        Random random(seed);
        ReduceCase reduce = reduce_over(random, job.hierarchy, 60);
        reduce.plan = uniform_plan(job.hierarchy,
                                   {seed % 2 == 0 ? Algorithm::pipeline : Algorithm::binomial, 0, {}}, 12);
        reduce.plan.window = 1 + static_cast<int>(seed % 4);
        for (const Placement placement :
             {Placement::separate, Placement::in_place, Placement::packed_in_place}) {
            reduce.placement = placement;
            const ReduceRun run = run_rails(reduce, job.rails, any_options(seed));
            ASSERT_EQ(faults_of(reduce, run), "") << seed;
            ASSERT_EQ(joined(check_nics(job.records, {}, run.report.messages)), "") << seed;
        }
    }
}

TEST(BlockRails, ByteOracleOverRandomTrees) {
    for (std::uint64_t seed = 1; seed <= 160; ++seed) {
        Random random(seed);
        const Hierarchy hierarchy = random_hierarchy(random, {20, 5});
        BlockCase run = blocks_over(random, hierarchy, 200);
        const NicRails rails = random_rails(random, hierarchy, random.between(1, Transport::most_rails));
        run.root = rails.trees.front().groups.front().leader;
        const RunReport report = run_rails(run, rails, any_options(seed));
        ASSERT_EQ(faults_of(run, report), "") << seed << ": " << describe(run);
        ASSERT_EQ(joined(check_rail_bytes(run, rails, report.messages)), "") << seed << ": " << describe(run);
    }
}

/// Equal blocks of equally many NIC-local processes per NIC: all NICs carry the same in both directions.
TEST(BlockRails, EveryNicCarriesItsShare) {
    for (const bool shuffled : {false, true}) {
        for (std::uint64_t seed = 1; seed <= 20; ++seed) {
            Random random(seed);
            const NicJob job =
                nic_job({{2, 2}, {1, 1}, {3, 3}}, 0, shuffled ? &random : nullptr, seed % 2 == 0);
            BlockCase run = blocks_over(random, job.hierarchy, 100);
            run.bytes.assign(12, 100);
            const RunReport report = run_rails(run, job.rails, any_options(seed));
            ASSERT_EQ(faults_of(run, report), "") << seed;
            const std::vector<int> nodes = nodes_of(job.records);
            std::vector<std::vector<std::size_t>> entering;
            for (int node = 0; node < 3; ++node) {
                const auto lacking =
                    static_cast<std::size_t>(12 - std::count(nodes.begin(), nodes.end(), node));
                entering.push_back({lacking * 50, lacking * 50});
            }
            ASSERT_EQ(joined(check_nics(job.records, entering, report.messages)), "") << seed;
        }
    }
}

/// Passes everything on in one rail.
class OneRail : public Transport {
public:
    explicit OneRail(Transport& transport) : transport_(transport) {}
    int begin(int slots) override { return transport_.begin(slots); }
    int isend(int slot, const std::byte* data, std::size_t bytes, int peer, int /*rail*/,
              Completion completion) override {
        return transport_.isend(slot, data, bytes, peer, 0, completion);
    }
    int irecv(int slot, std::byte* data, std::size_t bytes, int peer, int /*rail*/) override {
        return transport_.irecv(slot, data, bytes, peer, 0);
    }
    int wait_some(std::span<int> done, int& count) override { return transport_.wait_some(done, count); }
    int send(const std::byte* data, std::size_t bytes, int peer) override {
        return transport_.send(data, bytes, peer);
    }
    int recv(std::byte* data, std::size_t bytes, int peer) override {
        return transport_.recv(data, bytes, peer);
    }
    void abandon() noexcept override { transport_.abandon(); }

private:
    Transport& transport_;
};

/// Four streams over the only edge there is: right with rails, and wrong without.
TEST(BcastRails, OneEdgeInAllRails) {
    const Hierarchy hierarchy = regular_hierarchy({3});
    Random random(1);
    const NicRails rails{std::vector<Hierarchy>(4, hierarchy), {0, 1, 2}};
    const BcastCase bcast{hierarchy, uniform_plan(hierarchy, {Algorithm::pipeline, 0, {}}, 10), 0, 402};
    int wrong = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        ASSERT_EQ(faults_of(bcast, run_rails(bcast, rails, any_options(seed))), "");
        const RunReport run =
            run_engine(bcast, any_options(seed), [&](int rank, Transport& transport, PackedBuffer& buffer) {
                OneRail one(transport);
                const std::vector<TreeLinks> links(4, tree_links(hierarchy, bcast.plan, 0, rank));
                Arena arena;
                return complete(one, bcast_rails(one, links, buffer, arena, bcast.plan.window));
            });
        wrong += run.text().empty() ? 0 : 1;
    }
    EXPECT_GT(wrong, 0);
}

TEST(RailOracle, FindsARailOverTheWrongNic) {
    const NicJob job = nic_job({{2, 2}, {2, 2}});
    NicRails both_first = job.rails;
    both_first.trees[1] = both_first.trees[0];
    const BcastCase bcast{job.hierarchy, uniform_plan(job.hierarchy, {Algorithm::binomial, 0, {}}, 20), 0,
                          200};
    const RunReport run = run_rails(bcast, both_first, any_options(3));
    EXPECT_EQ(faults_of(bcast, run), "");
    EXPECT_NE(joined(check_nics(job.records, {}, run.messages)).find("is not near the NIC of rail 1"),
              std::string::npos);
}

TEST(RailOracle, FindsUnevenShares) {
    const NicJob job = nic_job({{2, 2}, {2, 2}});
    const BcastCase bcast{job.hierarchy, uniform_plan(job.hierarchy, {Algorithm::binomial, 0, {}}, 20), 0,
                          200};
    RunReport run = run_rails(bcast, job.rails, any_options(3));
    EXPECT_TRUE(check_nics(job.records, {{0, 0}, {100, 100}}, run.messages).empty());
    EXPECT_EQ(
        joined(check_nics(job.records, {{0, 0}, {120, 80}}, run.messages)),
        "node 1 gets 100 bytes in rail 0 instead of 120\nnode 1 gets 100 bytes in rail 1 instead of 80\n");
    for (SentMessage& message : run.messages) {
        message.rail = 1 - message.rail;
    }
    EXPECT_FALSE(check_nics(job.records, {}, run.messages).empty());
    run.messages.pop_back();
    EXPECT_FALSE(check_rail_bytes(bcast, job.rails, run.messages).empty());
}

TEST(RailOracle, FindsABlockInAnotherRail) {
    const NicJob job = nic_job({{2, 2}, {2, 2}});
    Random random(1);
    BlockCase run = blocks_over(random, job.hierarchy, 100);
    run.bytes.assign(8, 100);
    NicRails other = job.rails;
    other.of_rank[0] = 1 - other.of_rank[0];
    const RunReport report = run_rails(run, other, any_options(1));
    EXPECT_EQ(faults_of(run, report), "");
    EXPECT_FALSE(check_rail_bytes(run, job.rails, report.messages).empty());
    EXPECT_TRUE(check_rail_bytes(run, other, report.messages).empty());
}

TEST(RailFaults, EveryCallMayFail) {
    int failures = 0;
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        Random random(seed);
        const NicJob job = nic_job({{1, 1}, {2, 1}}, 1, &random);
        const ReduceCase reduce = reduce_over(random, job.hierarchy, 40);
        EXPECT_EQ(joined(check_every_failure(
                      reduce, any_options(seed),
                      [&](const ReduceCase& again, const FabricOptions& options) {
                          return run_rails(again, job.rails, options);
                      },
                      5, failures)),
                  "");
        const BcastCase bcast = bcast_over(random, job.hierarchy, 100);
        EXPECT_EQ(joined(check_every_failure(
                      reduce, any_options(seed),
                      [&](const ReduceCase&, const FabricOptions& options) {
                          return ReduceRun{run_rails(bcast, job.rails, options), {}};
                      },
                      5, failures)),
                  "");
        const BlockCase blocks = blocks_over(random, job.hierarchy, 40);
        EXPECT_EQ(joined(check_every_failure(
                      reduce, any_options(seed),
                      [&](const ReduceCase&, const FabricOptions& options) {
                          return ReduceRun{run_rails(blocks, job.rails, options), {}};
                      },
                      5, failures)),
                  "");
    }
    EXPECT_GT(failures, 150);
}

TEST(RailFaults, BufferAndOperatorErrorsComeBack) {
    constexpr int injected = 77;
    const NicJob job = nic_job({{1, 1}, {1, 1}}, 1);
    Random random(4);
    for (const Mishap::Kind kind : {Mishap::Kind::produce, Mishap::Kind::consume, Mishap::Kind::combine}) {
        int happened = 0;
        for (int rank = 0; rank < job.hierarchy.ranks(); ++rank) {
            ReduceCase reduce = reduce_over(random, job.hierarchy, 40);
            reduce.plan = uniform_plan(job.hierarchy, {Algorithm::binomial, 0, {}}, 8);
            reduce.mishap = {rank, kind, 2, injected};
            const ReduceRun run = run_rails(reduce, job.rails, any_options(2));
            if (run.report.codes[static_cast<std::size_t>(rank)] == 0) {
                continue;  // a leaf combines nothing
            }
            ++happened;
            EXPECT_EQ(joined(check_contained(run.report, rank, injected)), "");
        }
        EXPECT_GT(happened, 1);
    }
}

TEST(Concurrent, Rails) {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        Random random(seed);
        const NicJob job = random_nic_job(random);
        FabricOptions options = any_options(seed);
        options.schedule = Schedule::concurrent;
        const BcastCase bcast = bcast_over(random, job.hierarchy, 1 + random.below(1000));
        ASSERT_EQ(faults_of(bcast, run_rails(bcast, job.rails, options)), "");
        const ReduceCase reduce = reduce_over(random, job.hierarchy, 1 + random.below(100));
        ASSERT_EQ(faults_of(reduce, run_rails(reduce, job.rails, options)), "");
        const BlockCase run = blocks_over(random, job.hierarchy, 100);
        ASSERT_EQ(faults_of(run, run_rails(run, job.rails, options)), "");
    }
}

}  // namespace
}  // namespace rails_test
