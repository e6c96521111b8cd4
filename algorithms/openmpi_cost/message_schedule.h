#pragma once
#include <cstddef>
#include <vector>

#include "algorithms/base/algorithm.h"
#include "algorithms/base/operation.h"

namespace strata::algorithms {

/// What a rank does at once: it sends and receives side by side, and goes on when both are done.
struct FlatStep {
    int to = -1;               ///< -1: sends nothing
    std::size_t bytes = 0;     ///< sent
    int from = -1;             ///< -1: receives nothing
    std::size_t combined = 0;  ///< bytes combined with what was received
    bool waits =
        true;  ///< for the message to be gone; else the next step begins as soon as the processor is free
    bool early = false;  ///< the receive is posted when the step before begins
    int channel = 0;     ///< messages match only inside one: a communicator, or a tag
};

/// The steps of every rank in their order. Messages between two ranks match, channel by channel, in the order
/// of their steps.
struct MessageSchedule {
    explicit MessageSchedule(int ranks) : steps(static_cast<std::size_t>(ranks)) {}

    std::vector<std::vector<FlatStep>> steps;

    void send(int from, int to, std::size_t bytes) { steps[from].push_back({.to = to, .bytes = bytes}); }
    void receive(int rank, int from, std::size_t combined = 0) {
        steps[rank].push_back({.from = from, .combined = combined});
    }
    /// Posts every receive one step early.
    void ask_ahead() {
        for (auto& own : steps) {
            for (FlatStep& step : own) step.early = step.from >= 0;
        }
    }
};

/// One program after the other, each rank by itself.
MessageSchedule then(MessageSchedule first, const MessageSchedule& second);

/// A base algorithm, and what it is called for.
struct TunedCall {
    LevelTask task = LevelTask::bcast;
    Algorithm algorithm = Algorithm::automatic;
    std::size_t bytes = 0;  ///< of the vector, or of one rank's block
    int root = 0;
    int radix = 0;  ///< of a chain or k-nomial tree; 0: the algorithm's own
    bool operator==(const TunedCall&) const = default;
};
/// Its messages.
MessageSchedule program_of(const TunedCall& call, int ranks);

/// The messages of the underlying component, coll/tuned of Open MPI 4.1 with its fixed decisions, for an
/// operation among so many ranks: programs that every rank carries out one after the other. None for
/// collectives that are not modelled. Memory: of a ring or a neighbour exchange O(ranks^2) steps.
std::vector<MessageSchedule> underlying_programs(const Operation& operation, int ranks);

}  // namespace strata::algorithms
