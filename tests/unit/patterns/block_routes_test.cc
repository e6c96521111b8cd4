#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

#include "algorithms/patterns/block_routes.h"
#include "algorithms/patterns/tree.h"
#include "random_shapes.h"

namespace block_routes_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;
using strata::topology::Hierarchy;

constexpr ChunkDirection flows[] = {ChunkDirection::all, ChunkDirection::to_root, ChunkDirection::from_root};

std::vector<int> blocks_of(const BlockStream& stream) {
    std::vector<int> blocks;
    for (const BlockRun& run : stream.runs) {
        for (int block = run.first; block < run.first + run.count; ++block) {
            blocks.push_back(block);
        }
    }
    return blocks;
}

const BlockStream* find_stream(const std::vector<BlockStream>& streams, int peer) {
    const auto found = std::find_if(streams.begin(), streams.end(),
                                    [peer](const BlockStream& stream) { return stream.peer == peer; });
    return found == streams.end() ? nullptr : &*found;
}

std::vector<int> sent(const Hierarchy& hierarchy, const Plan& plan, int root, ChunkDirection flow, int from,
                      int to) {
    const BlockRoutes routes = block_routes(hierarchy, plan, root, from, flow);
    const BlockStream* const stream = find_stream(routes.out, to);
    return stream == nullptr ? std::vector<int>{} : blocks_of(*stream);
}

/// The rule of the header, implemented literally and slowly, over the links of all ranks.
class Reference {
public:
    Reference(const Hierarchy& hierarchy, const Plan& plan, int root)
        : hierarchy_(hierarchy), plan_(plan), root_(root) {
        for (int rank = 0; rank < hierarchy.ranks(); ++rank) {
            links_.push_back(tree_links(hierarchy, plan, root, rank));
        }
    }

    const TreeLinks& links(int rank) const { return links_[rank]; }

    std::vector<TreeLinks::Edge> edges(int rank) const {
        std::vector<TreeLinks::Edge> edges = links_[rank].children;
        if (links_[rank].parent.peer >= 0) {
            edges.push_back(links_[rank].parent);
        }
        return edges;
    }

    std::vector<int> subtree(int rank) const {
        std::vector<int> all{rank};
        for (const TreeLinks::Edge& edge : links_[rank].children) {
            const std::vector<int> below = subtree(edge.peer);
            all.insert(all.end(), below.begin(), below.end());
        }
        return all;
    }

    /// Own block first; then group by group outwards, in each one block of every edge in turn.
    std::vector<int> arrivals(int from, int to) const {
        std::map<int, std::vector<int>> brought;
        std::map<std::pair<int, int>, int> peers;  // those of narrow levels first, then by position
        for (const TreeLinks::Edge& edge : edges(from)) {
            if (edge.peer != to) {
                brought[edge.peer] = arrivals(edge.peer, from);
                peers[{-hierarchy_.groups[edge.group].depth, place(edge)}] = edge.peer;
            }
        }
        std::vector<int> result{from};
        for (int group = hierarchy_.stop[from]; group >= 0; group = hierarchy_.groups[group].parent) {
            std::vector<std::vector<int>> here;
            for (const auto& [order, peer] : peers) {
                here.emplace_back();
                for (const int block : brought[peer]) {
                    if (hierarchy_.lowest_common_group(block, from) == group) {
                        here.back().push_back(block);
                    }
                }
            }
            for (std::size_t turn = 0; turn < links_.size(); ++turn) {
                for (const std::vector<int>& blocks : here) {
                    if (turn < blocks.size()) {
                        result.push_back(blocks[turn]);
                    }
                }
            }
        }
        return result;
    }

