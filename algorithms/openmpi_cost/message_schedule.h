#pragma once
#include <cstddef>
#include <vector>

#include "algorithms/base/algorithm.h"
#include "algorithms/base/operation.h"

namespace strata::algorithms {

/// One step of a rank: it sends and receives at the same time, and continues when both are done.
struct ScheduleStep {
    int to = -1;               ///< -1: sends nothing
    std::size_t bytes = 0;     ///< sent
    int from = -1;             ///< -1: receives nothing
    std::size_t combined = 0;  ///< bytes combined with the received ones
    bool waits = true;   ///< until the message has left; else the next step starts when the processor is free
    bool early = false;  ///< the receive is posted at the start of the previous step
    int channel = 0;     ///< messages match only inside a channel: a communicator or tag
};

/// The steps of every rank in order. Messages between two ranks match, per channel, in step order.
struct MessageSchedule {
    explicit MessageSchedule(int ranks) : steps(static_cast<std::size_t>(ranks)) {}

    std::vector<std::vector<ScheduleStep>> steps;

    void send(int from, int to, std::size_t bytes) { steps[from].push_back({.to = to, .bytes = bytes}); }
    void receive(int rank, int from, std::size_t combined = 0) {
        steps[rank].push_back({.from = from, .combined = combined});
    }
    /// Posts every receive one step earlier.
    void ask_ahead() {
        for (auto& own : steps) {
            for (ScheduleStep& step : own) step.early = step.from >= 0;
        }
    }
};

/// Returns one schedule after the other, rank by rank.
MessageSchedule then(MessageSchedule first, const MessageSchedule& second);

/// A base algorithm and its arguments.
struct TunedCall {
    LevelTask task = LevelTask::bcast;
    Algorithm algorithm = Algorithm::automatic;
    std::size_t bytes = 0;  ///< of the vector, or of one rank's block
    int root = 0;
    int radix = 0;  ///< of a chain or k-nomial tree; 0: the algorithm's default
    bool operator==(const TunedCall&) const = default;
};
/// Returns its message schedule.
MessageSchedule schedule_of(const TunedCall& call, int ranks);

/// Returns the message schedules of the underlying component, coll/tuned of Open MPI 4.1 with its fixed
/// decisions, for an operation among `ranks` ranks, to be run one after the other. Empty for collectives
/// without a model. Memory: O(ranks^2) steps for a ring or neighbour exchange.
std::vector<MessageSchedule> underlying_schedules(const Operation& operation, int ranks);

}  // namespace strata::algorithms
