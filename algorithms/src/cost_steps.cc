#include "cost_steps.h"

#include <algorithm>
#include <limits>
#include <queue>
#include <utility>

#include "cost_links.h"

namespace strata::algorithms {
namespace {

constexpr double open_end = std::numeric_limits<double>::infinity();

class Run {
public:
    Run(FlatModel& model, const FlatProgram& program)
        : model_(model), program_(program), ranks_(program.steps.size()) {}

    std::vector<double> operator()() {
        for (std::size_t r = 0; r < ranks_.size(); ++r) turns_.emplace(0.0, static_cast<int>(r));
        while (!turns_.empty()) {
            const auto [when, rank] = turns_.top();
            turns_.pop();
            begin(rank, when);
        }
        std::vector<double> done;
        done.reserve(ranks_.size());
        for (const Rank& rank : ranks_) done.push_back(rank.done);
        return done;
    }

private:
    /// A message for the rank in whose inbox it is.
    struct Message {
        int from;  ///< -1: taken out
        int channel;
        std::size_t bytes;
        double arrival;  ///< open_end: still with its sender
        bool awaited;    ///< by its sender
    };
    struct Rank {
        std::size_t step = 0;
        bool busy = false;  ///< with that step
        double begun = 0;
        double sent = 0;
        double received = 0;
        double work = 0;    ///< us of the processor in this step
        bool late = false;  ///< what it receives was not there when the step began
        double done = open_end;
        std::vector<Message> inbox;
        std::size_t first = 0;  ///< of the inbox, before which all are taken out
    };

    const std::vector<FlatStep>& steps_of(int rank) const { return program_.steps[rank]; }

    void begin(int rank, double when) {
        Rank& state = ranks_[rank];
        const auto& steps = steps_of(rank);
        if (state.step == steps.size()) {
            state.done = when;
            return;
        }
        const FlatStep& step = steps[state.step];
        state.busy = true;
        state.begun = when;
        state.work = step.to >= 0 && step.waits ? model_.work_us(rank, step.to, step.bytes) : 0;
        state.sent = step.to < 0 ? when : open_end;
        state.received = step.from < 0 ? when : open_end;
        state.late = false;
        if (step.to >= 0) send(rank, step, when);
        if (step.from >= 0) ask(rank, step, when);
        if (state.step + 1 < steps.size() && steps[state.step + 1].early) {
            ask(rank, steps[state.step + 1], when);
        }
        take(rank);
        finish(rank);
    }

    void send(int rank, const FlatStep& step, double when) {
        Rank& receiver = ranks_[step.to];
        const bool waits = model_.waits_for_receiver(rank, step.to, step.bytes);
        const bool leaves =
            !waits || asked(step.to, rank, step.channel) > under_way(receiver, rank, step.channel);
        double arrival = open_end;
        if (leaves) {
            arrival = model_.transmit(rank, step.to, step.bytes, when);
            if (!waits || !step.waits)
                ranks_[rank].sent = model_.free_at(rank);
            else
                ranks_[rank].sent = arrival;
        } else if (!step.waits) {
            ranks_[rank].sent = when;
        }
        receiver.inbox.push_back({rank, step.channel, step.bytes, arrival, step.waits});
        if (leaves && receiver.busy) {
            take(step.to);
            finish(step.to);
        }
    }

    static bool fits(const FlatStep& step, int from, int channel) {
        return step.from == from && step.channel == channel;
    }

    /// How many receives from `from` a rank has posted and not got.
    int asked(int rank, int from, int channel) const {
        const Rank& state = ranks_[rank];
        const auto& steps = steps_of(rank);
        if (!state.busy) {  // between two steps
            const bool posted = state.step > 0 && state.step < steps.size() && steps[state.step].early;
            return posted && fits(steps[state.step], from, channel) ? 1 : 0;
        }
        int count = fits(steps[state.step], from, channel) && state.received == open_end ? 1 : 0;
        if (state.step + 1 < steps.size() && steps[state.step + 1].early &&
            fits(steps[state.step + 1], from, channel)) {
            ++count;
        }
        return count;
    }

    static int under_way(const Rank& receiver, int from, int channel) {
        int count = 0;
        for (std::size_t i = receiver.first; i < receiver.inbox.size(); ++i) {
            const Message& message = receiver.inbox[i];
            if (message.from == from && message.channel == channel && message.arrival != open_end) ++count;
        }
        return count;
    }

    /// Lets a message that waits for this rank's receive leave.
    void ask(int rank, const FlatStep& step, double when) {
        const int from = step.from;
        Rank& state = ranks_[rank];
        for (std::size_t i = state.first; i < state.inbox.size(); ++i) {
            Message& message = state.inbox[i];
            if (message.from != from || message.channel != step.channel || message.arrival != open_end) {
                continue;
            }
            if (asked(rank, from, step.channel) <= under_way(state, from, step.channel)) return;
            message.arrival = model_.transmit(from, rank, message.bytes, when);
            if (message.awaited) {
                ranks_[from].sent = message.arrival;
                finish(from);
            }
            return;
        }
    }

    /// Takes in what this rank is waiting for, if it is on its way.
    void take(int rank) {
        Rank& state = ranks_[rank];
        if (!state.busy || state.received != open_end) return;
        const FlatStep& step = steps_of(rank)[state.step];
        const int from = step.from;
        for (std::size_t i = state.first; i < state.inbox.size(); ++i) {
            Message& message = state.inbox[i];
            if (message.from != from || message.channel != step.channel) continue;
            if (message.arrival == open_end) return;
            const double work = model_.work_us(from, rank, message.bytes);
            state.work += work;
            state.received = std::max(message.arrival, state.begun + work);
            state.late = message.arrival > state.begun;
            message.from = -1;
            while (state.first < state.inbox.size() && state.inbox[state.first].from < 0) ++state.first;
            if (state.first == state.inbox.size()) {
                state.inbox.clear();
                state.first = 0;
            }
            return;
        }
    }

    void finish(int rank) {
        Rank& state = ranks_[rank];
        if (!state.busy || state.sent == open_end || state.received == open_end) return;
        const double fold = static_cast<double>(steps_of(rank)[state.step].folded) / folded_bytes_per_us;
        state.busy = false;
        ++state.step;
        const double worked = state.begun + state.work;
        double end = std::max({state.sent, state.received, worked});
        // On a processor of its own a rank may be busy with sending until then; on a shared one the peer has
        // to get its turn in between.
        if (state.late || end > worked) {
            end += model_.turn_us();
            model_.spend(model_.wait_us());
        }
        model_.spend(fold);
        turns_.emplace(end + fold, rank);
    }

    using Turn = std::pair<double, int>;  // when, rank

    FlatModel& model_;
    const FlatProgram& program_;
    std::vector<Rank> ranks_;
    std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns_;
};

}  // namespace

std::vector<double> run_program(FlatModel& model, const FlatProgram& program) {
    return Run(model, program)();
}

double program_us(FlatModel& model, const FlatProgram& program) {
    return model.shared_us(latest(run_program(model, program)));
}

double latest(const std::vector<double>& times) {
    double most = 0;
    for (const double time : times) most = std::max(most, time);
    return most;
}

}  // namespace strata::algorithms
