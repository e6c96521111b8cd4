#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <exception>
#include <thread>

#include "fabric_core.h"

namespace strata::testing {
namespace {

/// The view of one rank's engine on the fabric in one call.
class FabricTransport : public algorithms::Transport {
public:
    FabricTransport(Fabric& fabric, Fabric::Caller caller) : fabric_(fabric), caller_(caller) {}
    int begin(int slots) override { return fabric_.begin(caller_, slots); }
    int isend(int slot, const std::byte* data, std::size_t bytes, int peer, int rail,
              Completion completion) override {
        return fabric_.start(caller_, slot, true, const_cast<std::byte*>(data), bytes,
                             {peer, rail, completion == Completion::local});
    }
    int irecv(int slot, std::byte* data, std::size_t bytes, int peer, int rail) override {
        return fabric_.start(caller_, slot, false, data, bytes, {peer, rail});
    }
    int wait_some(std::span<int> done, int& count) override {
        return fabric_.wait_some(caller_, done, count);
    }
    int send(const std::byte* data, std::size_t bytes, int peer) override {
        return fabric_.single(caller_, true, const_cast<std::byte*>(data), bytes, peer);
    }
    int recv(std::byte* data, std::size_t bytes, int peer) override {
        return fabric_.single(caller_, false, data, bytes, peer);
    }
    int test() override { return fabric_.test_single(caller_); }
    void abandon() noexcept override { fabric_.abandon(caller_); }

private:
    Fabric& fabric_;
    Fabric::Caller caller_;
};

/// The calls of one rank, started and advanced in any order, as far as each gets without waiting.
class CallsOfRank {
public:
    CallsOfRank(Fabric& fabric, int rank, int calls, std::uint64_t seed, const CallBody& body)
        : fabric_(fabric), rank_(rank), random_(seed + static_cast<std::uint64_t>(rank)) {
        for (int call = 0; call < calls; ++call) {
            FabricTransport& transport = transports_.emplace_back(fabric, Fabric::Caller{rank, call, false});
            tasks_.push_back(body(rank, call, transport, arenas_.emplace_back()));
            unstarted_.push_back(call);
        }
    }

    int run() {
        int code = 0;
        while (code == 0 && (!unstarted_.empty() || !running_.empty())) {
            if (!unstarted_.empty() && (running_.empty() || random_.percent(50))) {
                start();
            }
            for (std::size_t turns = 2 * running_.size(); turns > 0; --turns) {
                tasks_[running_[random_.below(running_.size())]].progress();
            }
            for (const int call : running_) tasks_[call].progress();
            std::erase_if(running_, [&](int call) {
                code = code == 0 && tasks_[call].done() ? tasks_[call].outcome() : code;
                return tasks_[call].done();
            });
            if (code == 0 && unstarted_.empty() && !running_.empty()) {
                code = fabric_.wait_any(rank_);
            }
        }
        if (code != 0) transports_.front().abandon();
        return code;
    }

private:
    void start() {
        const std::size_t one = random_.below(unstarted_.size());
        running_.push_back(unstarted_[one]);
        unstarted_.erase(unstarted_.begin() + static_cast<std::ptrdiff_t>(one));
        tasks_[running_.back()].start();
    }

    Fabric& fabric_;
    int rank_;
    Random random_;
    std::deque<FabricTransport> transports_;
    std::deque<algorithms::Arena> arenas_;
    std::vector<algorithms::Task> tasks_;
    std::vector<int> unstarted_;
    std::vector<int> running_;
};

}  // namespace

/// Sequential: keeps the event for a later turn. Concurrent: runs it now, in the thread that made it
/// possible.
void Fabric::add_event(const Event& event) {
    if (!sequential()) {
        execute(event);
        return;
    }
    (random_.percent(12) ? late_ : prompt_).push_back(event);
}

bool Fabric::ready(int rank) const {
    if (stopped_) {
        return true;
    }
    const Rank& self = ranks_[rank];
    if (self.blocking >= 0) {
        return completed(self.blocking);
    }
    return std::any_of(self.calls.begin(), self.calls.end(), [&](const Call& call) {
        return completed(call.single) || std::any_of(call.slots.begin(), call.slots.end(),
                                                     [&](int operation) { return completed(operation); });
    });
}

/// Ends the run: every waiting call and every later one fails.
void Fabric::stop(const std::string& why) {
    if (stopped_) {
        return;
    }
    std::string report = why;
    for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
        const Rank& self = ranks_[rank];
        if (!self.waiting || self.finished) {
            continue;
        }
        report += "\n  rank " + std::to_string(rank) + " waits for:";
        if (self.blocking >= 0) {
            report += " " + describe(operations_[self.blocking]);
            continue;
        }
        for (const Call& call : self.calls) {
            std::vector<int> open = call.slots;
            open.push_back(call.single);
            for (const int operation : open) {
                report += operation >= 0 ? " " + describe(operations_[operation]) + ";" : "";
            }
        }
    }
    stopped_ = true;
    report_.problems.push_back(report);
    for (Rank& rank : ranks_) {
        rank.wake.notify_all();
    }
}