    std::vector<int> deliveries(int rank) const {
        std::vector<TreeLinks::Edge> children = links_[rank].children;
        std::sort(children.begin(), children.end(), [this](const auto& left, const auto& right) {
            const int left_depth = hierarchy_.groups[left.group].depth;
            const int right_depth = hierarchy_.groups[right.group].depth;
            const std::size_t left_size = subtree(left.peer).size();
            const std::size_t right_size = subtree(right.peer).size();
            return left_depth != right_depth ? left_depth < right_depth
                   : left_size != right_size ? left_size > right_size
                                             : place(left) < place(right);
        });
        std::vector<int> result;
        for (const TreeLinks::Edge& edge : children) {
            const std::vector<int> below = deliveries(edge.peer);
            result.insert(result.end(), below.begin(), below.end());
        }
        result.push_back(rank);
        return result;
    }

private:
    /// The neighbour's position among the members of the edge's group.
    int place(const TreeLinks::Edge& edge) const {
        const std::vector<int> members = shape_members(hierarchy_, plan_, edge.group, root_);
        return static_cast<int>(std::find(members.begin(), members.end(), edge.peer) - members.begin());
    }

    const Hierarchy& hierarchy_;
    const Plan& plan_;
    int root_;
    std::vector<TreeLinks> links_;
};

std::vector<int> sorted_if_whole(std::vector<int> blocks, std::size_t segment_bytes) {
    if (segment_bytes == 0) {
        std::sort(blocks.begin(), blocks.end());
    }
    return blocks;
}

/// All streams of all ranks agree at both ends; returns how often every block reaches every rank.
std::vector<std::vector<int>> deliveries(const Hierarchy& hierarchy, const Plan& plan, int root,
                                         ChunkDirection flow) {
    const int ranks = hierarchy.ranks();
    std::vector<BlockRoutes> routes;
    for (int rank = 0; rank < ranks; ++rank) {
        routes.push_back(block_routes(hierarchy, plan, root, rank, flow));
    }
    std::vector<std::vector<int>> count(ranks, std::vector<int>(ranks, 0));
    for (int rank = 0; rank < ranks; ++rank) {
        for (const BlockStream& stream : routes[rank].in) {
            const BlockStream* const other = find_stream(routes[stream.peer].out, rank);
            EXPECT_NE(other, nullptr);
            EXPECT_TRUE(other == nullptr ||
                        (other->runs == stream.runs && other->segment_bytes == stream.segment_bytes))
                << stream.peer << " to " << rank;
            for (const int block : blocks_of(stream)) {
                ++count[rank][block];
            }
        }
        for (const BlockStream& stream : routes[rank].out) {
            EXPECT_NE(find_stream(routes[stream.peer].in, rank), nullptr);
        }
        if (flow == ChunkDirection::all) {
            EXPECT_EQ(routes[rank].in.size(), routes[rank].out.size());
            for (std::size_t i = 0; i < routes[rank].in.size(); ++i) {
                EXPECT_EQ(routes[rank].in[i].peer, routes[rank].out[i].peer);
            }
        }
    }
    return count;
}

TEST(BlockRoutes, BothEndsAgreeAndBlocksArriveOnce) {
    for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
        Random random(seed);
        const Hierarchy hierarchy = random_hierarchy(random, {40, 6});
        const Plan plan = random_tree_plan(random, hierarchy, 100);
        const int root = random.between(0, hierarchy.ranks() - 1);
        const ChunkDirection flow = flows[seed % 3];
        const std::vector<std::vector<int>> count = deliveries(hierarchy, plan, root, flow);
        const Reference reference(hierarchy, plan, root);
        for (int rank = 0; rank < hierarchy.ranks(); ++rank) {
            std::vector<int> wanted(count.size(), flow == ChunkDirection::all ? 1 : 0);
            for (const int below : reference.subtree(rank)) {
                if (flow == ChunkDirection::to_root || (flow == ChunkDirection::from_root && rank != root)) {
                    wanted[below] = 1;
                }
            }
            if (flow != ChunkDirection::from_root) {
                wanted[rank] = 0;  // it is there
            }
            EXPECT_EQ(count[rank], wanted) << "seed " << seed << " rank " << rank;
        }
        if (HasFailure()) {
            return;
        }
    }
}

