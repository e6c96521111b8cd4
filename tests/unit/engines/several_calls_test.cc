// Several calls in progress at once on one communicator: each behaves as if alone.
#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <vector>

#include "fabric.h"
#include "random_shapes.h"
#include "traced_call.h"

namespace several_calls_test {
namespace {

using namespace strata::algorithms;
using namespace strata::testing;

/// Calls of any collectives on one hierarchy, and the parts of all ranks in them.
class Calls {
public:
    Calls(std::uint64_t seed, int count) {
        Random random(seed);
        const auto hierarchy = random_hierarchy(random, {16, 5});
        for (int call = 0; call < count; ++call) {
            const auto collective = traced_collectives[random.below(std::size(traced_collectives))];
            calls_.push_back(random_traced_call(random, hierarchy, collective));
        }
        for (int rank = 0; rank < ranks(); ++rank) {
            for (const TracedCall& call : calls_) parts_.push_back(std::make_unique<PartInCall>(call, rank));
        }
    }

    int ranks() const { return calls_.front().hierarchy.ranks(); }
    int count() const { return static_cast<int>(calls_.size()); }
    const TracedCall& operator[](int call) const { return calls_[static_cast<std::size_t>(call)]; }

    RunReport run(const FabricOptions& options) {
        return run_calls(ranks(), count(), options,
                         [&](int rank, int call, Transport& transport, Arena& arena) {
                             return part(rank, call).task(transport, arena);
                         });
    }
    /// Returns the errors of a run that had to succeed.
    std::string faults(const RunReport& run) {
        std::string all = run.text();
        for (int rank = 0; rank < ranks(); ++rank) {
            if (run.codes[static_cast<std::size_t>(rank)] != 0)
                all += "rank " + std::to_string(rank) + " failed\n";
            for (int call = 0; call < count(); ++call) all += part(rank, call).verdict();
        }
        return all;
    }

private:
    PartInCall& part(int rank, int call) { return *parts_[static_cast<std::size_t>(rank * count() + call)]; }

    std::deque<TracedCall> calls_;
    std::vector<std::unique_ptr<PartInCall>> parts_;
};

std::vector<SentMessage> messages_of(const RunReport& run, int call) {
    std::vector<SentMessage> messages;
    for (const SentMessage& message : run.messages) {
        if (message.call == call) messages.push_back(message);
    }
    return messages;
}

TEST(SeveralCalls, EachIsAsIfAlone) {
    for (std::uint64_t seed = 1; seed <= 250; ++seed) {
        Calls calls(seed, 2 + static_cast<int>(seed % 3));
        const RunReport run = calls.run(options_for(seed, seed % 2 == 0 ? 512 : 0));
        ASSERT_EQ(calls.faults(run), "") << seed;
        for (int call = 0; call < calls.count(); ++call) {
            std::string problem;
            ASSERT_EQ(streams_of(messages_of(run, call)), in_process_streams(calls[call], seed, problem))
                << seed;
        }
    }
}

/// Overlapping threads, for a race detector.
TEST(SeveralCalls, OfRanksThatRunAtOnce) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        Calls calls(seed, 3);
        FabricOptions options = options_for(seed, 512);
        options.schedule = Schedule::concurrent;
        ASSERT_EQ(calls.faults(calls.run(options)), "") << seed;
    }
}

TEST(SeveralCalls, AnErrorOfOneEndsTheRank) {
    int failed = 0;
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        Calls calls(seed, 2);
        FabricOptions options = options_for(seed);
        options.failure = {static_cast<int>(seed) % calls.ranks(), 1 + static_cast<int>(seed % 7), 4242};
        const RunReport run = calls.run(options);
        ASSERT_EQ(run.text(), "") << seed;
        failed += run.codes[static_cast<std::size_t>(options.failure.rank)] == 4242 ? 1 : 0;
    }
    EXPECT_GT(failed, 30);
}

/// Calls with shared tags take each other's messages, which the checks detect.
TEST(SeveralCallsCanFail, SharedTagsAreSeen) {
    int seen = 0;
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        Calls calls(seed, 2);
        FabricOptions options = options_for(seed);
        options.shared_tags = true;
        seen += calls.faults(calls.run(options)).empty() ? 0 : 1;
    }
    EXPECT_GT(seen, 10);
}

}  // namespace
}  // namespace several_calls_test