/// Runs one network event; returns false when it is a rank's turn.
bool Fabric::run_event(bool somebody_runnable) {
    std::vector<Event>* events = nullptr;
    if (!prompt_.empty() && (!somebody_runnable || random_.percent(event_chance_))) {
        events = &prompt_;
    } else if (!somebody_runnable && !late_.empty()) {
        events = &late_;
    } else {
        return false;
    }
    const std::size_t index = random_.below(events->size());
    const Event event = (*events)[index];
    (*events)[index] = events->back();
    events->pop_back();
    execute(event);
    return true;
}

/// Sequential: passes the turn to the next rank after a number of network events drawn from the seed.
void Fabric::schedule_next() {
    std::vector<int> turns;
    for (;;) {
        turns.clear();
        for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) {
            if (!ranks_[rank].finished && (!ranks_[rank].waiting || ready(rank))) {
                turns.insert(turns.end(), ranks_[rank].slow ? 1 : 8, rank);
            }
        }
        if (run_event(!turns.empty())) {
            continue;
        }
        if (!turns.empty()) {
            current_ = turns[random_.below(turns.size())];
            ranks_[current_].wake.notify_all();
            return;
        }
        if (finished_ == static_cast<int>(ranks_.size())) {
            current_ = -1;
            return;
        }
        report_.deadlock = true;
        stop("deadlock: no rank can run and nothing is in flight");
    }
}

/// Concurrent: the same exact test; it is possible because no event waits there.
void Fabric::check_blocked() {
    for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) {
        if (!ranks_[rank].finished && (!ranks_[rank].waiting || ready(rank))) {
            return;
        }
    }
    if (finished_ < static_cast<int>(ranks_.size()) && !stopped_) {
        report_.deadlock = true;
        stop("deadlock: no rank can run and nothing is in flight");
    }
}

/// Lets other ranks overtake after a call that does not block.
void Fabric::pause(Lock& lock, int rank) {
    if (!sequential() || !random_.percent(25)) {
        return;
    }
    schedule_next();
    ranks_[rank].wake.wait(lock, [&] { return current_ == rank; });
}

void Fabric::wait_ready(Lock& lock, int rank) {
    Rank& self = ranks_[rank];
    self.waiting = true;
    if (sequential()) {
        schedule_next();
        self.wake.wait(lock, [&] { return current_ == rank; });
    } else {
        check_blocked();
        self.wake.wait(lock, [&] { return ready(rank); });
    }
    self.waiting = false;
}

void Fabric::rank_thread(int rank, const Body& body) {
    if (sequential()) {
        Lock lock(mutex_);
        ranks_[rank].wake.wait(lock, [&] { return current_ == rank; });
    }
    int code = code_misuse;
    std::string thrown;
    try {
        code = body(rank);
    } catch (const std::exception& error) {
        thrown = "rank " + std::to_string(rank) + " threw: " + error.what();
    }
    Lock lock(mutex_);
    if (!thrown.empty()) {
        report_.problems.push_back(thrown);
    }
    leave(rank, code);
    if (sequential()) {
        schedule_next();
    } else {
        check_blocked();
    }
    if (finished_ == static_cast<int>(ranks_.size())) {
        all_finished_.notify_all();
    }
}

void Fabric::supervise(Lock& lock) {
    const auto finished = [&] { return finished_ == static_cast<int>(ranks_.size()); };
    if (all_finished_.wait_for(lock, options_.watchdog, finished)) {
        return;
    }
    stop("watchdog: no end after " + std::to_string(options_.watchdog.count()) + " ms");
    if (!all_finished_.wait_for(lock, std::chrono::seconds(10), finished)) {
        std::fprintf(stderr, "%sa rank no longer calls the transport\n", report_.text().c_str());
        std::abort();
    }
}

RunReport Fabric::run(int calls, const Body& body) {
    for (Rank& rank : ranks_) rank.calls.resize(static_cast<std::size_t>(calls));
    std::vector<std::thread> threads;
    threads.reserve(ranks_.size());
    for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank) {
        threads.emplace_back([this, rank, &body] { rank_thread(rank, body); });
    }
    {
        Lock lock(mutex_);
        if (sequential()) {
            schedule_next();
        }
        supervise(lock);
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    // Buffered messages may still be in flight to a receiver that has ended: that is no fault.
    check_end();
    return std::move(report_);
}

RunReport run_ranks(int ranks, const FabricOptions& options, const RankBody& body) {
    Fabric fabric(ranks, options);
    return fabric.run(1, [&](int rank) {
        FabricTransport transport(fabric, {rank});
        return body(rank, transport);
    });
}

RunReport run_calls(int ranks, int calls, const FabricOptions& options, const CallBody& body) {
    Fabric fabric(ranks, options);
    return fabric.run(calls,
                      [&](int rank) { return CallsOfRank(fabric, rank, calls, options.seed, body).run(); });
}

}  // namespace strata::testing
