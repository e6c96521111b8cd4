#include "algorithms/openmpi_cost/steps.h"

#include <algorithm>
#include <limits>
#include <queue>
#include <utility>
#include <vector>

#include "algorithms/cost/links.h"

namespace strata::algorithms {
namespace {

constexpr double open_end = std::numeric_limits<double>::infinity();

class Run {
public:
    Run(FlatModel& model, const MessageSchedule& schedule)
        : model_(model), schedule_(schedule), ranks_(schedule.steps.size()) {}

    std::vector<double> operator()() {
        // All start at time 0. Ranks that begin with a send and do not wait come last: receives are posted
        // then.
        for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) {
            const auto& steps = steps_of(rank);
            const bool sends = !steps.empty() && steps.front().to >= 0 && !steps.front().waits;
            if (sends) {
                turns_.emplace(0.0, rank);
            } else {
                begin(rank, 0);
            }
        }
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
    using Turn = std::pair<double, int>;  // time, rank
    using Turns = std::priority_queue<Turn, std::vector<Turn>, std::greater<>>;

    /// A message in a rank's inbox.
    struct Message {
        int from;  ///< -1: removed
        int channel;
        std::size_t bytes;
        double arrival;  ///< open_end: still at its sender
        bool awaited;    ///< its sender waits for it
        double work;     ///< us of the processor at either end
    };
    struct Rank {
        std::size_t step = 0;
        bool busy = false;  ///< in that step
        double begun = 0;
        double sent = 0;
        double received = 0;
        double work = 0;  ///< us of the processor in this step
        double done = open_end;
        int held = 0;  ///< messages of the inbox that are still at their senders
        std::vector<Message> inbox;
        std::size_t first = 0;  ///< all messages before this index are removed
    };

    /// Calls `visit` for the messages from a rank in a channel, in order, until it returns true.
    template <class Visit>
    static void look(Rank& receiver, int from, int channel, Visit visit) {
        for (std::size_t i = receiver.first; i < receiver.inbox.size(); ++i) {
            Message& message = receiver.inbox[i];
            if (message.from == from && message.channel == channel && visit(message)) return;
        }
    }

    static void take_out(Rank& receiver, Message& message) {
        message.from = -1;
        while (receiver.first < receiver.inbox.size() && receiver.inbox[receiver.first].from < 0) {
            ++receiver.first;
        }
        if (receiver.first == receiver.inbox.size()) {
            receiver.inbox.clear();
            receiver.first = 0;
        }
    }

    const std::vector<ScheduleStep>& steps_of(int rank) const { return schedule_.steps[rank]; }

    void begin(int rank, double when) {
        Rank& state = ranks_[rank];
        const auto& steps = steps_of(rank);
        if (state.step == steps.size()) {
            state.done = when;
            return;
        }
        const ScheduleStep& step = steps[state.step];
        state.busy = true;
        state.begun = when;
        state.work = 0;
        state.sent = step.to < 0 ? when : open_end;
        state.received = step.from < 0 ? when : open_end;
        if (step.to >= 0) send(rank, step, when);
        if (step.from >= 0) ask(rank, step, when);
        if (state.step + 1 < steps.size() && steps[state.step + 1].early) {
            ask(rank, steps[state.step + 1], when);
        }
        take(rank);
        finish(rank);
    }

    void send(int rank, const ScheduleStep& step, double when) {
        Rank& receiver = ranks_[step.to];
        const double work = model_.work_us(rank, step.to, step.bytes);
        if (step.waits) ranks_[rank].work = work;
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
        receiver.inbox.push_back({rank, step.channel, step.bytes, arrival, step.waits, work});
        if (!leaves) ++receiver.held;
        if (leaves && receiver.busy) {
            take(step.to);
            finish(step.to);
        }
    }

    static bool fits(const ScheduleStep& step, int from, int channel) {
        return step.from == from && step.channel == channel;
    }

    /// Returns the number of receives from `from` that a rank has posted and not completed.
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

    static int under_way(Rank& receiver, int from, int channel) {
        int count = 0;
        look(receiver, from, channel, [&](const Message& message) {
            if (message.arrival != open_end) ++count;
            return false;
        });
        return count;
    }

    /// Lets a message leave that waits for this rank's receive.
    void ask(int rank, const ScheduleStep& step, double when) {
        const int from = step.from;
        Rank& state = ranks_[rank];
        if (state.held == 0) return;
        Message* waiting = nullptr;
        look(state, from, step.channel, [&](Message& message) {
            if (message.arrival == open_end) waiting = &message;
            return waiting != nullptr;
        });
        if (waiting == nullptr) return;
        if (asked(rank, from, step.channel) <= under_way(state, from, step.channel)) return;
        waiting->arrival = model_.transmit(from, rank, waiting->bytes, when);
        --state.held;
        if (!waiting->awaited) return;
        ranks_[from].sent = waiting->arrival;
        finish(from);
    }

    /// Receives the message that this rank waits for, if it is on its way.
    void take(int rank) {
        Rank& state = ranks_[rank];
        if (!state.busy || state.received != open_end) return;
        const ScheduleStep& step = steps_of(rank)[state.step];
        const int from = step.from;
        Message* next = nullptr;
        look(state, from, step.channel, [&](Message& message) {
            next = &message;
            return true;
        });
        if (next == nullptr || next->arrival == open_end) return;
        state.work += next->work;
        state.received = std::max(next->arrival, state.begun + next->work);
        take_out(state, *next);
    }

    void finish(int rank) {
        Rank& state = ranks_[rank];
        if (!state.busy || state.sent == open_end || state.received == open_end) return;
        const double combine = model_.combine_us(steps_of(rank)[state.step].combined);
        state.busy = false;
        ++state.step;
        const double worked = state.begun + state.work;
        const double end = std::max({state.sent, state.received, worked});
        turns_.emplace(end + combine, rank);
    }

    FlatModel& model_;
    const MessageSchedule& schedule_;
    std::vector<Rank> ranks_;
    Turns turns_;
};

}  // namespace

std::vector<double> run_schedule(FlatModel& model, const MessageSchedule& schedule) {
    return Run(model, schedule)();
}

double schedule_us(FlatModel& model, const MessageSchedule& schedule) {
    return latest(run_schedule(model, schedule));
}

double latest(const std::vector<double>& times) {
    double most = 0;
    for (const double time : times) most = std::max(most, time);
    return most;
}

}  // namespace strata::algorithms
