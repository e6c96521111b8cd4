#pragma once
#include <cstddef>
#include <vector>

#include "cost_flat.h"

namespace strata::algorithms {

/// What a rank does at once: it sends and receives side by side, and goes on when both are done.
struct FlatStep {
    int to = -1;             ///< -1: sends nothing
    std::size_t bytes = 0;   ///< sent
    int from = -1;           ///< -1: receives nothing
    std::size_t folded = 0;  ///< bytes combined with what was received
    bool waits =
        true;  ///< for the message to be gone; else the next step begins as soon as the processor is free
    bool early = false;  ///< the receive is posted when the step before begins
    int channel = 0;     ///< messages match only inside one: a communicator, or a tag
};

/// The steps of every rank in their order. Messages between two ranks match, channel by channel, in the order
/// of their steps.
struct FlatProgram {
    explicit FlatProgram(int ranks) : steps(static_cast<std::size_t>(ranks)) {}

    std::vector<std::vector<FlatStep>> steps;

    void send(int from, int to, std::size_t bytes) { steps[from].push_back({.to = to, .bytes = bytes}); }
    void receive(int rank, int from, std::size_t folded = 0) {
        steps[rank].push_back({.from = from, .folded = folded});
    }
    /// Posts every receive one step early.
    void ask_ahead() {
        for (auto& own : steps) {
            for (FlatStep& step : own) step.early = step.from >= 0;
        }
    }
};

/// Runs a program over `model`, message by message in the order of time; returns when every rank is done, us.
/// A message that needs a handshake leaves when its receiver has asked for it, and its sender waits until it
/// has arrived. Cost: O(messages * (log ranks + depth)). A program whose messages do not match ends with
/// infinity for the ranks that wait in vain.
std::vector<double> run_program(FlatModel& model, const FlatProgram& program);

/// When all ranks are done, and have had the processors that they share, us.
double program_us(FlatModel& model, const FlatProgram& program);

/// The largest of some times; 0 for none.
double latest(const std::vector<double>& times);

}  // namespace strata::algorithms
