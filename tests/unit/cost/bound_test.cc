// The time that no algorithm can beat: bytes that must cross a connection or a bus, computed by hand.
#include "algorithms/cost/bound.h"

#include <gtest/gtest.h>

#include "plans.h"

namespace bound_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;

/// 2 sites of 2 nodes of 4 ranks; connections of 10 bytes/us between sites, 20 between nodes, 100 x 2 inside.
class Bound : public ::testing::Test {
protected:
    Bound() {
        links_.set_some({LevelKind::switch_, 1}, {.bytes_per_us = 10});
        links_.set_some({LevelKind::switch_, 0}, {.bytes_per_us = 20});
        links_.set_some({LevelKind::node, {}}, {.bytes_per_us = 100, .parallel = 2});
    }
    double us(Collective collective, std::size_t bytes = 1600, int root = 0) const {
        return least_us(hierarchy_, links_, {collective, bytes, root});
    }
    Hierarchy hierarchy_ = sites_of_nodes(2, 2, 4);
    LinkTable links_;
};

TEST_F(Bound, BetweenSites) {
    EXPECT_DOUBLE_EQ(us(Collective::bcast), 160);
    EXPECT_DOUBLE_EQ(us(Collective::bcast, 1600, 13), 160);
    EXPECT_DOUBLE_EQ(us(Collective::reduce), 160);
    EXPECT_DOUBLE_EQ(us(Collective::allreduce), 160) << "both ways at the same time";
    EXPECT_DOUBLE_EQ(us(Collective::allgather), 80) << "the blocks of a site";
    EXPECT_DOUBLE_EQ(us(Collective::gather, 1600, 5), 80);
    EXPECT_DOUBLE_EQ(us(Collective::barrier, 0), 0);
    EXPECT_DOUBLE_EQ(us(Collective::gatherv, 0), 0) << "not all ranks know the bytes";
}

TEST_F(Bound, GrowsWithTheBytes) {
    for (const Collective collective : {Collective::bcast, Collective::allgather, Collective::scatter})
        EXPECT_DOUBLE_EQ(us(collective, 16 * mib), 1024 * us(collective, 16 * kib));
}

TEST_F(Bound, InsideWhatIsNarrower) {
    links_.set_some({LevelKind::switch_, 1}, {.bytes_per_us = 1000});
    EXPECT_DOUBLE_EQ(us(Collective::bcast), 80);
    EXPECT_DOUBLE_EQ(us(Collective::gather, 1600, 5), 60) << "12 of 16 blocks come to the root's node";
    EXPECT_DOUBLE_EQ(us(Collective::allgather), 60);
    links_.set_some({LevelKind::switch_, 0}, {.bytes_per_us = 1000});
    EXPECT_DOUBLE_EQ(us(Collective::gather, 1600, 5), 1500 / 200.0) << "to the root, two transfers at once";
}

TEST_F(Bound, CountsGivenBandwidthsOnly) {
    links_ = {};
    for (int op = 0; op < collective_count; ++op) EXPECT_EQ(us(static_cast<Collective>(op)), 0);
    links_.set_some({LevelKind::switch_, {}}, {.latency_us = 1000, .parallel = 2});
    EXPECT_EQ(us(Collective::bcast), 0) << "only the latency is given";
    links_.set_some({LevelKind::node, {}}, {.bytes_per_us = 100, .parallel = 1});
    EXPECT_DOUBLE_EQ(us(Collective::bcast), 16) << "the built-in ones between nodes are slower, but guessed";
}

TEST_F(Bound, OfUnevenParts) {
    hierarchy_ = make_hierarchy(top_switch, {{node_level, {0, 0, 0, 1}}}, 4);
    EXPECT_DOUBLE_EQ(us(Collective::gather, 1600, 0), 40) << "one block comes to the root's node";
    EXPECT_DOUBLE_EQ(us(Collective::gather, 1600, 3), 120);
    EXPECT_DOUBLE_EQ(us(Collective::allgather), 120);
}

TEST_F(Bound, OfABusAndOfCombining) {
    hierarchy_ = one_node(4);
    links_.set_some({LevelKind::node, {}}, {.bus_bytes_per_us = 50});
    EXPECT_DOUBLE_EQ(us(Collective::bcast), 3 * 1600 / 50.0);
    EXPECT_DOUBLE_EQ(us(Collective::allreduce), 6 * 1600 / 50.0) << "there and back";
    EXPECT_DOUBLE_EQ(us(Collective::gather), 1200 / 50.0);
    links_.set_combine(1);
    EXPECT_DOUBLE_EQ(us(Collective::allreduce), 1200) << "each rank combines its share with three others";
    EXPECT_DOUBLE_EQ(us(Collective::bcast), 3 * 1600 / 50.0);
}

/// Custom groups have the links of the level around them.
TEST_F(Bound, OfCustomGroups) {
    hierarchy_ = make_hierarchy(leaf_switch, {{{LevelKind::custom, 0}, {0, 0, 0, 0, 1, 1, 1, 1}}}, 8);
    for (Group& group : hierarchy_.groups) group.around = leaf_switch;
    EXPECT_DOUBLE_EQ(us(Collective::bcast), 80);
}

TEST_F(Bound, OneRankHasNothingToDo) {
    hierarchy_ = one_node(1);
    EXPECT_EQ(us(Collective::allreduce), 0);
}

}  // namespace
}  // namespace bound_test
