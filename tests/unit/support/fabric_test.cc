#include "fabric.h"

#include <gtest/gtest.h>

#include <array>
#include <thread>

namespace fabric_test {
namespace {

using namespace strata::testing;
using strata::algorithms::Transport;

class BothSchedules : public ::testing::TestWithParam<Schedule> {
protected:
    FabricOptions options(std::size_t eager_bytes = 0) const {
        FabricOptions result;
        result.schedule = GetParam();
        result.eager_bytes = eager_bytes;
        return result;
    }
};

INSTANTIATE_TEST_SUITE_P(Fabric, BothSchedules, ::testing::Values(Schedule::sequential, Schedule::concurrent),
                         [](const auto& schedule) {
                             return schedule.param == Schedule::sequential ? "sequential" : "concurrent";
                         });

TEST_P(BothSchedules, CarriesMessagesInOrder) {
    for (const std::size_t eager : {0U, 100U}) {
        const RunReport run = run_ranks(2, options(eager), [](int rank, Transport& transport) {
            for (int i = 0; i < 20; ++i) {
                std::byte value{static_cast<unsigned char>(i)};
                const int code = rank == 0 ? transport.send(&value, 1, 1) : transport.recv(&value, 1, 0);
                if (code != 0 || value != std::byte{static_cast<unsigned char>(i)}) {
                    return 1;
                }
            }
            return 0;
        });
        EXPECT_EQ(run.text(), "");
        EXPECT_EQ(run.codes, (std::vector<int>{0, 0}));
        ASSERT_EQ(run.messages.size(), 20U);
        EXPECT_EQ(run.messages[19], (SentMessage{0, 1, 1, 19}));
    }
}

/// The receiver takes the second rail's message first.
TEST_P(BothSchedules, RailsDoNotWaitForEachOther) {
    const RunReport run = run_ranks(2, options(), [](int rank, Transport& transport) {
        std::array<std::byte, 8> data{std::byte{7}};
        std::array<int, 2> done{};
        int count = 0;
        int code = transport.begin(2);
        if (rank == 0) {
            code = code != 0 ? code : transport.isend(0, data.data(), 4, 1);
            code = code != 0 ? code : transport.isend(1, data.data(), 8, 1, 1);
        } else {
            code = code != 0 ? code : transport.irecv(0, data.data(), 8, 0, 1);
            code = code != 0 ? code : transport.wait_some(done, count);
            code = code != 0 ? code : transport.irecv(0, data.data(), 4, 0);
        }
        for (int finished = rank == 0 ? 0 : 1; finished < 2 && code == 0; finished += count) {
            code = transport.wait_some(done, count);
        }
        return code;
    });
    EXPECT_EQ(run.text(), "");
    EXPECT_EQ(run.codes, std::vector<int>(2, 0));
    EXPECT_EQ(run.messages, (std::vector<SentMessage>{{0, 1, 4, 0, 0}, {0, 1, 8, 0, 1}}));
}

TEST_P(BothSchedules, FindsADeadlockAtOnce) {
    // Each rank waits for its left neighbour.
    const RunReport run = run_ranks(3, options(), [](int rank, Transport& transport) {
        std::array<std::byte, 8> data{};
        return transport.recv(data.data(), 8, (rank + 2) % 3);
    });
    EXPECT_TRUE(run.deadlock);
    EXPECT_TRUE(run.mentions("rank 0 waits for: receive from 2 (8 bytes, message 0, blocking)"))
        << run.text();
    EXPECT_EQ(run.codes, std::vector<int>(3, code_stopped));
}

TEST_P(BothSchedules, SendsThatRelyOnBufferingDeadlockWithoutIt) {
    const auto body = [](int rank, Transport& transport) {
        std::array<std::byte, 8> out{};
        std::array<std::byte, 8> in{};
        const int code = transport.send(out.data(), 8, 1 - rank);
        return code != 0 ? code : transport.recv(in.data(), 8, 1 - rank);
    };
    EXPECT_EQ(run_ranks(2, options(100), body).text(), "");
    EXPECT_TRUE(run_ranks(2, options(8), body).deadlock);
}

TEST_P(BothSchedules, TheWatchdogEndsWhatNeverBlocks) {
    FabricOptions short_watchdog = options();
    short_watchdog.watchdog = std::chrono::milliseconds(50);
    // Polls for an event that never happens: not a deadlock in the exact sense.
    const RunReport run = run_ranks(2, short_watchdog, [](int rank, Transport& transport) {
        if (rank == 0) {
            return 0;
        }
        int code = 0;
        for (int count = 0; code == 0 && count == 0;) {
            code = transport.wait_some({}, count);
        }
        return code;
    });
    EXPECT_FALSE(run.deadlock);
    EXPECT_TRUE(run.mentions("watchdog")) << run.text();
    EXPECT_EQ(run.codes[1], code_stopped);
}

TEST_P(BothSchedules, FindsUnequalSizes) {
    const RunReport run = run_ranks(2, options(), [](int rank, Transport& transport) {
        std::array<std::byte, 16> data{};
        return rank == 0 ? transport.send(data.data(), 16, 1) : transport.recv(data.data(), 8, 0);
    });
    EXPECT_TRUE(run.mentions("sizes differ")) << run.text();
    EXPECT_EQ(run.codes, std::vector<int>(2, code_size_mismatch));
}

TEST(Fabric, FindsABufferChangedInFlight) {
    for (const std::size_t eager : {0U, 100U}) {
        int found = 0;
        for (std::uint64_t seed = 1; seed <= 10; ++seed) {
            FabricOptions options;
            options.seed = seed;
            options.eager_bytes = eager;
            const RunReport run = run_ranks(2, options, [](int rank, Transport& transport) {
                std::array<std::byte, 16> data{};
                if (rank == 1) {
                    return transport.recv(data.data(), 16, 0);
                }
                int code = transport.begin(1);
                code = code != 0 ? code : transport.isend(0, data.data(), 16, 1);
                data[3] = std::byte{9};
                std::array<int, 1> done{};
                int count = 0;
                return code != 0 ? code : transport.wait_some(done, count);
            });
            found += run.mentions("changed the buffer") ? 1 : 0;
        }
        EXPECT_GE(found, 5) << "eager below " << eager;
    }
}

TEST(Fabric, AReceiveBufferIsUndefinedUntilTheMessageIsThere) {
    const RunReport run = run_ranks(2, {}, [](int rank, Transport& transport) {
        std::array<std::byte, 4> data{};
        std::byte token{};
        int code = transport.begin(1);
        if (rank == 0) {
            code = code != 0 ? code : transport.recv(&token, 1, 1);
            return code != 0 ? code : transport.send(data.data(), 4, 1);
        }
        code = code != 0 ? code : transport.irecv(0, data.data(), 4, 0);
        const bool poisoned = data[0] != std::byte{};
        code = code != 0 ? code : transport.send(&token, 1, 0);
        std::array<int, 1> done{};
        int count = 0;
        code = code != 0 ? code : transport.wait_some(done, count);
        return code != 0 ? code : (poisoned && count == 1 && data[0] == std::byte{} ? 0 : 1);
    });
    EXPECT_EQ(run.text(), "");
    EXPECT_EQ(run.codes, (std::vector<int>{0, 0}));
}

TEST_P(BothSchedules, FindsUnreceivedMessagesAndBusySlots) {
    const RunReport unreceived = run_ranks(2, options(100), [](int rank, Transport& transport) {
        std::byte token{};
        return rank == 0 ? transport.send(&token, 1, 1) : 0;
    });
    EXPECT_TRUE(unreceived.mentions("never received: rank 0 send to 1")) << unreceived.text();
    std::byte token{};
    const RunReport busy = run_ranks(2, options(100), [&](int rank, Transport& transport) {
        return rank == 0 ? 0 : transport.begin(1) + transport.irecv(0, &token, 1, 0);
    });
    EXPECT_TRUE(busy.mentions("rank 1 ended with a busy slot: receive from 0")) << busy.text();
}

TEST_P(BothSchedules, FindsMisuse) {
    const auto misuse = [&](const std::function<int(Transport&)>& calls) {
        const RunReport run = run_ranks(2, options(100), [&](int rank, Transport& transport) {
            return rank == 0 ? calls(transport) : 0;
        });
        return run.codes[0] == code_misuse && !run.problems.empty();
    };
    std::array<std::byte, 4> data{};
    EXPECT_TRUE(misuse([&](Transport& t) { return t.irecv(0, data.data(), 4, 1); }));
    EXPECT_TRUE(misuse(
        [&](Transport& t) { return t.begin(1) + t.isend(0, data.data(), 4, 1, Transport::most_rails); }));
    EXPECT_TRUE(misuse([&](Transport& t) { return t.begin(1) + t.irecv(1, data.data(), 4, 1); }));
    EXPECT_TRUE(misuse([&](Transport& t) {
        return t.begin(1) + t.irecv(0, data.data(), 4, 1) + t.irecv(0, data.data(), 4, 1);
    }));
    EXPECT_TRUE(
        misuse([&](Transport& t) { return t.begin(1) + t.irecv(0, data.data(), 4, 1) + t.begin(1); }));
    EXPECT_TRUE(misuse([&](Transport& t) { return t.recv(data.data(), 4, 2); }));
    EXPECT_TRUE(misuse([&](Transport& t) { return t.recv(data.data(), 4, 0); }));
    EXPECT_TRUE(misuse([&](Transport& t) {
        int count = 0;
        return t.begin(2) + t.isend(0, data.data(), 4, 1) + t.wait_some({}, count);
    }));
}

TEST_P(BothSchedules, AnAbortFailsThoseWhoWait) {
    const RunReport run = run_ranks(4, options(), [](int rank, Transport& transport) {
        std::array<std::byte, 8> data{};
        switch (rank) {
            case 0: return 55;
            case 1: return transport.recv(data.data(), 8, 0);
            case 2: return transport.send(data.data(), 8, 0);
            default: return transport.recv(data.data(), 8, 1);  // the abort travels on
        }
    });
    EXPECT_FALSE(run.deadlock) << run.text();
    EXPECT_EQ(run.codes, (std::vector<int>{55, code_peer_aborted, code_peer_aborted, code_peer_aborted}));
}

TEST_P(BothSchedules, ABufferedMessageOutlivesItsSender) {
    const RunReport run = run_ranks(2, options(100), [](int rank, Transport& transport) {
        std::array<std::byte, 8> data{std::byte{5}};
        if (rank == 0) {
            const int code = transport.send(data.data(), 8, 1);
            return code != 0 ? code : 55;
        }
        data[0] = {};
        const int code = transport.recv(data.data(), 8, 0);
        return code != 0 ? code : (data[0] == std::byte{5} ? 0 : 1);
    });
    EXPECT_EQ(run.codes, (std::vector<int>{55, 0}));
}

/// The second message does not take the place of the first one, which went away with its sender.
TEST_P(BothSchedules, ABufferedMessageBehindAWithdrawnOneStaysBehindIt) {
    std::array<int, 2> received{};
    const RunReport run = run_ranks(2, options(64), [&](int rank, Transport& transport) {
        std::array<std::byte, 100> data{};
        std::array<int, 2> done{};
        int count = 0;
        int code = transport.begin(2);
        if (rank == 0) {
            code = code != 0 ? code : transport.isend(0, data.data(), 100, 1);
            code = code != 0 ? code : transport.isend(1, data.data(), 8, 1);
            return code != 0 ? code : 55;
        }
        code = code != 0 ? code : transport.irecv(0, data.data(), 100, 0, 1);  // of a rail that stays empty
        code = code != 0 ? code : transport.wait_some(done, count);
        received = {transport.recv(data.data(), 100, 0), transport.recv(data.data(), 8, 0)};
        return code;
    });
    EXPECT_EQ(run.text(), "");
    EXPECT_EQ(run.codes, (std::vector<int>{55, code_peer_aborted}));
    EXPECT_EQ(received, (std::array<int, 2>{code_peer_aborted, 0}));
}

TEST_P(BothSchedules, AnExceptionIsReported) {
    const RunReport run = run_ranks(2, options(), [](int rank, Transport&) -> int {
        return rank == 0 ? throw std::runtime_error("no such thing") : 0;
    });
    EXPECT_TRUE(run.mentions("rank 0 threw: no such thing"));
}

TEST(Fabric, ReceivesOfOnePairCompleteInAnyOrder) {
    int overtaken = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        FabricOptions options;
        options.seed = seed;
        const RunReport run = run_ranks(2, options, [&](int rank, Transport& transport) {
            std::array<std::byte, 4> data{};
            int code = transport.begin(4);
            for (int slot = 0; slot < 4 && code == 0; ++slot) {
                code = rank == 0 ? transport.isend(slot, &data[slot], 1, 1)
                                 : transport.irecv(slot, &data[slot], 1, 0);
            }
            int last = -1;
            for (int finished = 0; finished < 4 && code == 0;) {
                std::array<int, 4> done{};
                int count = 0;
                code = transport.wait_some(done, count);
                for (int i = 0; i < count; ++i, ++finished) {
                    overtaken += rank == 1 && done[i] < last ? 1 : 0;
                    last = done[i];
                }
            }
            return code;
        });
        EXPECT_EQ(run.text(), "");
    }
    EXPECT_GT(overtaken, 5);
}

}  // namespace
}  // namespace fabric_test
