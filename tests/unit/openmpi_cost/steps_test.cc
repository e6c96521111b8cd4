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

std::vector<double> done(const Hierarchy& hierarchy, const LinkTable& links, const MessageSchedule& program) {
    FlatModel model(hierarchy, links);
    return run_program(model, program);
}

MessageSchedule exchange(std::size_t bytes, std::size_t combined = 0) {
    MessageSchedule program(2);
    program.steps[0].push_back({1, bytes, 1, combined});
    program.steps[1].push_back({0, bytes, 0, combined});
    return program;
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
    MessageSchedule program(5);
    for (int rank = 1; rank < 5; ++rank) {
        program.send(rank, 0, 100);
        program.receive(0, rank);
    }
    // The first after 1 + 1 + 2 + 1 us, every other one 1 + 1 us later; the senders are free after 2 us.
    EXPECT_EQ(done(one_node(5), round_links(), program), (std::vector<double>{5 + 3 * 2, 2, 2, 2, 2}));
}

TEST(Steps, ManyMessagesAreFoundInAnyOrder) {
    for (const bool last_first : {false, true}) {
        constexpr int ranks = 300;
        MessageSchedule program(ranks);
        for (int rank = 1; rank < ranks; ++rank) {
            program.steps[rank].push_back({.to = 0, .bytes = 100, .channel = 7});
            program.steps[rank].push_back({.to = 0, .bytes = 200, .channel = 8});
        }
        for (const int channel : {8, 7}) {  // the later ones first
            for (int i = 1; i < ranks; ++i) {
                program.steps[0].push_back({.from = last_first ? ranks - i : i, .channel = channel});
            }
        }
        // The first of the later ones is sent after 2 us and there after 1 + 2 + 2 + 1 more, every other one
        // 1 + 2 us later; the earlier ones take 1 + 1 us each.
        EXPECT_EQ(done(one_node(ranks), round_links(), program).front(), 8 + 298 * 3 + 299 * 2) << last_first;
    }
}

TEST(Steps, AHandshakeWaitsForItsReceiver) {
    // Rank 1 first receives from rank 2, 10 us late; rank 0's long message leaves only then.
    MessageSchedule program(3);
    program.send(0, 1, 200);
    program.steps[2].push_back({.combined = static_cast<std::size_t>(10 * combined_bytes_per_us)});
    program.send(2, 1, 0);
    program.receive(1, 2);
    program.receive(1, 0);
    const double received = 10 + 1 + 2 + 1;
    const double long_hop = 6 + 1 + 2 + 2 + 1;
    EXPECT_EQ(done(one_node(3), handshakes(), program),
              (std::vector<double>{received + long_hop, received + long_hop, 11}));
    // A receive posted ahead lets the message leave at once, and frees the sender.
    MessageSchedule asking = program;
    asking.ask_ahead();
    const auto ahead = done(one_node(3), handshakes(), asking);
    EXPECT_EQ(ahead[0], long_hop);
    EXPECT_EQ(ahead[1], received + 3) << "only taken in: 1 + 2 us";
    // So does a sender that does not wait, but not its message.
    program.steps[0][0].waits = false;
    EXPECT_EQ(done(one_node(3), handshakes(), program), (std::vector<double>{0, received + long_hop, 11}));
}

TEST(Steps, AnExchangeOfLongMessagesDoesNotLock) {
    EXPECT_EQ(done(one_node(2), handshakes(), exchange(200)), (std::vector<double>{12, 12}));
}

TEST(Steps, MessagesBetweenTwoKeepTheirOrder) {
    MessageSchedule program(2);
    for (const std::size_t bytes : {300, 0, 400}) {
        program.send(0, 1, bytes);
        program.receive(1, 0);
    }
    program.ask_ahead();
    const auto times = done(one_node(2), handshakes(), program);
    EXPECT_EQ(times[1], times[0]) << "the last one is long: its sender waits for it";
    EXPECT_GT(times[1], 2 * 6 + 3 + 4);
}

TEST(Steps, WhoWaitsInVainIsNeverDone) {
    MessageSchedule program(3);
    program.receive(0, 1);
    program.receive(1, 2);
    program.send(2, 0, 0);
    const auto times = done(one_node(3), round_links(), program);
    EXPECT_TRUE(std::isinf(times[0]));
    EXPECT_TRUE(std::isinf(times[1]));
    EXPECT_EQ(times[2], 1);
    EXPECT_TRUE(std::isinf(latest(times)));
    EXPECT_EQ(latest({}), 0);
}

}  // namespace
}  // namespace steps_test
