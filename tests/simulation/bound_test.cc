#include "algorithms/cost/bound.h"

#include <gtest/gtest.h>

#include "ranks.h"

namespace {

using namespace strata;
using algorithms::Collective;

/// 2 nodes of 2 domains of 2 cores.
class Bound : public ::testing::Test {
protected:
    Bound() {
        machine_.name = "small";
        machine_.job.topologies = {"synthetic:numa:2 core:2"};
        machine_.job.nodes = "2";
        machine_.job.nic = "none";
        machine_.links = {{{topology::LevelKind::cluster, {}}, 0, 100, 0},
                          {{topology::LevelKind::node, {}}, 0, 400, 0},
                          {{topology::LevelKind::numa, {}}, 0, 1000, 0}};
        machine_.combine_mbytes_per_s = 1e6;
    }
    double us(Collective collective, std::size_t bytes, int root = 0) const {
        simulation::Ranks ranks(machine_, {});
        return least_us(ranks.hierarchy(), machine_.table(ranks.hierarchy()), {collective, bytes, root});
    }
    simulation::Machine machine_;
};

TEST_F(Bound, OfTheNarrowestLinkThatAllHasToCross) {
    EXPECT_DOUBLE_EQ(us(Collective::bcast, 8000), 80);
    EXPECT_DOUBLE_EQ(us(Collective::bcast, 8000, 5), 80);
    EXPECT_DOUBLE_EQ(us(Collective::reduce, 8000), 80);
    EXPECT_DOUBLE_EQ(us(Collective::allreduce, 8000), 80);  // both ways at the same time
    EXPECT_DOUBLE_EQ(us(Collective::barrier, 0), 0);
}

TEST_F(Bound, BlocksCrossWhereTheyHaveTo) {
    EXPECT_DOUBLE_EQ(us(Collective::allgather, 8000), 40);
    EXPECT_DOUBLE_EQ(us(Collective::gather, 8000, 3), 40);
    EXPECT_DOUBLE_EQ(us(Collective::scatter, 8000), 40);
}

TEST_F(Bound, InsideWhereThatIsNarrower) {
    machine_.links[0].mbytes_per_s = 1e6;
    EXPECT_DOUBLE_EQ(us(Collective::bcast, 8000), 20);
    EXPECT_DOUBLE_EQ(us(Collective::gather, 8000), 6000 / 400.0);  // into the root's domain
}

TEST_F(Bound, BusesCarryWhatTheirCoresGetAndWhatGoesOnToOthers) {
    machine_.links[2].bus_mbytes_per_s = 100;
    // 7 cores get the vector, 3 of them from another domain, whose bus carries it as well: on 4 buses.
    EXPECT_DOUBLE_EQ(us(Collective::bcast, 8000), 10 * 8000 / 4.0 / 100);
    EXPECT_DOUBLE_EQ(us(Collective::reduce, 8000, 5), 10 * 8000 / 4.0 / 100);
    // The partial sums that reach the rank that completes the result equal the results that leave it.
    EXPECT_DOUBLE_EQ(us(Collective::allreduce, 8000), 20 * 8000 / 4.0 / 100);
    // 8 cores get 7 chunks; 4 domains get 6 from others.
    EXPECT_DOUBLE_EQ(us(Collective::allgather, 8000), (8 * 7000 + 4 * 6000) / 4.0 / 100);
}

TEST_F(Bound, OneBusByItself) {
    machine_.links[1].bus_mbytes_per_s = 10;
    machine_.job.nodes = "1";
    EXPECT_DOUBLE_EQ(us(Collective::bcast, 8000), 800) << "to the other domain";
    EXPECT_DOUBLE_EQ(us(Collective::allreduce, 8000), 1600) << "there and back";
}

TEST_F(Bound, CombiningTakesTime) {
    machine_.combine_mbytes_per_s = 10;
    EXPECT_DOUBLE_EQ(us(Collective::reduce, 8000), 700);
    EXPECT_DOUBLE_EQ(us(Collective::bcast, 8000), 80);
}

}  // namespace