TEST(BlockRoutes, FollowTheTreeAndTheRule) {
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        Random random(seed);
        const Hierarchy hierarchy = random_hierarchy(random, {20, 5});
        const Plan plan = random_tree_plan(random, hierarchy, 100);
        const int root = random.between(0, hierarchy.ranks() - 1);
        const Reference reference(hierarchy, plan, root);
        for (int rank = 0; rank < hierarchy.ranks(); ++rank) {
            const TreeLinks& links = reference.links(rank);
            const BlockRoutes all = block_routes(hierarchy, plan, root, rank, ChunkDirection::all);
            const BlockRoutes up = block_routes(hierarchy, plan, root, rank, ChunkDirection::to_root);
            const BlockRoutes down = block_routes(hierarchy, plan, root, rank, ChunkDirection::from_root);
            std::vector<TreeLinks::Edge> edges;
            if (links.parent.peer >= 0) {
                edges.push_back(links.parent);
                ASSERT_EQ(up.out.size(), 1U);
                EXPECT_EQ(blocks_of(up.out[0]), sorted_if_whole(reference.arrivals(rank, links.parent.peer),
                                                                links.parent.segment_bytes));
                EXPECT_EQ(blocks_of(down.in.at(0)),
                          sorted_if_whole(reference.deliveries(rank), links.parent.segment_bytes));
            }
            edges.insert(edges.end(), links.children.begin(), links.children.end());
            ASSERT_EQ(all.out.size(), edges.size());
            ASSERT_EQ(up.in.size(), links.children.size());
            ASSERT_EQ(down.out.size(), links.children.size());
            for (std::size_t i = 0; i < edges.size(); ++i) {
                EXPECT_EQ(all.out[i].peer, edges[i].peer);
                EXPECT_EQ(all.out[i].segment_bytes, edges[i].segment_bytes);
                EXPECT_EQ(blocks_of(all.out[i]),
                          sorted_if_whole(reference.arrivals(rank, edges[i].peer), edges[i].segment_bytes));
            }
            for (std::size_t i = 0; i < links.children.size(); ++i) {
                EXPECT_EQ(up.in[i].peer, links.children[i].peer);
                EXPECT_EQ(down.out[i].peer, links.children[i].peer);
            }
        }
        if (HasFailure()) {
            FAIL() << "seed " << seed;
        }
    }
}

/// Two sites of two nodes of four ranks: the link between the sites carries first its own node's blocks,
/// then those from the other node; blocks received over it are sent to other ranks last.
TEST(BlockRoutes, TheUplinkIsFedFromTheNodeFirst) {
    const Hierarchy hierarchy = regular_hierarchy({2, 2, 4});
    const Plan plan = uniform_plan(hierarchy, {Algorithm::linear, 0, {}}, 1000);
    const auto all = [&](int from, int to) {
        return sent(hierarchy, plan, 0, ChunkDirection::all, from, to);
    };
    EXPECT_EQ(all(8, 0), (std::vector<int>{8, 9, 10, 11, 12, 13, 14, 15}));
    EXPECT_EQ(all(0, 8), (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));
    EXPECT_EQ(all(8, 12), (std::vector<int>{8, 9, 10, 11, 0, 1, 2, 3, 4, 5, 6, 7}));
    EXPECT_EQ(all(8, 10), (std::vector<int>{8, 9, 11, 12, 13, 14, 15, 0, 1, 2, 3, 4, 5, 6, 7}));
    EXPECT_EQ(all(12, 13), (std::vector<int>{12, 14, 15, 8, 9, 10, 11, 0, 1, 2, 3, 4, 5, 6, 7}));
    EXPECT_EQ(sent(hierarchy, plan, 0, ChunkDirection::to_root, 8, 0), all(8, 0));
    // Scatter: the other node's blocks have the longest path.
    EXPECT_EQ(sent(hierarchy, plan, 0, ChunkDirection::from_root, 0, 8),
              (std::vector<int>{13, 14, 15, 12, 9, 10, 11, 8}));
    EXPECT_EQ(sent(hierarchy, plan, 0, ChunkDirection::from_root, 8, 12), (std::vector<int>{13, 14, 15, 12}));
}

