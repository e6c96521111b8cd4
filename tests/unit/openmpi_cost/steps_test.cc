// Patterns of pairwise messages, timed one by one: sums computed by hand.
#include <gtest/gtest.h>

#include <cmath>

#include "algorithms/cost/links.h"
#include "algorithms/openmpi_cost/steps.h"
#include "plans.h"

namespace steps_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;

std::vector<double> done(const Hierarchy& hierarchy, const LinkTable& links,
                         const MessageSchedule& schedule) {
    FlatModel model(hierarchy, links);
    return run_schedule(model, schedule);
}

MessageSchedule exchange(std::size_t bytes, std::size_t combined = 0) {
    MessageSchedule schedule(2);
    schedule.steps[0].push_back({1, bytes, 1, combined});
    schedule.steps[1].push_back({0, bytes, 0, combined});
    return schedule;
}

/// Two ranks that a switch joins, and handshakes from 200 bytes on.
LinkTable handshakes() {
    LinkTable links;
    links.set({LevelKind::node, std::nullopt}, {2, 1, 100, 200});
    return links;
}

TEST(Steps, LinksCarryBothDirectionsAtOnce) {
    const Hierarchy nodes = make_hierarchy(leaf_switch, {}, 2);
    const double hop = 5 + 100 + 50 + 5;  // 1000 bytes
    EXPECT_EQ(done(nodes, round_links(), exchange(1000)), (std::vector<double>{hop, hop}));
    const double combine = 2000 / combined_bytes_per_us;
    EXPECT_EQ(done(nodes, round_links(), exchange(1000, 2000)),
              (std::vector<double>{hop + combine, hop + combine}));
}

TEST(Steps, AProcessorCopiesOneMessageAfterTheOther) {
    // 1000 bytes each way in a node: 1 + 10 us to send, as long to receive.
    EXPECT_EQ(done(one_node(2), round_links(), exchange(1000)), (std::vector<double>{22, 22}));
    // Short ones: the latency is longer.
    EXPECT_EQ(done(one_node(2), round_links(), exchange(0)), (std::vector<double>{4, 4}));
}

TEST(Steps, MessagesFromManyAreTakenInOneByOne) {
    MessageSchedule schedule(5);
    for (int rank = 1; rank < 5; ++rank) {
        schedule.send(rank, 0, 100);
        schedule.receive(0, rank);
    }
    // The first after 1 + 1 + 2 + 1 us, every other one 1 + 1 us later; the senders are free after 2 us.
    EXPECT_EQ(done(one_node(5), round_links(), schedule), (std::vector<double>{5 + 3 * 2, 2, 2, 2, 2}));
}

TEST(Steps, ManyMessagesAreFoundInAnyOrder) {
    for (const bool last_first : {false, true}) {
        constexpr int ranks = 300;
        MessageSchedule schedule(ranks);
        for (int rank = 1; rank < ranks; ++rank) {
            schedule.steps[rank].push_back({.to = 0, .bytes = 100, .channel = 7});
            schedule.steps[rank].push_back({.to = 0, .bytes = 200, .channel = 8});
        }
        for (const int channel : {8, 7}) {  // the later ones first
            for (int i = 1; i < ranks; ++i) {
                schedule.steps[0].push_back({.from = last_first ? ranks - i : i, .channel = channel});
            }
        }
        // The first of the later ones is sent after 2 us and there after 1 + 2 + 2 + 1 more, every other one
        // 1 + 2 us later; the earlier ones take 1 + 1 us each.
        EXPECT_EQ(done(one_node(ranks), round_links(), schedule).front(), 8 + 298 * 3 + 299 * 2)
            << last_first;
    }
}

TEST(Steps, AHandshakeWaitsForItsReceiver) {
    // Rank 1 first receives from rank 2, 10 us late; rank 0's long message leaves only then.
    MessageSchedule schedule(3);
    schedule.send(0, 1, 200);
    schedule.steps[2].push_back({.combined = static_cast<std::size_t>(10 * combined_bytes_per_us)});
    schedule.send(2, 1, 0);
    schedule.receive(1, 2);
    schedule.receive(1, 0);
    const double received = 10 + 1 + 2 + 1;
    const double long_hop = 6 + 1 + 2 + 2 + 1;
    EXPECT_EQ(done(one_node(3), handshakes(), schedule),
              (std::vector<double>{received + long_hop, received + long_hop, 11}));
    // A receive posted ahead lets the message leave at once, and frees the sender.
    MessageSchedule asking = schedule;
    asking.ask_ahead();
    const auto ahead = done(one_node(3), handshakes(), asking);
    EXPECT_EQ(ahead[0], long_hop);
    EXPECT_EQ(ahead[1], received + 3) << "only taken in: 1 + 2 us";
    // So does a sender that does not wait, but not its message.
    schedule.steps[0][0].waits = false;
    EXPECT_EQ(done(one_node(3), handshakes(), schedule), (std::vector<double>{0, received + long_hop, 11}));
}

TEST(Steps, AnExchangeOfLongMessagesDoesNotLock) {
    EXPECT_EQ(done(one_node(2), handshakes(), exchange(200)), (std::vector<double>{12, 12}));
}

TEST(Steps, MessagesBetweenTwoKeepTheirOrder) {
    MessageSchedule schedule(2);
    for (const std::size_t bytes : {300, 0, 400}) {
        schedule.send(0, 1, bytes);
        schedule.receive(1, 0);
    }
    schedule.ask_ahead();
    const auto times = done(one_node(2), handshakes(), schedule);
    EXPECT_EQ(times[1], times[0]) << "the last one is long: its sender waits for it";
    EXPECT_GT(times[1], 2 * 6 + 3 + 4);
}

TEST(Steps, WhoWaitsInVainIsNeverDone) {
    MessageSchedule schedule(3);
    schedule.receive(0, 1);
    schedule.receive(1, 2);
    schedule.send(2, 0, 0);
    const auto times = done(one_node(3), round_links(), schedule);
    EXPECT_TRUE(std::isinf(times[0]));
    EXPECT_TRUE(std::isinf(times[1]));
    EXPECT_EQ(times[2], 1);
    EXPECT_TRUE(std::isinf(latest(times)));
    EXPECT_EQ(latest({}), 0);
}

}  // namespace
}  // namespace steps_test
