// When blocks move on, and that contiguous data is never copied.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "algorithms/engines/block_exchange.h"
#include "algorithms/patterns/block_routes.h"
#include "block_runs.h"
#include "random_shapes.h"

namespace block_progress_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;
using strata::topology::Hierarchy;

/// Chain 0 - 1 - 2: rank 2 goes on only when the root has its first bytes. Rank 1 must forward the received
/// part of a block that is still arriving.
TEST(BlockProgress, ALargeBlockStreamsOnWhileItArrives) {
    const Hierarchy hierarchy = regular_hierarchy({3});
    const Plan plan = uniform_plan(hierarchy, {Algorithm::pipeline, 0, {}}, 10);
    const RunReport report = run_ranks(3, options_for(1), [&](int rank, Transport& transport) {
        std::array<std::byte, 100> data{};
        std::byte token{};
        if (rank == 1) {
            std::array<Block, 3> blocks{Block{nullptr, 0}, Block{nullptr, 0}, Block{nullptr, data.size()}};
            Arena arena;
            return complete(
                transport,
                exchange_blocks(transport, block_routes(hierarchy, plan, 0, 1, ChunkDirection::to_root),
                                blocks, ChunkDirection::to_root, 0, 1, arena, 4));
        }
        int code = 0;
        for (std::size_t offset = 0; offset < data.size() && code == 0; offset += 10) {
            code = rank == 2 ? transport.send(&data[offset], 10, 1) : transport.recv(&data[offset], 10, 1);
            if (code == 0 && offset == 0) {
                code = rank == 2 ? transport.recv(&token, 1, 0) : transport.send(&token, 1, 2);
            }
        }
        return code;
    });
    EXPECT_EQ(report.text(), "");
    EXPECT_EQ(report.codes, std::vector<int>(3, 0));
}

/// Two sites exchange their data: the root's short message leaves before the other site's message arrives.
TEST(BlockProgress, TheRootOfAShortAllgatherDelaysNoRank) {
    const Hierarchy hierarchy = regular_hierarchy({2, 2});
    const Plan plan = uniform_plan(hierarchy, {Algorithm::linear, 0, {}}, 0);
    const auto played = [&](ChunkDirection flow) {
        return run_ranks(4, options_for(1), [&, flow](int rank, Transport& transport) {
            std::array<std::byte, 40> data{};
            if (rank == 2) {  // the other site's leader sends only when it has got something
                const int code = transport.recv(data.data(), 20, 0);
                return code != 0 ? code : transport.send(data.data(), 20, 0);
            }
            if (rank == 3) return 0;
            std::array<Block, 4> blocks{};
            for (std::size_t block = 0; block < 4; ++block) blocks[block] = {&data[block * 10], 10};
            Arena arena;
            return complete(transport,
                            exchange_blocks(transport, block_routes(hierarchy, plan, 0, rank, flow), blocks,
                                            flow, 0, rank, arena, 4));
        });
    };
    const RunReport report = played(ChunkDirection::all);
    EXPECT_EQ(report.text(), "");
    EXPECT_EQ(report.codes, std::vector<int>(4, 0));
    EXPECT_TRUE(played(ChunkDirection::to_root).deadlock) << "nothing to send there";
}

/// A child that takes nothing until its siblings have everything: they must not wait for it.
TEST(BlockProgress, ASlowChildDelaysNoOtherRank) {
    const Hierarchy hierarchy = regular_hierarchy({4});
    const Plan plan = uniform_plan(hierarchy, {Algorithm::linear, 0, {}}, 10);
    const RunReport report = run_ranks(4, options_for(1), [&](int rank, Transport& transport) {
        std::array<std::byte, 400> data{};
        std::array<Block, 4> blocks{};
        for (std::size_t block = 0; block < 4; ++block) {
            blocks[block] = {&data[block * 100], 100};
        }
        std::byte token{};
        int code = 0;
        for (const int sibling : {2, 3}) {
            if (rank == 1 && code == 0) {
                code = transport.recv(&token, 1, sibling);
            }
        }
        Arena arena;
        if (code == 0) {
            code = complete(
                transport,
                exchange_blocks(transport, block_routes(hierarchy, plan, 0, rank, ChunkDirection::from_root),
                                blocks, ChunkDirection::from_root, 0, rank, arena, 4));
        }
        return code == 0 && rank >= 2 ? transport.send(&token, 1, 1) : code;
    });
    EXPECT_EQ(report.text(), "");
    EXPECT_EQ(report.codes, std::vector<int>(4, 0));
}