/// A chain of three nodes on two sites: the middle node forwards the blocks of its own site before those
/// from the slower link, although both arrive over edges of its node's level.
TEST(BlockRoutes, WhatCrossedASlowerLinkComesLater) {
    const Hierarchy hierarchy = regular_hierarchy({2, 3, 2});
    const Plan plan = uniform_plan(hierarchy, {Algorithm::pipeline, 0, {}}, 1000);
    // Site 0 is 0 1 | 2 3 | 4 5, chained 0 - 2 - 4; 6.. is behind rank 0.
    EXPECT_EQ(sent(hierarchy, plan, 0, ChunkDirection::all, 2, 3),
              (std::vector<int>{2, 0, 4, 1, 5, 6, 7, 8, 9, 10, 11}));
}

TEST(BlockRoutes, WholeStreamsGoByRank) {
    const Hierarchy hierarchy = regular_hierarchy({2, 4});
    const Plan plan = uniform_plan(hierarchy, {Algorithm::binomial, 0, {}}, 0);
    const BlockRoutes routes = block_routes(hierarchy, plan, 5, 0, ChunkDirection::all);
    ASSERT_EQ(routes.out.size(), 3U);
    EXPECT_EQ(routes.out[0].peer, 5);
    EXPECT_EQ(routes.out[0].runs, (std::vector<BlockRun>{{0, 4}}));
    EXPECT_EQ(routes.out[1].peer, 2);
    EXPECT_EQ(routes.out[1].runs, (std::vector<BlockRun>{{0, 2}, {4, 4}}));
    EXPECT_EQ(routes.out[2].runs, (std::vector<BlockRun>{{0, 1}, {2, 6}}));
}

TEST(BlockRoutes, OneRankHasNone) {
    const Hierarchy hierarchy = regular_hierarchy({1});
    const Plan plan = uniform_plan(hierarchy, {Algorithm::linear, 0, {}}, 8);
    for (const ChunkDirection flow : flows) {
        const BlockRoutes routes = block_routes(hierarchy, plan, 0, 0, flow);
        EXPECT_TRUE(routes.in.empty() && routes.out.empty());
    }
}

TEST(BlockRoutes, RefuseRanksOutside) {
    const Hierarchy hierarchy = regular_hierarchy({2, 2});
    const Plan plan = uniform_plan(hierarchy, {Algorithm::linear, 0, {}}, 8);
    EXPECT_THROW(block_routes(hierarchy, plan, 4, 0, ChunkDirection::all), std::invalid_argument);
    EXPECT_THROW(block_routes(hierarchy, plan, 0, -1, ChunkDirection::to_root), std::invalid_argument);
    EXPECT_THROW(block_routes(hierarchy, uniform_plan(hierarchy, {Algorithm::automatic, 0, {}}, 8), 0, 0,
                              ChunkDirection::all),
                 std::invalid_argument);
}

/// Ten thousand ranks: every shape, from the leader's and a last rank's point of view. A cost that grows with
/// the square of the ranks would not end within the time limit of a test.
TEST(BlockRoutes, TenThousandRanks) {
    const Hierarchy deep = regular_hierarchy({4, 25, 4, 25});
    const Hierarchy flat = regular_hierarchy({10000});
    for (const Algorithm algorithm :
         {Algorithm::linear, Algorithm::pipeline, Algorithm::binary, Algorithm::binomial}) {
        for (const Hierarchy* const hierarchy : {&deep, &flat}) {
            // The streams of a rank with all others as neighbours are themselves of quadratic length, unless
            // they go whole.
            const std::size_t segment = algorithm == Algorithm::linear && hierarchy == &flat ? 0 : 60000;
            const Plan plan = uniform_plan(*hierarchy, {algorithm, 0, {}}, segment);
            for (const ChunkDirection flow : flows) {
                const BlockRoutes first = block_routes(*hierarchy, plan, 0, 0, flow);
                const BlockRoutes last = block_routes(*hierarchy, plan, 0, 9999, flow);
                std::size_t moved = 0;
                for (const BlockStream& stream : flow == ChunkDirection::from_root ? first.out : first.in) {
                    moved += blocks_of(stream).size();
                }
                EXPECT_EQ(moved, 9999U);
                ASSERT_EQ(last.in.size() + last.out.size(), flow == ChunkDirection::all ? 2U : 1U);
            }
        }
    }
}

}  // namespace
}  // namespace block_routes_test