/// Two sites of two nodes of four ranks: no rank around leader 8 does anything before its own block has
/// crossed to the other site.
TEST(BlockProgress, TheSlowLinkStartsAtOnce) {
    const Hierarchy hierarchy = regular_hierarchy({2, 2, 4});
    const Plan plan = uniform_plan(hierarchy, {Algorithm::linear, 0, {}}, 10);
    for (const ChunkDirection flow : {ChunkDirection::all, ChunkDirection::to_root}) {
        constexpr int reached = 77;
        const RunReport report = run_ranks(16, options_for(3), [&](int rank, Transport& transport) {
            std::array<std::byte, 320> data{};
            if (rank == 0) {
                const int code = transport.recv(data.data(), 10, 8);
                return code != 0 ? code : transport.recv(data.data(), 10, 8) == 0 ? reached : code_misuse;
            }
            if (rank != 8) {
                return transport.recv(data.data(), 1, 0);
            }
            std::array<Block, 16> blocks{};
            for (std::size_t block = 0; block < 16; ++block) {
                blocks[block] = {&data[block * 20], 20};
            }
            Arena arena;
            return complete(transport, exchange_blocks(transport, block_routes(hierarchy, plan, 0, 8, flow),
                                                       blocks, flow, 0, 8, arena, 4));
        });
        EXPECT_FALSE(report.deadlock) << report.text();
        EXPECT_EQ(report.codes[0], reached);
        EXPECT_EQ(report.codes[8], code_peer_aborted);
    }
}

/// Buffer addresses of sends and receives.
class WatchedTransport : public Transport {
public:
    using Range = std::pair<const std::byte*, const std::byte*>;

    explicit WatchedTransport(Transport& transport) : transport_(transport) {}
    int begin(int slots) override { return transport_.begin(slots); }
    int isend(int slot, const std::byte* data, std::size_t bytes, int peer, int rail,
              Completion completion) override {
        sent.emplace_back(data, data + bytes);
        return transport_.isend(slot, data, bytes, peer, rail, completion);
    }
    int irecv(int slot, std::byte* data, std::size_t bytes, int peer, int rail) override {
        received.emplace_back(data, data + bytes);
        return transport_.irecv(slot, data, bytes, peer, rail);
    }
    int wait_some(std::span<int> done, int& count) override { return transport_.wait_some(done, count); }
    int send(const std::byte* data, std::size_t bytes, int peer) override {
        sent.emplace_back(data, data + bytes);
        return transport_.send(data, bytes, peer);
    }
    int recv(std::byte* data, std::size_t bytes, int peer) override {
        received.emplace_back(data, data + bytes);
        return transport_.recv(data, bytes, peer);
    }
    void abandon() noexcept override { transport_.abandon(); }

    std::vector<Range> sent;
    std::vector<Range> received;

private:
    Transport& transport_;
};

/// Returns whether all of `parts` are within the bytes that `whole` covers together.
bool covers(std::vector<WatchedTransport::Range> whole, const std::vector<WatchedTransport::Range>& parts) {
    std::sort(whole.begin(), whole.end());
    return std::all_of(parts.begin(), parts.end(), [&](const WatchedTransport::Range& part) {
        const std::byte* from = part.first;
        for (const auto& [begin, end] : whole) {
            from = begin <= from && from < end ? end : from;
        }
        return from >= part.second;
    });
}

TEST(BlockProgress, WhatLiesInOnePieceIsNotCopied) {
    BlockCase run;
    run.hierarchy = regular_hierarchy({2, 4});
    run.bytes.assign(8, 600);
    struct Kind {
        ChunkDirection flow;
        std::size_t segment;
    };
    // All: every message holds one block or part of one. Otherwise rank 4 keeps its node's blocks to
    // forward them, contiguous in any division.
    for (const auto [flow, segment] :
         {Kind{ChunkDirection::all, 600}, Kind{ChunkDirection::all, 200}, Kind{ChunkDirection::to_root, 0},
          Kind{ChunkDirection::to_root, 600}, Kind{ChunkDirection::to_root, 1000},
          Kind{ChunkDirection::from_root, 0}, Kind{ChunkDirection::from_root, 600},
          Kind{ChunkDirection::from_root, 1000}}) {
        run.plan = uniform_plan(run.hierarchy, {Algorithm::linear, 0, {}}, segment);
        run.flow = flow;
        const RunReport report = run_ranks(8, options_for(2), [&](int rank, Transport& transport) {
            const BlockRoutes routes = planned_routes(run)(rank);
            BlockMemory memory(run, rank, routes);
            const std::byte* const place = memory.blocks()[0].data;
            WatchedTransport watched(transport);
            Arena arena;
            const int code =
                complete(watched, exchange_blocks(watched, routes, memory.blocks(), flow, 0, rank, arena, 4));
            bool direct = true;
            if (flow == ChunkDirection::all) {
                direct = covers({{place, place + run.total()}}, watched.sent) &&
                         covers({{place, place + run.total()}}, watched.received);
            } else if (rank == 4) {
                direct = flow == ChunkDirection::to_root ? covers(watched.sent, watched.received)
                                                         : covers(watched.received, watched.sent);
            }
            EXPECT_EQ(memory.verdict(), "");
            EXPECT_TRUE(direct) << "rank " << rank << " " << describe(run);
            return code;
        });
        EXPECT_EQ(report.text(), "");
    }
}

}  // namespace
}  // namespace block_progress_test
